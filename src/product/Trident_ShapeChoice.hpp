// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAPECHOICE_HPP
#define TRIDENT_SHAPECHOICE_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "Trident_Context.hpp"
#include "Trident_GivenShape.hpp"
#include "Trident_MapSpace.hpp"
#include "Trident_Names.hpp"
#include "Trident_NumberedOperands.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Report.hpp"
#include "Trident_ShapeCounts.hpp"
#include "Trident_SpaceCuts.hpp"
#include "Trident_VolumeEstimate.hpp"

namespace Trident::Impl {

/// Decides the shape of the grid of a product and cuts its index spaces for it.
template <class SC, class LO, class GO, class NO>
class ShapeChoice {
  using Scalar = typename TpetraTypes<SC, LO, GO, NO>::scalar_type;

 public:
  using Space = MapSpace<LO, GO, NO>;

  /// All outlive this.
  ShapeChoice(const NumberedOperands<SC, LO, GO, NO>& operands, const Options& options,
              Context& context, Report& report)
      : operands_(operands),
        options_(options),
        report_(report),
        context_(context),
        layout_(context.layout(options.grid.ranksPerNode, orderOf(options.grid))) {}

  /// The space of each of the operands' distinct Maps. What was chosen and why is noted in the
  /// report. Collective over the context's communicator; throws Trident::Error on every rank.
  std::vector<Space> choose() {
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
    report_.reasons += cutNotes_.reasons;
    report_.partition = cutNotes_.partition;
    if (grid.permute) report_.partition += ", permuted";
    return spaces_;
  }

 private:
  bool summa() const { return options_.grid.algorithm == Algorithm::Summa; }

  ProductEstimate estimate(bool sample) {
    return estimateProduct(ranks(), operands_.numbered(), operands_.sizes(),
                           operands_.numbering(operands_.size() - 1),
                           report_.traffic.import.internodeBytes, options_.rounds.messageBytes,
                           sample, report_.traffic.setup);
  }
  /// Of the shape that spaces_ are cut for.
  ShapeCounts count(const ProductEstimate& estimate) {
    std::vector<NumberedSpace> spaces;
    for (std::size_t p = 0; p <= operands_.size(); ++p)
      spaces.push_back(spaces_[operands_.mapOf(p)]);
    std::vector<bool> imported;
    for (std::size_t p = 0; p < operands_.size(); ++p) imported.push_back(operands_.sameAs(p) == p);
    return countShape(ranks(), estimate.rows, operands_.numbered(), spaces, imported);
  }
  VolumePrediction predict(const GridShape& shape, const ShapeCounts& counts,
                           const ProductEstimate& estimate, FetchKind fetch) const {
    return predictProduct<Scalar>(shape, counts, estimate, operands_.sizes(),
                                  operands_.numbering(operands_.size()), sizeof(GO), fetch);
  }
  const GridRanks& ranks() {
    return context_.ranks(options_.grid.ranksPerNode, orderOf(options_.grid));
  }

  /// Takes the shape whose nodes fetch needed rows where C's rows stay and the rounds of any other
  /// alone move more, whatever inner products hold between nothing and what is assumed: bytes are
  /// linear in that. Then nothing is sampled. Whether it has.
  bool chooseNeededRows(const std::vector<GridShape>& candidates) {
    const GridShape& shape = candidates.front();
    if (!shape.canFetchRows() || options_.rounds.fetch == FetchKind::Tiles) return false;
    if (!cutWhereTilesFit(shape) || !spaces_[operands_.mapOf(0)].rowsStay()) return false;
    const ProductEstimate most = estimate(false);
    const ShapeCounts counts = count(most), none = ShapeCounts::none(operands_.size());
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
    report_.reasons += "grid " + shape.name() +
                       ": its import and rounds are fewer predicted internode bytes than the "
                       "rounds alone of any other shape; ";
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
    throw Error("every grid of " + std::to_string(layout_.nodes()) + " nodes of " +
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
    for (std::size_t n = 0; n < operands_.numberings().size(); ++n) {
      const auto& numbering = operands_.numberings()[n];
      const int map = static_cast<int>(n);
      spaces_.push_back(
          {numbering, cutSpace(*numbering, operands_.weights(map), shape, options_.grid,
                               operands_.name(map), context_.comm(), cutNotes_)});
    }
  }

  const NumberedOperands<SC, LO, GO, NO>& operands_;
  const Options& options_;
  Report& report_;
  Context& context_;
  const NodeLayout& layout_;
  std::vector<Space> spaces_;  // of the shape that was cut for last
  CutNotes cutNotes_;
};

}  // namespace Trident::Impl

#endif
