// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPARERESULTS_HPP
#define TRIDENT_COMPARERESULTS_HPP

#include <Kokkos_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cfloat>
#include <cstddef>

#include "matrix/Trident_Magnitude.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// Returns the distance of two numbers. Infinities of one sign are equal, and so are two NaNs. The
/// distance between a NaN and a number is DBL_MAX.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double distance(const Scalar& x, const Scalar& y) {
  const bool noX = x != x, noY = y != y;
  if (x == y || (noX && noY)) return 0;
  if (noX || noY) return DBL_MAX;
  const double size = static_cast<double>(magnitude(x - y));
  return size < DBL_MAX ? size : DBL_MAX;
}

/// A functor that seeks one matrix's entries in another matrix, row by row, and compares them.
template <class Local>
struct SoughtEntries {
  using Scalar = typename Local::value_type;
  using Index = typename Local::ordinal_type;

  Local sought, among;
  Kokkos::View<Index*, typename Local::device_type>
      columns;  // column of `among` for each column of `sought`; -1 if there is none

  /// Returns the offset in `among` of a column's entry in the row with the entries [begin, end);
  /// `end` if there is none. Bisects if `ordered`, else looks at each entry.
  KOKKOS_INLINE_FUNCTION std::size_t find(Index column, std::size_t begin, std::size_t end,
                                          bool ordered) const {
    const auto& columnsOf = among.graph.entries;
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

  /// Raises `most` to the largest distance in a row between an entry of `sought` and the entry of
  /// `among` in the same column. An entry that `among` lacks counts as 0.
  KOKKOS_INLINE_FUNCTION void operator()(const Index& row, double& most) const {
    const std::size_t begin = among.graph.row_map(row), end = among.graph.row_map(row + 1);
    bool ordered = true;
    for (std::size_t e = begin + 1; e < end; ++e)
      ordered = ordered && among.graph.entries(e - 1) < among.graph.entries(e);
    for (std::size_t e = sought.graph.row_map(row); e < sought.graph.row_map(row + 1); ++e) {
      const Index column = columns(sought.graph.entries(e));
      const std::size_t at = column < 0 ? end : find(column, begin, end, ordered);
      const double far =
          distance<Scalar>(at < end ? among.values(at) : Scalar(0), sought.values(e));
      if (far > most) most = far;
    }
  }
};

/// A functor that finds the largest magnitude of values, without NaNs and infinities.
template <class Values>
struct LargestValue {
  Values values;

  KOKKOS_INLINE_FUNCTION void operator()(const std::size_t& e, double& most) const {
    using Scalar = typename Values::non_const_value_type;
    const double size = distance<Scalar>(values(e), Scalar(0));
    if (size < DBL_MAX && size > most) most = size;
  }
};

/// Returns the largest of 0 and the numbers that a functor finds for 0, 1, ..., count - 1.
template <class Space, class Index, class Functor>
double largestOver(Index count, const Functor& functor) {
  double most = 0;
  Kokkos::parallel_reduce("Trident::compareResults", Kokkos::RangePolicy<Space, Index>(0, count),
                          functor, Kokkos::Max<double>(most));
  return std::max(0.0, most);  // if count is 0, `most` is the lowest double
}

/// Returns the local indices in `into` of the indices of `from`; -1 for those that `into` lacks.
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

/// Returns the largest difference between entries of two fill-complete matrices on this rank. The
/// matrices must have the same row Map. An entry that one matrix lacks counts as zero. Takes memory
/// for one number a column, not for entries. Local.
/// @param largest gets the largest magnitude of an entry of `other`
template <class SC, class LO, class GO, class NO>
double largestDifference(const Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix,
                         const Tpetra::CrsMatrix<SC, LO, GO, NO>& other, double& largest) {
  using Local = typename Tpetra::CrsMatrix<SC, LO, GO, NO>::local_matrix_device_type;
  using Space = typename Local::execution_space;
  const auto largestFrom = [](const auto& sought, const auto& among) {
    const SoughtEntries<Local> entries{localMatrixOf(sought), localMatrixOf(among),
                                       columnsIn<Local>(*sought.getColMap(), *among.getColMap())};
    return largestOver<Space, LO>(entries.sought.numRows(), entries);
  };
  const auto values = localMatrixOf(other).values;
  largest = largestOver<Space, std::size_t>(values.extent(0),
                                            LargestValue<typename Local::values_type>{values});
  return std::max(largestFrom(matrix, other), largestFrom(other, matrix));
}

}  // namespace Trident::Impl

#endif
