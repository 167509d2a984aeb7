// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAPECHOICE_HPP
#define TRIDENT_SHAPECHOICE_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Options.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_GridShape.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "layout/Trident_VolumeEstimate.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace Trident::Impl {

/// Returns the shape that "grid" names. Throws Trident::Error if the shape does not fit the nodes.
/// Then all ranks throw, because options and nodes are the same on all ranks.
inline GridShape explicitShape(const GridOptions& grid, int nodeCount, int lambda) {
  const GridShape shape{grid.nodeRows, grid.nodeCols, lambda};
  const std::string nodes = std::to_string(nodeCount);
  if (!shape.fills(nodeCount))
    throw Error("\"grid\" = " + std::to_string(shape.nodeRows) + "x" +
                std::to_string(shape.nodeCols) + " does not fit " + nodes + " nodes of " +
                std::to_string(lambda) + " ranks; use \"auto\" or a shape of " + nodes + " nodes");
  return shape;
}

inline RoundOrder orderOf(const GridOptions& grid) {
  return grid.algorithm == Algorithm::Summa ? RoundOrder::Summa : RoundOrder::Cannon;
}

/// Returns the shape that options give without the volume model. If "grid" has numbers, this is
/// their shape; else it is the squarest shape. Throws the errors of explicitShape().
inline GridShape givenShape(const GridOptions& grid, int nodeCount, int lambda) {
  GridShape shape = squareShape(nodeCount, lambda);
  if (grid.choice == GridChoice::Explicit) shape = explicitShape(grid, nodeCount, lambda);
  shape.order = orderOf(grid);
  return shape;
}

/// Returns the shapes that a product's options leave open. The shape with one node column comes
/// first, if it is open. Throws like explicitShape().
inline std::vector<GridShape> candidateShapes(const Options& options, int nodeCount, int lambda) {
  if (options.grid.choice != GridChoice::Auto || options.grid.algorithm == Algorithm::Summa)
    return {givenShape(options.grid, nodeCount, lambda)};
  std::vector<GridShape> shapes = allShapes(nodeCount, lambda);  // rounds in Cannon's order
  const auto oneNodeRow = [](const GridShape& shape) { return shape.nodeRows == 1; };
  if (options.rounds.fetch == FetchKind::NeededRows && nodeCount > 1)  // on one node no row travels
    shapes.erase(std::remove_if(shapes.begin(), shapes.end(), oneNodeRow), shapes.end());
  return shapes;
}

inline void noteCuts(const PartitionNotes& notes, Report& report) {
  report.reasons += notes.reasons;
  report.partition = notes.partition;
}

/// A choice of the grid's shape for a product, with the cuts of its index spaces for that shape.
/// @tparam Placement class Placement, which has numbered and weighed the operands
template <class Placement>
class ShapeChoice {
  using Scalar = typename Placement::Scalar;
  using Device = typename Placement::Device;
  using Own = OwnEstimate<Scalar, Device>;

 public:
  /// Prepares a choice. All arguments must outlive this object.
  /// @param failure all ranks learn of it in the first reduction
  ShapeChoice(const Placement& placement, const Options& options, Context& context, Report& report,
              LocalFailure& failure)
      : placement_(placement),
        options_(options),
        report_(report),
        failure_(failure),
        context_(context),
        layout_(placement.layout()) {}

  /// Chooses the shape. Returns the spaces of the operands' distinct Maps, cut for this shape. The
  /// report gets the choices and their reasons. Collective over the context's communicator; throws
  /// Trident::Error on every rank.
  SpaceCut choose() {
    const int nodes = layout_.nodes(), lambda = layout_.lambda;
    const GridOptions& grid = options_.grid;
    report_.reasons = layout_.reason + "; ";
    const std::vector<GridShape> candidates = candidateShapes(options_, nodes, lambda);
    // The volume model describes Trident's rounds, not the broadcasts of SUMMA.
    if (nodes > 1 && !summa() && (candidates.size() > 1 || grid.predictVolume))
      chooseByVolume(candidates);
    else
      cutForGiven(candidates.front());
    if (fetch_.kind != options_.rounds.fetch)
      report_.reasons += std::string("fetch tiles: ") + fetch_.why + "; ";
    noteCuts(cutNotes_, report_);
    return cut_;
  }

  /// Returns the kind of fetch, which is the same on every rank.
  FetchKind fetch() const { return fetch_.kind; }

 private:
  bool summa() const { return options_.grid.algorithm == Algorithm::Summa; }

