// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPARERESULTS_HPP
#define TRIDENT_COMPARERESULTS_HPP

#include <Kokkos_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <utility>
#include <vector>

#include "matrix/Trident_Magnitude.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Returns how far two numbers are apart. Infinities of one sign are alike, and so are two that are
/// no numbers. One that is none is as far from a number as can be.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double distance(const Scalar& x, const Scalar& y) {
  const bool noX = x != x, noY = y != y;
  if (x == y || (noX && noY)) return 0;
  if (noX || noY) return DBL_MAX;
  const double size = static_cast<double>(magnitude(x - y));
  return size < DBL_MAX ? size : DBL_MAX;
}

/// The two matrices in the place where their rows lie, and the columns of the second one in the
/// numbers of the first.
template <class Local>
struct ComparedRows {
  using Scalar = typename Local::value_type;
  using Index = typename Local::ordinal_type;
  using Device = typename Local::device_type;

  Local matrix, other;
  Kokkos::View<Index*, Device>
      columns;                      // of `other`'s columns; -1: `matrix` has none of that index
  Kokkos::View<char*, Device> met;  // of the entries of a chunk: whether `other` has it too
  std::size_t first = 0;            // entry of the chunk

  /// Returns the place of a column in a row of `matrix`, or `end` if it is not there. Bisects if
  /// the row is sorted, else looks at each entry.
  KOKKOS_INLINE_FUNCTION std::size_t find(Index column, std::size_t begin, std::size_t end,
                                          bool ordered) const {
    const auto& columnsOf = matrix.graph.entries;
    std::size_t at = begin;
    if (ordered) {
      for (std::size_t past = end; at < past;) {
        const std::size_t middle = at + (past - at) / 2;
        if (columnsOf(middle) < column)
          at = middle + 1;
        else
          past = middle;
      }
      return at < end && columnsOf(at) == column ? at : end;
    }
    while (at < end && columnsOf(at) != column) ++at;
    return at;
  }

  /// Compares the entries of a row of `other`, and marks those of `matrix` that they meet.
  KOKKOS_INLINE_FUNCTION void operator()(const Index& row, double& most) const {
    const std::size_t begin = matrix.graph.row_map(row), end = matrix.graph.row_map(row + 1);
    bool ordered = true;
    for (std::size_t e = begin + 1; e < end; ++e)
      ordered = ordered && matrix.graph.entries(e - 1) < matrix.graph.entries(e);
    for (std::size_t e = other.graph.row_map(row); e < other.graph.row_map(row + 1); ++e) {
      const Index column = columns(other.graph.entries(e));
      const std::size_t at = column < 0 ? end : find(column, begin, end, ordered);
      const double far =
          distance<Scalar>(at < end ? matrix.values(at) : Scalar(0), other.values(e));
      if (at < end) met(at - first) = 1;
      if (far > most) most = far;
    }
  }
};

/// Those of `matrix` alone.
template <class Local>
struct UnmetEntries {
  ComparedRows<Local> rows;

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t& e, double& most) const {
    using Scalar = typename Local::value_type;
    if (rows.met(e)) return;
    const double far = distance<Scalar>(rows.matrix.values(rows.first + e), Scalar(0));
    if (far > most) most = far;
  }
};

/// Magnitudes of values, but of those that are no numbers or infinite.
template <class Values>
struct LargestValue {
  Values values;

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t& e, double& most) const {
    using Scalar = typename Values::non_const_value_type;
    const double size = distance<Scalar>(values(e), Scalar(0));
    if (size < DBL_MAX && size > most) most = size;
  }
};

/// Returns the largest of what a functor finds over a range.
template <class Space, class Index, class Functor>
double largestOver(Index begin, Index end, const Functor& functor) {
  double most = 0;
  Kokkos::parallel_reduce("Trident::compareResults", Kokkos::RangePolicy<Space, Index>(begin, end),
                          functor, Kokkos::Max<double>(most));
  return std::max(0.0, most);  // of nothing it is the least number
}

/// Returns the columns of a matrix in the numbers of another column Map; -1 if that has no such
/// index.
template <class Local, class Map>
Kokkos::View<typename Local::ordinal_type*, typename Local::device_type> columnsIn(
    const Map& from, const Map& into) {
  using Index = typename Local::ordinal_type;
  const std::size_t count = localSize(from);
  Kokkos::View<Index*, typename Local::device_type> columns("Trident::comparedColumns", count);
  const auto host = Kokkos::create_mirror_view(columns);
  for (std::size_t c = 0; c < count; ++c) {
    const auto gid = from.getGlobalElement(static_cast<Index>(c));
    host(c) = into.isNodeGlobalElement(gid) ? into.getLocalElement(gid) : Index(-1);
  }
  Kokkos::deep_copy(columns, host);
  return columns;
}

/// Returns the largest difference of entries of two fill-complete matrices of one row Map, on this
/// rank. An entry that only one has is compared with zero. The rows are compared where they lie, in
/// chunks: besides a number for each column that takes a byte for each entry of a chunk. Local.
/// @param largest gets the largest magnitude of an entry of `other`
/// @param chunkEntries of a chunk, if no row has more
template <class SC, class LO, class GO, class NO>
double largestDifference(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix,
                         const Tpetra::CrsMatrix<SC, LO, GO, NO>& other, double& largest,
                         std::size_t chunkEntries = std::size_t(1) << 24) {
  using Local = typename Tpetra::CrsMatrix<SC, LO, GO, NO>::local_matrix_device_type;
  using Space = typename Local::execution_space;
  ComparedRows<Local> rows;
  rows.matrix = localMatrixOf(matrix);
  rows.other = localMatrixOf(other);
  rows.columns = columnsIn<Local>(*other.getColMap(), *matrix.getColMap());
  const auto offsets =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.matrix.graph.row_map);
  const LO count = rows.matrix.numRows();
  double difference = 0;
  for (LO begin = 0, end = 0; begin < count; begin = end) {
    rows.first = offsets(begin);
    do ++end;
    while (end < count && offsets(end + 1) - rows.first <= chunkEntries);
    const std::size_t entries = offsets(end) - rows.first;
    if (rows.met.extent(0) < entries)
      rows.met =
          Kokkos::View<char*, typename Local::device_type>("Trident::comparedEntries", entries);
    Kokkos::deep_copy(rows.met, 0);
    difference = std::max(difference, largestOver<Space, LO>(begin, end, rows));
    difference = std::max(difference,
                          largestOver<Space, std::size_t>(0, entries, UnmetEntries<Local>{rows}));
  }
  const LargestValue<typename Local::values_type> values{rows.other.values};
  largest = largestOver<Space, std::size_t>(0, rows.other.values.extent(0), values);
  return difference;
}

}  // namespace Trident::Impl

#endif
