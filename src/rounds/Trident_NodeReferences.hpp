// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEREFERENCES_HPP
#define TRIDENT_NODEREFERENCES_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_RowReading.hpp"

// A search, on hosts, for the rows of a right factor that the ranks of a node must share. Plain
// rows of the left factor need no shared rows, because plain rows meet own rows alone (RowReading).

namespace Trident::Impl {

using ReferenceWord = unsigned long long;
constexpr int referenceWordBits = 64;

/// A functor that marks the rows of the right factor that row r meets, unless r is plain.
template <class Scalar, class Device>
struct MarkReferenced {
  LocalMatrix<Scalar, Device> stored;
  RowReading<Scalar, Device> reading;
  Kokkos::View<ReferenceWord*, Kokkos::HostSpace> words;

  void operator()(long long r) const {
    if (reading.plain(r)) return;
    const bool moved = reading.columns.extent(0) > 0;
    for (std::size_t e = stored.graph.row_map(r); e < stored.graph.row_map(r + 1); ++e) {
      const int column = stored.graph.entries(e);
      const int row = moved ? reading.columns(column) : column;
      Kokkos::atomic_or(&words(row / referenceWordBits), ReferenceWord(1)
                                                             << row % referenceWordBits);
    }
  }
};

/// Combines the marks of a node's ranks by a bitwise or. A rank whose `words` are empty adds no
/// mark and gets none. Collective over the node.
inline void reduceMarks(std::vector<ReferenceWord>& words, std::size_t count, MPI_Comm node) {
  constexpr std::size_t atOnce = 4096;
  ReferenceWord some[atOnce];
  for (std::size_t begin = 0; begin < count; begin += atOnce) {
    const std::size_t end = std::min(count, begin + atOnce);
    if (words.empty())
      std::fill_n(some, end - begin, ReferenceWord(0));
    else
      std::copy(words.begin() + begin, words.begin() + end, some);
    allReduce(MPI_IN_PLACE, some, static_cast<int>(end - begin), MPI_UNSIGNED_LONG_LONG, MPI_BOR,
              node, "the ranks of a node to find which rows they share");
    if (!words.empty()) std::copy_n(some, end - begin, words.begin() + begin);
  }
}

/// Returns a mark for each of this rank's rows of B. The mark is true if a row of A on the node
/// meets the row of B. Plain rows of A do not count. The result is empty if most rows are marked.
/// Reports do not count the bits that ranks exchange here. Collective over the node, also for a
/// failed rank.
/// @param A left factor with a reading, on a grid of one node
/// @param inner space of B's rows
template <class Scalar, class Device>
Kokkos::View<char*, Device> rowsMetInTile(const GridMatrix<Scalar, Device>& A,
                                          const IndexSpace& inner, LocalFailure& failure) {
  const std::size_t count =
      (static_cast<std::size_t>(inner.segmentSize(0)) + referenceWordBits - 1) / referenceWordBits;
  std::vector<ReferenceWord> words;
  failure.guard([&] {
    words.resize(count, 0);
    const LocalMatrix<Scalar, Device> stored = A.local();
    Kokkos::parallel_for("Trident::markMetRows", Range<Device>(0, stored.numRows()),
                         MarkReferenced<Scalar, Device>{
                             stored, *A.reading(),
                             Kokkos::View<ReferenceWord*, Kokkos::HostSpace>(words.data(), count)});
    Kokkos::fence();
  });
  reduceMarks(words, count, A.grid().nodeComm());
  Kokkos::View<char*, Device> met;
  failure.guard([&] {
    const int k = A.grid().me().k, rows = inner.sliceSize(0, k);
    const Position begin = inner.sliceBegin(0, k);
    met = scratch<char, Device>("Trident::metRows", rows);
    long long sum = 0;
    for (int r = 0; r < rows; ++r) {
      const Position index = begin + r;
      met(r) = static_cast<char>(words[index / referenceWordBits] >> index % referenceWordBits & 1);
      sum += met(r);
    }
    if (2 * sum > rows) met = {};
  });
  return met;
}

/// Returns a copy of the matrix in which only the kept rows have entries. Local.
/// @param kept true for each row to keep
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withoutOtherRows(const LocalMatrix<Scalar, Device>& matrix,
                                             const Kokkos::View<char*, Device>& kept) {
  const auto offsets = matrix.graph.row_map;
  const auto from = matrix.graph.entries;
  const auto fromValues = matrix.values;
  const long long rows = matrix.numRows();
  const auto begin = scratch<std::size_t, Device>("Trident::offsets", rows + 1);
  Kokkos::parallel_for(
      "Trident::keptLengths", Range<Device>(0, rows),
      TRIDENT_LAMBDA(long long r) { begin(r) = kept(r) ? offsets(r + 1) - offsets(r) : 0; });
  const std::size_t entries = countsToOffsets<std::size_t, Device>(begin);
  const auto columns = scratch<int, Device>("Trident::columns", entries);
  const auto values = scratch<Scalar, Device>("Trident::values", entries);
  forRowEntries<Device>(
      "Trident::keptRows", rows, static_cast<long long>(entries), begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t source = offsets(r) + (e - begin(r));
        columns(e) = from(source);
        values(e) = fromValues(source);
      });
  Kokkos::fence();
  return LocalMatrix<Scalar, Device>("Trident::keptRows", static_cast<int>(rows), matrix.numCols(),
                                     entries, values, begin, columns);
}

}  // namespace Trident::Impl

#endif
