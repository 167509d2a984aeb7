// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDOPERANDS_HPP
#define TRIDENT_GRIDOPERANDS_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// The operands of a product on a grid, and how they are multiplied there: fresh ones, whose
/// structure is found on the way, or planned ones, whose structure is known.
/// @tparam Grid a GridMatrix
template <class Grid>
class GridOperands {
 public:
  GridOperands() = default;
  virtual ~GridOperands() = default;
  GridOperands(const GridOperands&) = delete;
  GridOperands& operator=(const GridOperands&) = delete;

  virtual std::size_t size() const = 0;
  /// The last operand that is the same matrix in the same place as operand p: itself, mostly. The
  /// same on every rank.
  virtual std::size_t sameAs(std::size_t p) const = 0;
  /// Operand p on the grid; asked for once of all that are the same. Collective.
  virtual Grid bring(std::size_t p, LocalFailure& failure) = 0;
  /// Operand p times the product of all behind it. Collective.
  virtual Grid product(std::size_t p, const Grid& left, const Grid& right, RoundCounters& counters,
                       LocalFailure& failure) = 0;
};

/// The factors of the last product on the grid.
template <class Grid>
struct LastFactors {
  Grid left, right;
};

/// Multiplies operands from right to left, but for the last product. Each is brought when its turn
/// comes, and stays while another that is the same is to come. Collective.
/// @param report gets what the rounds did, and the time of import and rounds
template <class Grid>
LastFactors<Grid> lastFactors(GridOperands<Grid>& operands, Report& report, LocalFailure& failure) {
  std::vector<Grid> kept(operands.size());
  const auto bring = [&](std::size_t p) {
    const PhaseScope scope(report.seconds, Phase::Import);
    const std::size_t same = operands.sameAs(p);
    if (same != p) return kept[same];
    const Grid brought = operands.bring(p, failure);
    for (std::size_t q = 0; q < p; ++q)
      if (operands.sameAs(q) == p) kept[p] = brought;
    return brought;
  };
  const auto bringLast = [&] {
    const Grid last = bring(operands.size() - 1);
    const PhaseScope scope(report.seconds, Phase::Import);
    return withAscendingColumns(last, failure);
  };
  Grid right = bringLast();
  for (std::size_t p = operands.size() - 2; p > 0; --p) {
    const Grid left = bring(p), behind = std::exchange(right, Grid());
    RoundCounters counters;
    right = operands.product(p, left, behind, counters, failure);
    noteRounds(report, counters, left.local(), behind.local(), right.local());
  }
  return {bring(0), right};
}

/// The product of operands. Collective; as lastFactors().
template <class Grid>
Grid multiplyOperands(GridOperands<Grid>& operands, Report& report, LocalFailure& failure) {
  const LastFactors<Grid> factors = lastFactors(operands, report, failure);
  RoundCounters counters;
  const Grid product = operands.product(0, factors.left, factors.right, counters, failure);
  noteRounds(report, counters, factors.left.local(), factors.right.local(), product.local());
  return product;
}

}  // namespace Trident::Impl

#endif
