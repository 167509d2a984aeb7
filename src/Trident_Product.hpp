// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "Trident_CheckInput.hpp"
#include "Trident_ColumnNumbers.hpp"
#include "Trident_Context.hpp"
#include "Trident_ExportMatrix.hpp"
#include "Trident_GridMultiply.hpp"
#include "Trident_ImportMatrix.hpp"
#include "Trident_Options.hpp"
#include "Trident_PatternResult.hpp"
#include "Trident_Report.hpp"
#include "Trident_SortRows.hpp"
#include "Trident_SpaceCuts.hpp"
#include "Trident_VolumeEstimate.hpp"

namespace Trident {
namespace Impl {

/// What of a product depends on structure alone, and the sorted slice of C on the grid.
template <class SC, class LO, class GO, class NO>
struct ProductStructure {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;

  std::shared_ptr<const MatrixImport<SC, LO, GO, NO>> importA, importB;
  GridMatrix<Scalar, Device> product;
  ValueExport<Scalar, Device> values;
};

/// What a report takes from the product on the grid.
template <class Grid>
void noteRounds(Report& report, const RoundCounters& counters, const Grid& A, const Grid& B,
                const Grid& C) {
  report.exchange = counters.exchange;
  report.reasons += "exchange " + counters.exchange + ": " + counters.exchangeReason + "; gather " +
                    counters.gather + ": " + counters.gatherReason + "; ";
  report.multiplySeconds = counters.multiplySeconds;
  report.roundsBegan = counters.roundsBegan;
  report.times = counters.times;
  report.gather = counters.gather;
  report.kernel = counters.kernel;
  report.rounds = counters.rounds;
  report.fusedRounds = counters.fusedRounds;
  report.flops = counters.flops;
  report.internodeEntries = counters.internodeEntries;
  report.tileBytes = counters.tileBytes;
  report.traffic.setup += counters.traffic.setup;
  report.traffic.rounds += counters.traffic.rounds;
  for (int p = 0; p < phaseCount; ++p)
    report.seconds[static_cast<Phase>(p)] += counters.seconds[static_cast<Phase>(p)];
  report.entriesA = A.local().nnz();
  report.entriesB = B.local().nnz();
  report.entriesC = C.local().nnz();
  report.sliceBytes = matrixBytes(A.local()) + matrixBytes(C.local());
  if (A.local().values.data() != B.local().values.data())
    report.sliceBytes += matrixBytes(B.local());
}

/// One call of Multiply: from Tpetra to the grid, the product, and back. Steps are methods, in
/// order.
template <class SC, class LO, class GO, class NO>
class Product {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Grid = GridMatrix<Scalar, Device>;
  using Numbering = MapNumbering<LO, GO, NO>;
  using Space = MapSpace<LO, GO, NO>;
  using Numbers = Kokkos::View<Position*, Device>;
  using Import = MatrixImport<SC, LO, GO, NO>;
  static_assert(std::is_same<LO, int>::value, "Trident's local indices are int");

 public:
  /// @param complete whether C is to be fill-complete
  Product(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C,
          const Options& options, const Teuchos::RCP<Teuchos::ParameterList>& params,
          bool complete = true)
      : A_(A),
        B_(B),
        C_(C),
        options_(options),
        params_(params),
        complete_(complete),
        context_(Context::of(rawComm(*A.getComm()))),
        layout_(context_.layout(options.grid.ranksPerNode, order())) {}

  /// @param keep where given, gets what products of the same structure need; it is kept at the
  ///   price of a second C
  Report run(ProductStructure<SC, LO, GO, NO>* keep = nullptr) {
    keep_ = keep;
    const double start = steadySeconds();
    {
      const PhaseScope scope(report_.seconds, Phase::Setup);
      numberIndices();
      chooseShape();
    }
    multiplyOnGrid();
    exportResult();
    if (!report_.reasons.empty()) report_.reasons.resize(report_.reasons.size() - 2);  // last "; "
    report_.totalSeconds = steadySeconds() - start;
    return report_;
  }

 private:
  MPI_Comm comm() const { return context_.comm(); }
  std::size_t messageBytes() const { return options_.rounds.messageBytes; }
  bool summa() const { return options_.grid.algorithm == Algorithm::Summa; }
  RoundOrder order() const { return summa() ? RoundOrder::Summa : RoundOrder::Cannon; }
  /// One import serves both factors.
  bool oneFactor() const { return &A_ == &B_ && inner_ == 0 && columns_ == 0; }

