// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTPLACEMENT_HPP
#define TRIDENT_PRODUCTPLACEMENT_HPP

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Context.hpp"
#include "Trident_GivenShape.hpp"
#include "Trident_LocalOperand.hpp"
#include "Trident_MapSpace.hpp"
#include "Trident_Names.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Report.hpp"
#include "Trident_SpaceCuts.hpp"
#include "Trident_VolumeEstimate.hpp"

namespace Trident {
namespace Impl {

/// Where the operands of a product lie on which grid: their indices numbered, the grid's shape
/// chosen, the index spaces cut. There is one index space more than operands: the rows of each,
/// which the columns of the one before meet, and the columns of the last.
template <class SC, class LO, class GO, class NO>
class ProductPlacement {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Numbering = MapNumbering<LO, GO, NO>;
  using Space = MapSpace<LO, GO, NO>;
  using Numbered = NumberedMatrix<Scalar, Device>;
  using MapPtr = Teuchos::RCP<const typename Types::map_type>;
  static_assert(std::is_same<LO, int>::value, "Trident's local indices are int");

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Collective over the operands' communicator; throws Trident::Error on every rank where one
  /// lacks memory. What was chosen and why is noted in `report`.
  ProductPlacement(const Operands& operands, const Options& options, Report& report)
      : operands_(operands),
        options_(options),
        report_(report),
        context_(Context::of(rawComm(*operands[0].matrix->getComm()))),
        layout_(context_.layout(options.grid.ranksPerNode, orderOf(options.grid))) {
    for (const auto& operand : operands)
      report_.operands.push_back(
          {operand.label(), static_cast<long long>(localEntries(*operand.matrix))});
    numberIndices();
    runEverywhere(comm(), "Trident::Multiply", [&] {
      numberOperands();
      weighSpaces();
    });
    chooseShape();
    weights_.clear();
  }

  std::size_t size() const { return operands_.size(); }
  MPI_Comm comm() const { return context_.comm(); }
  const std::shared_ptr<GridTransport>& transport() const { return transport_; }
  /// Rows of operand p; of p = size(), columns of the last.
  const Space& space(std::size_t p) const { return spaces_[spaceOf_[p]]; }
  const std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>& local(std::size_t p) const {
    return locals_[p];
  }
  /// What this rank has of operand p, until dropped.
  const Numbered& numbered(std::size_t p) const { return numbered_[p]; }
  void drop(std::size_t p) { numbered_[p] = {}; }
  /// Frees what the operands' import has used.
  void dropOperands() {
    numbered_.clear();
    locals_.clear();
  }

  /// The last operand that is the same matrix in the same place as operand p: itself, mostly.
  std::size_t sameAs(std::size_t p) const {
    std::size_t q = size() - 1;
    while (!same(p, q)) --q;
    return q;
  }

 private:
  bool summa() const { return options_.grid.algorithm == Algorithm::Summa; }

  /// Numbers the distinct Maps and the operands' rows and columns along them.
  void numberIndices() {
    for (const auto& operand : operands_) spaceOf_.push_back(numberingOf(operand.rowMap()));
    spaceOf_.push_back(numberingOf(operands_.back().domainMap()));
    for (std::size_t p = 0; p < size(); ++p) {
      const std::size_t known = firstSame(p);
      if (known < p) {
        locals_.push_back(locals_[known]);
        continue;
      }
      const Meeting meeting =
          p + 1 < size() ? meetingOf(operands_[p], operands_[p + 1]) : meetingOf(operands_[p]);
      locals_.push_back(std::make_shared<LocalOperand<SC, LO, GO, NO>>(
          operands_[p], numberings_[spaceOf_[p]], numberings_[spaceOf_[p + 1]], layout_, comm(),
          report_.traffic.import, meeting));
    }
  }
  /// Local.
  void numberOperands() {
    for (std::size_t p = 0; p < size(); ++p) {
      const std::size_t known = firstSame(p);
      numbered_.push_back(known < p ? numbered_[known] : locals_[p]->numbered(operands_[p]));
    }
  }
  std::size_t firstSame(std::size_t p) const {
    std::size_t known = 0;
    while (!same(known, p)) ++known;
    return known;
  }
  bool same(std::size_t p, std::size_t q) const {
    const auto& a = operands_[p];
    const auto& b = operands_[q];
    return p == q || (a.matrix == b.matrix && a.form == b.form && a.form != OperandForm::Jacobi &&
                      spaceOf_[p] == spaceOf_[q] && spaceOf_[p + 1] == spaceOf_[q + 1]);
  }

