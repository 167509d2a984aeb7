// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_THINROWS_HPP
#define TRIDENT_THINROWS_HPP

#include <cmath>
#include <cstddef>
#include <limits>

#include "markov/Trident_RowMarks.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// A functor that draws about `most` entries of each marked row. A row of at most `most` entries
/// stays whole. Of a longer row, at most `mostRead` entries are read, and their magnitudes are
/// added up in order. The sum is cut into `most` equal steps. An entry is drawn if adding it takes
/// the partial sum past the middle of a step. So an entry that is read and as large as a step is
/// always drawn. Drawn entries also stand for light entries near them: drawn values sum to about
/// the sum of the row. For kernels.
template <class Scalar, class Device>
struct DrawEntries {
  LocalMatrix<Scalar, Device> from;
  RowMarks<Device> marks;
  int most;
  /// Limit of the entries of a row that are read. Of a longer row, only every n-th entry is read,
  /// because one thread reads the row.
  static constexpr std::size_t mostRead = 4096;

  /// Calls take(entry, value) for each drawn entry of row r.
  template <class Take>
  KOKKOS_INLINE_FUNCTION void operator()(long long r, const Take& take) const {
    if (!isMarked(marks, r)) return;
    const std::size_t begin = from.graph.row_map(r), end = from.graph.row_map(r + 1);
    if (end - begin <= static_cast<std::size_t>(most)) {
      for (std::size_t e = begin; e < end; ++e) take(e, static_cast<double>(from.values(e)));
      return;
    }
    const std::size_t stride = (end - begin + mostRead - 1) / mostRead;
    double sum = 0;
    for (std::size_t e = begin; e < end; e += stride) sum += ::fabs(valueAt(e));
    if (!(sum > 0)) return;
    const double step = sum / most;
    double before = 0;
    for (std::size_t e = begin; e < end; e += stride) {
      const double value = valueAt(e), after = before + ::fabs(value);
      const double times = ::floor(after / step + 0.5) - ::floor(before / step + 0.5);
      const double drawn = times * step * static_cast<double>(stride);
      if (times > 0) take(e, value < 0 ? -drawn : drawn);
      before = after;
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION double valueAt(std::size_t e) const {
    return static_cast<double>(from.values(e));
  }
};

template <class Scalar, class Device>
struct CountDrawn {
  DrawEntries<Scalar, Device> draw;
  Kokkos::View<std::size_t*, Device> counts;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    std::size_t count = 0;
    draw(r, [&](std::size_t, double) { ++count; });
    counts(r) = count;
  }
};
template <class Scalar, class Device>
struct WriteDrawn {
  DrawEntries<Scalar, Device> draw;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    std::size_t at = to.offsets(r);
    draw(r, [&](std::size_t e, double value) {
      to.columns(at) = draw.from.graph.entries(e);
      to.values(at++) = Scalar(value);
    });
  }
};

/// Returns the number of entries in a rank's marked rows. Local.
/// @param most bound for each row: of a longer row, only `most` entries are counted
template <class Scalar, class Device>
long long countMarkedEntries(const LocalMatrix<Scalar, Device>& matrix,
                             const RowMarks<Device>& marks,
                             int most = std::numeric_limits<int>::max()) {
  long long entries = 0;
  Kokkos::parallel_reduce(
      "Trident::countMarkedEntries", Range<Device>(0, matrix.numRows()),
      TRIDENT_LAMBDA(long long r, long long& sum) {
        if (!isMarked(marks, r)) return;
        const auto length =
            static_cast<long long>(matrix.graph.row_map(r + 1) - matrix.graph.row_map(r));
        sum += length < most ? length : most;
      },
      entries);
  return entries;
}

/// Returns a rank's part of a matrix with only a few entries of each marked row (DrawEntries).
/// Other rows are empty. Local; waits for its kernels.
/// @param most approximate bound of a marked row's entries
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> thinRows(const LocalMatrix<Scalar, Device>& matrix,
                                     const RowMarks<Device>& marks, int most) {
  // If no row is thinned, markedRows() is faster, as several threads may copy one long row.
  if (countMarkedEntries(matrix, marks, most) == countMarkedEntries(matrix, marks))
    return markedRows(matrix, marks);
  const DrawEntries<Scalar, Device> draw{matrix, marks, most};
  const Range<Device> rows(0, matrix.numRows());
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", matrix.numRows() + 1);
  Kokkos::parallel_for("Trident::countDrawn", rows, CountDrawn<Scalar, Device>{draw, counts});
  const auto to = arraysForCounts<Scalar, Device>(counts);
  Kokkos::parallel_for("Trident::writeDrawn", rows, WriteDrawn<Scalar, Device>{draw, to});
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

/// Returns the sum of the squares of the lengths of a rank's rows. If the matrix is symmetric and
/// its rows are whole, this sum is the multiply-adds of the matrix times itself. Local.
template <class Scalar, class Device>
double squaresOfLengths(const LocalMatrix<Scalar, Device>& matrix) {
  double squares = 0;
  Kokkos::parallel_reduce(
      "Trident::squaresOfLengths", Range<Device>(0, matrix.numRows()),
      TRIDENT_LAMBDA(long long r, double& sum) {
        const auto length =
            static_cast<double>(matrix.graph.row_map(r + 1) - matrix.graph.row_map(r));
        sum += length * length;
      },
      squares);
  return squares;
}

}  // namespace Trident::Impl

#endif
