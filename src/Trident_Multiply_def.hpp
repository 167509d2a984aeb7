// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <Tpetra_RowMatrixTransposer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "Trident_CheckInput.hpp"
#include "Trident_ColumnNumbers.hpp"
#include "Trident_Context.hpp"
#include "Trident_ExportMatrix.hpp"
#include "Trident_GridMultiply_def.hpp"
#include "Trident_ImportMatrix.hpp"
#include "Trident_Multiply_decl.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_SpaceCuts.hpp"
#include "Trident_VolumeEstimate.hpp"

namespace Trident {
namespace Impl {

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
  static_assert(std::is_same<LO, int>::value, "Trident's local indices are int");

 public:
  Product(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C,
          const Options& options, const Teuchos::RCP<Teuchos::ParameterList>& params)
      : A_(A),
        B_(B),
        C_(C),
        options_(options),
        params_(params),
        context_(Context::of(rawComm(*A.getComm()))),
        layout_(context_.layout(options.grid.ranksPerNode, order())) {}

  Report run() {
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
    const Grid a = importMatrix(A_, transport_, rows, inner, numbersA_, messageBytes(), traffic);
    const Grid b = oneFactor() ? a
                               : importMatrix(B_, transport_, inner, columns, numbersB_,
                                              messageBytes(), traffic);
    scope.reset();
    RoundCounters counters;
    product_ = multiply(a, b, options_.rounds, &counters);
    note(a, b, counters);
  }

  void note(const Grid& a, const Grid& b, const RoundCounters& counters) {
    report_.exchange = counters.exchange;
    if (report_.grid.nodes() > 1)
      report_.reasons += "exchange " + counters.exchange + ": " + counters.exchangeReason + "; ";
    report_.multiplySeconds = counters.multiplySeconds;
    report_.roundsBegan = counters.roundsBegan;
    report_.times = counters.times;
    report_.gather = counters.gather;
    report_.kernel = counters.kernel;
    report_.rounds = counters.rounds;
    report_.fusedRounds = counters.fusedRounds;
    report_.flops = counters.flops;
    report_.internodeEntries = counters.internodeEntries;
    report_.tileBytes = counters.tileBytes;
    report_.traffic.setup += counters.traffic.setup;
    report_.traffic.rounds += counters.traffic.rounds;
    for (int p = 0; p < phaseCount; ++p)
      report_.seconds[static_cast<Phase>(p)] += counters.seconds[static_cast<Phase>(p)];
    report_.entriesA = a.local().nnz();
    report_.entriesB = b.local().nnz();
    report_.entriesC = product_.local().nnz();
    report_.sliceBytes = matrixBytes(a.local()) + matrixBytes(product_.local()) +
                         (oneFactor() ? 0 : matrixBytes(b.local()));
  }

  void exportResult() {
    const PhaseScope scope(report_.seconds, Phase::Export);
    // Numbers are not needed any more, and C is the largest of all.
    numbersA_ = {};
    numbersB_ = {};
    weights_.clear();
    const auto result =
        exportMatrix<SC, LO, GO, NO>(std::exchange(product_, Grid()), spaces_[0], spaces_[columns_],
                                     messageBytes(), report_.traffic.export_);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    commitResult(result, B_.getDomainMap(), A_.getRangeMap(), fillParameters(), C_);
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
  Context& context_;
  const NodeLayout& layout_;
  Report report_;

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

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Options options = readParameters(params);
  checkInput(A, B, C);
  return Impl::Product<SC, LO, GO, NO>(A, B, C, options, params).run();
}

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                const std::string&, const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  if (!call_FillComplete_on_result)
    throw Error("Trident::Multiply",
                "call_FillComplete_on_result = false is not supported yet; let "
                "the result be fill-completed");
  if (!A.isFillComplete() || !B.isFillComplete())  // a transpose needs them; says which
    throwEverywhere(rawComm(*A.getComm()), "Trident::Multiply", Impl::problemOfInput(A, B, C));
  const auto op = [](const crs_matrix_type& M,
                     bool transpose) -> Teuchos::RCP<const crs_matrix_type> {
    if (!transpose) return Teuchos::rcpFromRef(M);
    return Tpetra::RowMatrixTransposer<SC, LO, GO, NO>(Teuchos::rcpFromRef(M)).createTranspose();
  };
  const auto opA = op(A, transposeA);
  // One transpose serves both, so that A'·A' imports one factor.
  const auto opB = &A == &B && transposeA == transposeB ? opA : op(B, transposeB);
  return Multiply(*opA, *opB, C, params);
}

}  // namespace Trident

#define TRIDENT_MULTIPLY_INSTANT(SC, LO, GO, NO)                                                \
  template ::Trident::Report Trident::Multiply<SC, LO, GO, NO>(                                 \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,       \
      Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Teuchos::RCP<Teuchos::ParameterList>&);         \
  template ::Trident::Report Trident::Multiply<SC, LO, GO, NO>(                                 \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, \
      bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const std::string&,                       \
      const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