  int numberingOf(const MapPtr& map) {
    for (std::size_t n = 0; n < numberings_.size(); ++n)
      if (map->isSameAs(*numberings_[n].map)) return static_cast<int>(n);
    numberings_.push_back(numberMap(map, comm(), layout_));
    return static_cast<int>(numberings_.size()) - 1;
  }

  /// Entries by which each space may be balanced, whatever shape it is cut for, and its name: of
  /// the first operand whose rows it has. Local.
  void weighSpaces() {
    weights_.resize(numberings_.size());
    names_.resize(numberings_.size());
    for (std::size_t p = size() + 1; p-- > 0;) {
      const int n = spaceOf_[p];
      const Numbered& numbered = numbered_[p < size() ? p : p - 1];
      weights_[n] = p < size() ? rowWeights(numbered.matrix, numbered.rowNumbers)
                               : columnWeights(numbered.matrix, numbered.columnNumbers);
      names_[n] =
          p < size() ? operands_[p].label() + "'s rows" : operands_.back().label() + "'s columns";
    }
  }

  /// Decides the grid's shape and cuts the index spaces for it.
  void chooseShape() {
    const int nodes = layout_.nodes(), lambda = layout_.lambda;
    const GridOptions& grid = options_.grid;
    report_.reasons = layout_.reason + "; ";
    const FetchKind fetch = options_.rounds.fetch;
    std::vector<GridShape> candidates{givenShape(grid, fetch, nodes, lambda)};
    if (grid.choice == GridChoice::Auto && !summa() && fetch != FetchKind::NeededRows)
      candidates = allShapes(nodes, lambda);  // in Cannon's order
    // The volume model is of Trident's rounds, not of broadcasts.
    if (nodes > 1 && !summa() && (candidates.size() > 1 || grid.predictVolume))
      chooseByVolume(candidates);
    else
      cutSpaces(report_.grid = candidates.front());
    transport_ = gridOf(report_.grid);
    report_.reasons += cutNotes_.reasons;
    report_.partition = cutNotes_.partition;
    if (grid.permute) report_.partition += ", permuted";
  }

  std::shared_ptr<GridTransport> gridOf(const GridShape& shape) {
    return context_.grid(options_.grid.ranksPerNode, shape);
  }

  ProductEstimate estimate(bool sample) {
    return estimateProduct(comparingGrid(), numbered_, sizes(), numberings_[spaceOf_[size() - 1]],
                           report_.traffic.import.internodeBytes, options_.rounds.messageBytes,
                           sample, report_.traffic.setup);
  }
  /// Of the shape that spaces_ are cut for.
  ShapeCounts count(const ProductEstimate& estimate) {
    std::vector<const Space*> spaces;
    for (int n : spaceOf_) spaces.push_back(&spaces_[n]);
    std::vector<bool> imported;
    for (std::size_t p = 0; p < size(); ++p) imported.push_back(sameAs(p) == p);
    return countShape(comparingGrid(), estimate, numbered_, spaces, imported);
  }
  VolumePrediction predict(const GridShape& shape, const ShapeCounts& counts,
                           const ProductEstimate& estimate, FetchKind fetch) const {
    return predictProduct<Scalar>(shape, counts, estimate, sizes(), numberings_[spaceOf_.back()],
                                  fetch);
  }
  const ProcessGrid& comparingGrid() {
    return gridOf(GridShape{layout_.nodes(), 1, layout_.lambda, orderOf(options_.grid)})->grid();
  }
  std::vector<Position> sizes() const {
    std::vector<Position> sizes;
    for (int n : spaceOf_) sizes.push_back(numberings_[n].size());
    return sizes;
  }