  /// Estimates the bytes of the right factors from the operands' entries. In R·(A·P), assumes that
  /// A·P has as many entries as A, because their rows are mostly about equally long.
  double rightBytes() const {
    const auto end = counts_.begin() + static_cast<std::ptrdiff_t>(placement_.size());
    return std::accumulate(counts_.begin() + 1, end, 0.0) *
           static_cast<double>(sizeof(int) + sizeof(Scalar));
  }
  /// A kind of fetch. If the options name another kind, `why` is the reason.
  struct FetchChoice {
    FetchKind kind = FetchKind::Auto;
    const char* why = "";
  };
  /// Returns the kind of fetch for a shape. Decides by counts_. The last cut of the spaces must be
  /// a cut for this shape.
  FetchChoice fetchOn(const GridShape& shape) const {
    const bool open = options_.rounds.fetch == FetchKind::Auto && shape.canFetchRows();
    if (!open || counts_.empty()) return {options_.rounds.fetch};
    if (tooSmallToAsk(rightBytes(), shape.nodes()))
      return {FetchKind::Tiles, "right factors are too small to ask for rows"};
    if (!anyFetchesRows(shape)) return {FetchKind::Tiles, "most rows are needed"};
    return {FetchKind::Auto};
  }
  /// Returns true if fetching rows may save bytes in a product of the operands, by the volume
  /// model's counts. Always returns true if the caller of the product gave the shape, because then
  /// counts may be made for a report, which must not change the product.
  bool anyFetchesRows(const GridShape& shape) const {
    if (options_.grid.choice != GridChoice::Auto) return true;
    const ShapeCounts counted = counts();
    const std::vector<Position> sizes = placement_.sizes();
    for (std::size_t p = 0; p + 1 < placement_.size(); ++p)
      if (fetchesRows(shape, static_cast<double>(sizes[p + 1]), counted.neededRows[p])) return true;
    return false;
  }

  /// Returns this rank's counts, which the caller sums over the ranks. They count this rank's parts
  /// of the operands, and the data that cross between nodes if spaces are cut as `cut`.
  std::vector<double> ownCounts(const GridRanks& ranks, const SpaceCut& cut) const {
    SpaceCut spaces;
    for (std::size_t p = 0; p <= placement_.size(); ++p) spaces.push_back(cut[placement_.mapOf(p)]);
    std::vector<bool> imported;
    for (std::size_t p = 0; p < placement_.size(); ++p)
      imported.push_back(placement_.sameAs(p) == p);
    std::vector<double> counts =
        own_.sums(placement_.numbered(), report_.traffic.import.internodeBytes);
    const std::vector<double> crossing =
        countShape(ranks, own_.rowsOfC(placement_.size()), placement_.numbered(), spaces, imported);
    counts.insert(counts.end(), crossing.begin(), crossing.end());
    return counts;
  }
  ProductEstimate estimate() const {
    return estimateProduct(own_, counts_.begin(), placement_.sizes());
  }
  /// Returns the counts for the shape of the last cut, summed over all ranks.
  ShapeCounts counts() const {
    return shapeCounts(
        counts_.begin() + static_cast<std::ptrdiff_t>(Own::numbers(placement_.size())),
        placement_.size());
  }
  VolumePrediction predict(const GridShape& shape, const ShapeCounts& counts,
                           const ProductEstimate& estimate, FetchKind fetch) const {
    return predictProduct<Scalar>(shape, counts, estimate, placement_.sizes(),
                                  placement_.numbering(placement_.size()),
                                  sizeof(typename Placement::GlobalIndex), fetch);
  }
  const GridRanks& ranks() {
    return context_.ranks(options_.grid.ranksPerNode, orderOf(options_.grid));
  }

  /// Takes the shape of one node column without a sample, and returns true, in two cases:
  /// - Right factors are too small for a sample.
  /// - This shape's import and rounds move at most as many bytes as the rounds alone of any other.
  ///   If the other shape can fetch rows, only its bytes of left factors count. Other shapes
  ///   move no fewer bytes of C: rows that do not stay move on every shape, questions for columns
  ///   are the same, and columns move only between several node columns.
  /// The second case is tested for inner products (A·P in R·(A·P)) of the assumed size, and empty
  /// ones. So it holds for all sizes between these, because bytes are linear in their entries.
  bool chooseOneNodeColumn(const std::vector<GridShape>& candidates) {
    const GridShape& shape = candidates.front();
    if (!shape.canFetchRows() || options_.rounds.fetch == FetchKind::Tiles) return false;
    if (!cutWhereTilesFit(shape)) return false;
    fetch_ = fetchOn(shape);
    if (tooSmallToSample(rightBytes(), shape.nodes())) {
      report_.grid = shape;
      report_.reasons += "grid " + shape.name() + ": right factors are small; ";
      return true;
    }
    const ProductEstimate most = estimate();
    const ShapeCounts counts = this->counts(), none = ShapeCounts::none(placement_.size());
    ProductEstimate least = most;
    std::fill(least.products.begin() + 1, least.products.end() - 1, 0);
    for (const ProductEstimate& inner : {most, least}) {
      const VolumePrediction bytes = predict(shape, counts, inner, options_.rounds.fetch);
      for (std::size_t c = 1; c < candidates.size(); ++c)
        if (bytes.import + bytes.rounds >
            predict(candidates[c], none, inner, options_.rounds.fetch).rounds)
          return false;
    }
    report_.grid = shape;
    report_.reasons += "grid " + shape.name() +
                       ": its import and rounds are fewer predicted internode bytes than the "
                       "rounds alone of any other shape; ";
    return true;
  }

