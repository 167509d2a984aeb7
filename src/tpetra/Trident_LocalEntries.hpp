// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALENTRIES_HPP
#define TRIDENT_LOCALENTRIES_HPP

#include <cstddef>
#include <utility>

#include "Trident_TpetraCompat.hpp"

// The doors from Tpetra's local arrays to Trident's. Tpetra takes arrays of indices and values that
// are longer than the last offset, and never looks at what lies behind it. Trident takes lengths of
// arrays for numbers of entries, so its arrays end there. Tpetra's number of entries is the last
// offset; newer ones have it on the host, so that no device is asked.

namespace Trident::Impl {

/// An array up to so many elements: itself where it has no more.
template <class Array>
Array upTo(const Array& array, std::size_t count) {
  return array.extent(0) > count
             ? Array(Kokkos::subview(array, std::make_pair(std::size_t(0), count)))
             : array;
}

/// A graph's own arrays on the device, no longer than its entries. Local.
/// @param graph a fill-complete Tpetra::CrsGraph
template <class Graph>
auto localGraphOf(const Graph& graph) {
  using Local = typename Graph::local_graph_device_type;
  const Local local = graph.getLocalGraphDevice();
  return Local(upTo(local.entries, localEntries(graph)), local.row_map);
}

/// A matrix's own arrays on the device, no longer than its entries. Local.
/// @param matrix a Tpetra::CrsMatrix with a local matrix
template <class SC, class LO, class GO, class NO>
auto localMatrixOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix) {
  using Local = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;
  const Local local = matrix.getLocalMatrixDevice();
  const std::size_t entries = localEntries(matrix);
  if (local.nnz() == entries && local.values.extent(0) == entries) return local;
  return Local("Trident::local", local.numRows(), local.numCols(), entries,
               upTo(local.values, entries), local.graph.row_map,
               upTo(local.graph.entries, entries));
}

}  // namespace Trident::Impl

#endif