  /// Takes the shape whose nodes fetch needed rows where C's rows stay and the rounds of any other
  /// alone move more, whatever inner products hold between nothing and what is assumed: bytes are
  /// linear in that. Then nothing is sampled. Whether it has.
  bool chooseNeededRows(const std::vector<GridShape>& candidates) {
    const GridShape& shape = candidates.front();
    if (!shape.canFetchRows() || options_.rounds.fetch == FetchKind::Tiles) return false;
    if (!cutWhereTilesFit(shape) || !spaces_[spaceOf_[0]].rowsStay()) return false;
    const ProductEstimate most = estimate(false);
    const ShapeCounts counts = count(most), none = ShapeCounts::none(size());
    ProductEstimate least = most;
    std::fill(least.products.begin() + 1, least.products.end() - 1, 0);
    for (const ProductEstimate& inner : {most, least}) {
      // What asks for C's columns is the same on every shape.
      const VolumePrediction bytes = predict(shape, counts, inner, options_.rounds.fetch);
      for (std::size_t c = 1; c < candidates.size(); ++c)
        if (bytes.import + bytes.rounds >
            predict(candidates[c], none, inner, FetchKind::Tiles).rounds)
          return false;
    }
    report_.grid = shape;
    report_.reasons +=
        "grid " + shape.name() +
        ": its import and rounds are fewer predicted internode bytes than the rounds "
        "alone of any other shape; ";
    return true;
  }

  /// Takes the shape for which the volume model predicts the fewest bytes between nodes.
  void chooseByVolume(const std::vector<GridShape>& candidates) {
    if (!options_.grid.predictVolume && chooseNeededRows(candidates)) return;
    const ProductEstimate estimate = this->estimate(true);
    std::vector<Space> bestSpaces;
    CutNotes bestNotes;
    for (const GridShape& shape : candidates) {
      if (!cutWhereTilesFit(shape)) continue;
      const VolumePrediction bytes =
          predict(shape, count(estimate), estimate, options_.rounds.fetch);
      report_.shapes.push_back({shape, bytes});
      if (report_.predicted && bytes.total() >= report_.predictedBytes.total()) continue;
      report_.predicted = true;
      report_.predictedBytes = bytes;
      report_.grid = shape;
      bestSpaces = spaces_;
      bestNotes = cutNotes_;
    }
    if (!report_.predicted) throwTilesTooLarge();
    spaces_ = bestSpaces;
    cutNotes_ = bestNotes;
    report_.predictedEntriesC = estimate.products[0];
    if (candidates.size() > 1)
      report_.reasons += "grid " + report_.grid.name() + ": the fewest predicted internode bytes" +
                         (estimate.sampled ? "" : ", C's entries not sampled but assumed") + "; ";
  }

  /// Cuts the spaces, and returns whether local indices fit the shape's tiles: the same on every
  /// rank, as the cuts are.
  bool cutWhereTilesFit(const GridShape& shape) {
    try {
      cutSpaces(shape);
    } catch (const TileTooLarge&) {
      return false;
    }
    return true;
  }

  [[noreturn]] void throwTilesTooLarge() const {
    throw Error("Trident::Multiply",
                "every grid of " + std::to_string(layout_.nodes()) + " nodes of " +
                    std::to_string(layout_.lambda) + " ranks has a tile of more than " +
                    std::to_string(options_.grid.largestTile) +
                    " rows or columns, which local indices do not hold; use more nodes, by more "
                    "ranks or a smaller \"ranks per node\"" +
                    (options_.grid.partition == PartitionKind::Uniform
                         ? ""
                         : ", or \"partition\" = \"uniform\""));
  }

  void cutSpaces(const GridShape& shape) {
    spaces_.clear();
    cutNotes_ = {};
    for (std::size_t n = 0; n < numberings_.size(); ++n)
      spaces_.push_back({numberings_[n], cutSpace(numberings_[n], weights_[n], shape, options_.grid,
                                                  names_[n], comm(), cutNotes_)});
  }

  const Operands& operands_;
  const Options& options_;
  Report& report_;
  Context& context_;
  const NodeLayout& layout_;

  std::vector<Numbering> numberings_;          // of distinct Maps
  std::vector<int> spaceOf_;                   // which of them are the operands' rows, the columns
  std::vector<EntryWeights<Device>> weights_;  // as numberings_
  std::vector<std::string> names_;             // as numberings_
  std::vector<Space> spaces_;                  // as numberings_
  CutNotes cutNotes_;
  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals_;
  std::vector<Numbered> numbered_;
  std::shared_ptr<GridTransport> transport_;
};

}  // namespace Impl
}  // namespace Trident

#endif
