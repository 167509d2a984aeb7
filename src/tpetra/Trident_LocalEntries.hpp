// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALENTRIES_HPP
#define TRIDENT_LOCALENTRIES_HPP

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "Trident_Error.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

// Functions that get Tpetra's local arrays for Trident. Tpetra's arrays of indices and values may
// be longer than the last row offset. Trident takes an array's length as the number of entries, so
// these functions cut the arrays. They read the last offset from the device (8 bytes), unless the
// caller passes it. Tpetra's own number of entries is of no use: it may be the arrays' length.

namespace Trident::Impl {

/// Returns the last row offset, which is the number of entries. Waits for the device. Local.
template <class Offsets>
std::size_t lastOffset(const Offsets& offsets) {
  if (offsets.extent(0) == 0) return 0;
  std::size_t last = 0;
  Kokkos::deep_copy(last, Kokkos::subview(offsets, offsets.extent(0) - 1));
  return last;
}

/// Returns the first `count` elements of an array; the array itself if it has no more.
template <class Array>
Array upTo(const Array& array, std::size_t count) {
  return array.extent(0) > count
             ? Array(Kokkos::subview(array, std::make_pair(std::size_t(0), count)))
             : array;
}

/// Returns the result of get(): arrays of a matrix or graph on the device. Throws Error if Tpetra
/// refuses, because host views exist and the device has memory of its own. Local.
template <class Get>
auto onDevice(const Get& get) {
  try {
    return get();
  } catch (const std::runtime_error& e) {
    throw Error(std::string("a matrix's arrays cannot be had on the device (") + e.what() +
                "); let every host view of A, B and C go before the call, such as those of "
                "getLocalMatrixHost() and of rows");
  }
}

/// Returns a graph's own arrays on the device. The array of columns may be longer than the number
/// of entries. Reads no element. Local.
/// @param graph a Tpetra::CrsGraph that was fill-complete once
template <class Graph>
auto graphArraysOf(const Graph& graph) {
  return onDevice([&] { return graph.getLocalGraphDevice(); });
}

/// Returns a graph's own arrays on the device, cut to the number of entries. Local.
/// @param graph a Tpetra::CrsGraph that was fill-complete once, so that its indices are packed
template <class Graph>
auto localGraphOf(const Graph& graph) {
  using Local = typename Graph::local_graph_device_type;
  const Local local = graphArraysOf(graph);
  return Local(upTo(local.entries, lastOffset(local.row_map)), local.row_map);
}

/// Returns a matrix's own arrays on the device, cut to the number of entries. Local.
/// @param matrix a Tpetra::CrsMatrix with a local matrix
/// @param known number of entries; if empty, the host reads it from the device
template <class SC, class LO, class GO, class NO>
auto localMatrixOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix,
                   const std::optional<std::size_t>& known = {}) {
  using Local = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;
  const Local local = onDevice([&] { return matrix.getLocalMatrixDevice(); });
  const std::size_t entries = known ? *known : lastOffset(local.graph.row_map);
  if (local.nnz() == entries && local.values.extent(0) == entries) return local;
  return Local("Trident::local", local.numRows(), local.numCols(), entries,
               upTo(local.values, entries), local.graph.row_map,
               upTo(local.graph.entries, entries));
}

/// Returns a matrix's values on the device; there may be more values than entries. Local.
template <class SC, class LO, class GO, class NO>
auto localValuesOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix) {
  return onDevice([&] { return matrix.getLocalMatrixDevice().values; });
}

/// Returns the address of a matrix's values on the device. Local.
template <class SC, class LO, class GO, class NO>
auto firstValueOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix) {
  return localValuesOf(matrix).data();
}

/// Throws onDevice()'s Error if Tpetra refuses C's arrays to the device, because a host view
/// exists. Call it before ranks agree to change C. Tpetra will not refuse later, because Trident
/// takes no host views. Keeps no device view, which would keep the host from C's arrays.
template <class SC, class LO, class GO, class NO>
void requireDeviceArrays(const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  static_cast<void>(firstValueOf(C));
}

}  // namespace Trident::Impl

#endif
