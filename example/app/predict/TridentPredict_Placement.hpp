// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_PLACEMENT_HPP
#define TRIDENTPREDICT_PLACEMENT_HPP

#include <memory>
#include <vector>

#include "TridentPredict_Problem.hpp"
#include "base/Trident_Options.hpp"
#include "grid/Trident_IndexSpace.hpp"

namespace Trident {
namespace Predict {

/// An index space, and the slice of the grid that each number lies in: s·λ + k for slice k of
/// segment s.
struct PlacedSpace {
  std::shared_ptr<const Impl::IndexSpace> space;
  std::vector<int> sliceOf;  ///< slice by number

  const GridShape& shape() const { return space->shape(); }
  int segment(Position number) const { return sliceOf[number] / shape().lambda; }
  int k(Position number) const { return sliceOf[number] % shape().lambda; }
  int tileRow(Position number) const { return shape().tileRow(segment(number)); }
  int tileCol(Position number) const { return shape().tileCol(segment(number)); }
};

/// A grid of ranks and where a product's indices lie on it, cut by the library's own rules.
struct Placement {
  GridShape shape;
  int nodeSize = 1;  ///< ranks in a node of the machine: λ, but for SUMMA
  std::shared_ptr<const PlacedSpace> rows, inner, columns;  ///< one object where Maps are the same
};

/// Places a product on a grid.
/// @param options "partition" and "partition imbalance" count
/// @param nodeSize ranks in a node of the machine
Placement place(const Problem& problem, const GridShape& shape, int nodeSize,
                const Impl::GridOptions& options);

/// Returns the rows of A on each (i, k), which the ranks (i, j, k) of all j have parts of: [i·λ +
/// k].
std::vector<std::vector<int>> rowsByRank(const PlacedSpace& rows);

}  // namespace Predict
}  // namespace Trident

#endif