  /// Numbers the distinct Maps: rows of A, the inner space (B's rows), columns of B.
  void numberIndices() {
    numberings_.push_back(numberMap(A_.getRowMap(), comm(), layout_));
    inner_ = numberingOf(B_.getRowMap());
    columns_ = numberingOf(B_.getDomainMap());
    numbersA_ = columnNumbers(A_, numberings_[inner_], layout_, comm(), report_.traffic.import);
    numbersB_ = oneFactor() ? numbersA_
                            : columnNumbers(B_, numberings_[columns_], layout_, comm(),
                                            report_.traffic.import);
    weighSpaces();
  }

  /// Entries by which each space may be balanced, whatever shape it is cut for.
  void weighSpaces() {
    const auto A = A_.getLocalMatrixDevice(), B = B_.getLocalMatrixDevice();
    for (int n = 0; n < static_cast<int>(numberings_.size()); ++n) {
      const Position begin = numberings_[n].begin();
      weights_.push_back(n == 0        ? rowWeights(A, begin)
                         : n == inner_ ? rowWeights(B, begin)
                                       : columnWeights(B, numbersB_));
    }
  }

  int numberingOf(const Teuchos::RCP<const typename Types::map_type>& map) {
    for (std::size_t n = 0; n < numberings_.size(); ++n)
      if (map->isSameAs(*numberings_[n].map)) return static_cast<int>(n);
    numberings_.push_back(numberMap(map, comm(), layout_));
    return static_cast<int>(numberings_.size()) - 1;
  }

  /// Decides the grid's shape and cuts the index spaces for it.
  void chooseShape() {
    const int nodes = layout_.nodes(), lambda = layout_.lambda;
    const GridOptions& grid = options_.grid;
    report_.reasons = layout_.reason + "; ";
    std::vector<GridShape> candidates{squareShape(nodes, lambda)};
    if (grid.choice == GridChoice::Auto && !summa()) candidates = allShapes(nodes, lambda);
    if (grid.choice == GridChoice::Explicit) candidates = {explicitShape()};
    for (GridShape& shape : candidates) shape.order = order();
    // The volume model is of Trident's rounds, not of broadcasts.
    if (nodes > 1 && !summa() && (candidates.size() > 1 || grid.predictVolume))
      chooseByVolume(candidates);
    else
      cutSpaces(report_.grid = candidates.front());
    transport_ = gridOf(report_.grid);
    report_.reasons += spaceReasons_;
    constexpr const char* kinds[] = {"aligned", "uniform", "balanced"};
    report_.partition = kinds[static_cast<int>(grid.partition)];
    if (grid.permute) report_.partition += ", permuted";
  }

  GridShape explicitShape() const {
    const GridShape shape{options_.grid.nodeRows, options_.grid.nodeCols, layout_.lambda};
    const std::string nodes = std::to_string(layout_.nodes());
    if (shape.nodes() != layout_.nodes())
      throw Error("Trident::Multiply", "\"grid\" = " + std::to_string(shape.nodeRows) + "x" +
                                           std::to_string(shape.nodeCols) + " does not fit " +
                                           nodes + " nodes of " + std::to_string(shape.lambda) +
                                           " ranks; use \"auto\" or a shape of " + nodes +
                                           " nodes");
    return shape;
  }

  std::shared_ptr<GridTransport> gridOf(const GridShape& shape) {
    return context_.grid(options_.grid.ranksPerNode, shape);
  }

  /// Takes the shape for which the volume model predicts the fewest bytes between nodes.
  void chooseByVolume(const std::vector<GridShape>& candidates) {
    const auto any = gridOf(squareShape(layout_.nodes(), layout_.lambda));
    const auto A = A_.getLocalMatrixDevice(), B = B_.getLocalMatrixDevice();
    const auto sample =
        drawSample(any->grid(), A, B, numbersA_, numbersB_, numberings_[inner_],
                   report_.traffic.import.internodeBytes, messageBytes(), report_.traffic.setup);
    std::vector<Space> bestSpaces;
    std::string bestReasons;
    for (const GridShape& shape : candidates) {
      cutSpaces(shape);
      const VolumePrediction bytes =
          predictProduct(any->grid(), sample, A, B, numbersA_, numbersB_, spaces_[0],
                         spaces_[inner_], spaces_[columns_], oneFactor());
      report_.shapes.push_back({shape, bytes});
      if (report_.predicted && bytes.total() >= report_.predictedBytes.total()) continue;
      report_.predicted = true;
      report_.predictedBytes = bytes;
      report_.grid = shape;
      bestSpaces = spaces_;
      bestReasons = spaceReasons_;
    }
    spaces_ = bestSpaces;
    spaceReasons_ = bestReasons;
    report_.predictedEntriesC = sample.entriesC;
    if (candidates.size() > 1)
      report_.reasons += "grid " + report_.grid.name() + ": the fewest predicted internode bytes; ";
  }