  /// Takes the shape for which the volume model predicts the fewest bytes between nodes.
  void chooseByVolume(const std::vector<GridShape>& candidates) {
    if (!options_.grid.predictVolume && chooseOneNodeColumn(candidates)) return;
    throwEverywhere(context_.comm(), failure_.text());  // a failed rank has no operands to sample
    own_ =
        sampleOperands(ranks(), placement_.numbered(), placement_.numbering(placement_.size() - 1),
                       options_.rounds.messageBytes, report_.traffic.setup, failure_);
    SpaceCut bestCut;
    PartitionNotes bestNotes;
    for (const GridShape& shape : candidates) {
      if (!cutWhereTilesFit(shape)) continue;
      const ProductEstimate estimate = this->estimate();
      const FetchChoice fetch = fetchOn(shape);
      const VolumePrediction bytes = predict(shape, counts(), estimate, fetch.kind);
      report_.shapes.push_back({shape, bytes});
      if (report_.predicted && bytes.total() >= report_.predictedBytes.total()) continue;
      report_.predicted = true;
      report_.predictedBytes = bytes;
      report_.grid = shape;
      report_.predictedEntriesC = estimate.products[0];
      fetch_ = fetch;
      bestCut = cut_;
      bestNotes = cutNotes_;
    }
    if (!report_.predicted) throwTilesTooLarge();
    cut_ = bestCut;
    cutNotes_ = bestNotes;
    if (candidates.size() > 1)
      report_.reasons +=
          "grid " + report_.grid.name() + ": the fewest predicted internode bytes" +
          (own_.sampled && placement_.size() == 2 ? "" : ", C's entries not sampled but assumed") +
          "; ";
  }

  /// Cuts the spaces for the only possible shape. Counts entries too, if the kind of fetch is open.
  void cutForGiven(const GridShape& shape) {
    report_.grid = shape;
    fetch_.kind = options_.rounds.fetch;
    if (!shape.canFetchRows() || options_.rounds.fetch != FetchKind::Auto) return cutFor(shape);
    SumsOfCuts entries{[this](const SpaceCut&) { return own_.sums(placement_.numbered(), 0); },
                       std::vector<double>(Own::numbers(placement_.size())), false};
    cutFor(shape, &entries);
    counts_ = std::move(entries.sums);
    fetch_ = fetchOn(shape);
  }

  /// Cuts the spaces for a shape, and makes its counts(). Returns false if a tile is too large for
  /// local indices. All ranks return the same, because their cuts are the same.
  bool cutWhereTilesFit(const GridShape& shape) {
    const std::size_t count = placement_.size();
    const GridRanks& ranks = this->ranks();  // collective, so not called in `also`, which is local
    SumsOfCuts also{[this, &ranks](const SpaceCut& cut) { return ownCounts(ranks, cut); },
                    std::vector<double>(Own::numbers(count) + numbersOfShape(count))};
    try {
      cutFor(shape, &also);
    } catch (const TileTooLarge&) {
      return false;
    }
    counts_ = std::move(also.sums);
    return true;
  }

  [[noreturn]] void throwTilesTooLarge() const {
    throw Error("every grid of " + std::to_string(layout_.nodes()) + " nodes of " +
                std::to_string(layout_.lambda) + " ranks has a tile of more than " +
                std::to_string(options_.grid.largestTile) +
                " rows or columns, which local indices do not hold; use more nodes, by more "
                "ranks or a smaller \"ranks per node\"" +
                (options_.grid.partition == PartitionKind::Uniform
                     ? ""
                     : ", or \"partition\" = \"uniform\""));
  }

  void cutFor(const GridShape& shape, SumsOfCuts* also = nullptr) {
    cutNotes_ = {};
    cut_ = placement_.cutFor(shape, options_.grid, failure_, cutNotes_, also);
  }

  const Placement& placement_;
  const Options& options_;
  Report& report_;
  LocalFailure& failure_;
  Context& context_;
  const NodeLayout& layout_;
  SpaceCut cut_;  // spaces as they were cut last
  PartitionNotes cutNotes_;
  FetchChoice fetch_;
  Own own_;                     // empty until operands are sampled
  std::vector<double> counts_;  // counts of the last cut that counted, summed over all ranks
};

}  // namespace Trident::Impl

#endif
