// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEEDGES_HPP
#define TRIDENT_NODEEDGES_HPP

#include <vector>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The edges of this rank's nodes, off the grid. Each row is a node of this rank. A column is an
/// index as in ValueIndices: this rank's nodes come first, then the remote ones.
template <class Device>
struct NodeEdges {
  Kokkos::View<const std::size_t*, Device> offsets;
  Kokkos::View<int*, Device> columns;
  Kokkos::View<char*, Device> kept;  ///< true for each entry that counts as an edge
  std::vector<Position> remotes;     ///< numbers of the remote columns, ascending

  long long nodes() const { return static_cast<long long>(offsets.extent(0)) - 1; }
};

/// A functor that marks a row's heavy entries as mcl does (mclDag(), end of mclProcess()). The bar
/// is 0.999·loop + 0.001·largest entry. If the loop is the largest entry, the bar is loop/1.01. Let
/// n entries reach the bar, and let s be their sum. Of these, entries of at least s/(n+1) are
/// heavy.
template <class Device>
struct KeepHeaviest {
  CrsArrays<double, Device> rows;
  Kokkos::View<char*, Device> kept;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const std::size_t begin = rows.offsets(r), end = rows.offsets(r + 1);
    double self = 0, largest = 0;
    for (std::size_t e = begin; e < end; ++e) {
      const double value = rows.values(e);
      if (rows.columns(e) == r) self = value;
      if (value > largest) largest = value;
    }
    const double bar = self < largest ? 0.999 * self + 0.001 * largest : self / (1 + 0.01);
    double sum = 0;
    long long count = 0;
    for (std::size_t e = begin; e < end; ++e)
      if (rows.values(e) >= bar) {
        sum += rows.values(e);
        ++count;
      }
    const double share = 1.0 / static_cast<double>(count + 1);
    for (std::size_t e = begin; e < end; ++e)
      kept(e) = rows.values(e) >= bar && rows.values(e) / sum >= share;
  }
};

/// Returns a limit's edges: its heavy entries (KeepHeaviest). Local; does not wait for its kernel.
/// @param rows whole rows of this rank's nodes, with columns as in NodeEdges
template <class Device>
NodeEdges<Device> edgesOfLimit(const CrsArrays<double, Device>& rows,
                               const std::vector<Position>& remotes) {
  const auto kept = uninitialized<char, Device>("Trident::keptEdges", rows.columns.extent(0));
  const NodeEdges<Device> graph{rows.offsets, rows.columns, kept, remotes};
  Kokkos::parallel_for("Trident::keepHeaviest", Range<Device>(0, graph.nodes()),
                       KeepHeaviest<Device>{rows, kept});
  return graph;
}

/// Returns marks of the attractors among this rank's nodes: the nodes with loops. The array has
/// room for remote nodes, but no marks of them. Local; does not wait for its kernel.
template <class Device>
Kokkos::View<char*, Device> findAttractors(const NodeEdges<Device>& graph) {
  const Kokkos::View<char*, Device> attracts("Trident::attractors",
                                             graph.nodes() + graph.remotes.size());
  const auto offsets = graph.offsets;
  const auto columns = graph.columns;
  const auto kept = graph.kept;
  Kokkos::parallel_for(
      "Trident::findAttractors", Range<Device>(0, graph.nodes()), TRIDENT_LAMBDA(long long r) {
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
          if (kept(e) && columns(e) == r) attracts(r) = 1;
      });
  return attracts;
}

}  // namespace Trident::Impl

#endif