  void cutSpaces(const GridShape& shape) {
    spaces_.clear();
    spaceReasons_.clear();
    for (std::size_t n = 0; n < numberings_.size(); ++n) {
      const char* name = n == 0                          ? "A's rows"
                         : static_cast<int>(n) == inner_ ? "the inner indices"
                                                         : "B's columns";
      spaces_.push_back({numberings_[n], cutSpace(numberings_[n], weights_[n], shape, options_.grid,
                                                  name, comm(), spaceReasons_)});
    }
  }

  void multiplyOnGrid() {
    std::optional<PhaseScope> scope(std::in_place, report_.seconds, Phase::Import);
    Traffic& traffic = report_.traffic.import;
    const Space& rows = spaces_[0];
    const Space& inner = spaces_[inner_];
    const Space& columns = spaces_[columns_];
    const auto importA = importOf(A_, rows, inner, numbersA_);
    const Grid a = importA->matrix(A_, traffic);
    const auto importB = oneFactor() ? importA : importOf(B_, inner, columns, numbersB_);
    const Grid b = oneFactor() ? a : importB->matrix(B_, traffic);
    if (keep_) {
      keep_->importA = importA;
      keep_->importB = importB;
    }
    scope.reset();
    RoundCounters counters;
    product_ = multiply(a, b, options_.rounds, &counters);
    noteRounds(report_, counters, a, b, product_);
  }

  std::shared_ptr<const Import> importOf(const crs_matrix_type& matrix, const Space& rows,
                                         const Space& columns, const Numbers& numbers) {
    return std::make_shared<Import>(matrix, transport_, rows, columns, numbers, options_.rounds,
                                    report_.traffic.import);
  }

  void exportResult() {
    const PhaseScope scope(report_.seconds, Phase::Export);
    // Numbers are not needed any more, and C is the largest of all.
    numbersA_ = {};
    numbersB_ = {};
    weights_.clear();
    if (keep_) {
      runEverywhere(comm(), "Trident::MultiplyPlan", [&] {
        sortRows(product_.local());
        Kokkos::fence();
      });
      keep_->product = product_;
    }
    auto result = exportMatrix<SC, LO, GO, NO>(
        std::exchange(product_, Grid()), spaces_[0], spaces_[columns_], options_.rounds,
        report_.traffic.export_, keep_ ? &keep_->values : nullptr);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    if (wider()) widen(result.local);
    if (!isNew(C_))
      commitToPattern(result, complete_, C_);
    else if (complete_)
      commitResult(result, B_.getDomainMap(), wider() ? C_.getRowMap() : A_.getRangeMap(),
                   fillParameters(), C_);
    else
      commitOpen(result, C_);
  }

  /// Whether C has more rows than A.
  bool wider() const {
    return C_.getRowMap()->getGlobalNumElements() > A_.getRowMap()->getGlobalNumElements();
  }

  void widen(CrsArrays<Scalar, Device>& local) {
    runEverywhere(comm(), "Trident::Multiply", [&] {
      widenRows(local, rowsWithin(*A_.getRowMap(), *C_.getRowMap()),
                static_cast<int>(localSize(*C_.getRowMap())));
      Kokkos::fence();
    });
  }

  /// What of the caller's list concerns the result's fillComplete.
  Teuchos::RCP<Teuchos::ParameterList> fillParameters() const {
    const auto list = Teuchos::parameterList();
    const std::string constants = "compute global constants";
    if (!params_.is_null() && params_->isParameter(constants))
      list->set(constants, params_->template get<bool>(constants));
    return list;
  }

  const crs_matrix_type& A_;
  const crs_matrix_type& B_;
  crs_matrix_type& C_;
  const Options& options_;
  const Teuchos::RCP<Teuchos::ParameterList>& params_;
  const bool complete_;
  Context& context_;
  const NodeLayout& layout_;
  Report report_;
  ProductStructure<SC, LO, GO, NO>* keep_ = nullptr;

  std::vector<Numbering> numberings_;          // of distinct Maps; A's rows are the first
  int inner_ = 0, columns_ = 0;                // which of them
  std::vector<EntryWeights<Device>> weights_;  // as numberings_
  Numbers numbersA_, numbersB_;
  std::shared_ptr<GridTransport> transport_;
  std::vector<Space> spaces_;  // as numberings_
  std::string spaceReasons_;
  Grid product_;
};

}  // namespace Impl

}  // namespace Trident

#endif
