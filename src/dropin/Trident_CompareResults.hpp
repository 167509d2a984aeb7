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
/// distance of a NaN from a number is the largest.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double distance(const Scalar& x, const Scalar& y) {
  const bool noX = x != x, noY = y != y;
  if (x == y || (noX && noY)) return 0;
  if (noX || noY) return DBL_MAX;
  const double size = static_cast<double>(magnitude(x - y));
  return size < DBL_MAX ? size : DBL_MAX;
}

/// The entries of one matrix, sought in another, in the place where their rows lie.
template <class Local>
struct SoughtEntries {
  using Scalar = typename Local::value_type;
  using Index = typename Local::ordinal_type;

  Local sought, among;
  Kokkos::View<Index*, typename Local::device_type>
      columns;  // place of each column of `sought` in `among`; -1: not there

  /// Returns the place of a column in a row of `among`, or `end` if it is not there. Bisects if
  /// the row is sorted, else looks at each entry.
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

  /// Compares the entries of a row. One that `among` lacks is compared with zero.
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

/// Returns the largest result of a functor, called with 0, 1, ...
template <class Space, class Index, class Functor>
double largestOver(Index count, const Functor& functor) {
  double most = 0;
  Kokkos::parallel_reduce("Trident::compareResults", Kokkos::RangePolicy<Space, Index>(0, count),
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
/// rank. An entry that only one has is compared with zero. The rows are compared where they lie;
/// that takes a number for each column. Local.
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
