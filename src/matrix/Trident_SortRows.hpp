// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SORTROWS_HPP
#define TRIDENT_SORTROWS_HPP

#if __has_include(<KokkosSparse_SortCrs.hpp>)
#include <KokkosSparse_SortCrs.hpp>
#define TRIDENT_SORT_CRS_MATRIX KokkosSparse::sort_crs_matrix
#else
#include <KokkosKernels_SparseUtils.hpp>
#define TRIDENT_SORT_CRS_MATRIX KokkosKernels::Impl::sort_crs_matrix
#endif

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_TwoSequences.hpp"

namespace Trident::Impl {

/// A sorter of rows by column, on a host. The constructor takes all memory, so that sort() never
/// throws in a loop of threads. Short rows are sorted by insertion. Longer rows of a few ascending
/// sequences, such as rows that were put together from parts, are merged. Other rows are sorted by
/// radix, from the lowest digit on, with digits of about log2(length) bits. Such digits often need
/// two passes where KokkosKernels' four-bit digits need five (times: doc/results/decisions.md).
template <class Scalar>
class RowSorter {
 public:
  /// @param longest number of entries of the longest row
  explicit RowSorter(std::size_t longest) {
    if (longest <= shortRow) return;
    columns_.resize(longest);
    values_.resize(longest);
    begin_.resize(2 * longest + 1);  // starts of digit values, at most 2 * longest, and the end
  }

  void sort(int* columns, Scalar* values, std::size_t length) {
    if (length <= shortRow) {
      insertionSort(columns, values, static_cast<int>(length));
      return;
    }
    Sequences sequences;
    if (!sequences.find(columns, length))
      radixSort(columns, values, length);
    else if (sequences.count > 1)
      mergeSequences(columns, values, sequences);
  }

 private:
  static constexpr std::size_t shortRow = 32;

  /// The ascending sequences of which a row consists, if they are few.
  struct Sequences {
    static constexpr int most = 8;
    int count = 1;
    std::array<std::size_t, most + 1> begin{};  // start of each sequence, and the end of the last

    bool find(const int* columns, std::size_t length) {
      for (std::size_t e = 1; e < length; ++e) {
        if (columns[e] >= columns[e - 1]) continue;
        if (count == most) return false;
        begin[count++] = e;
      }
      begin[count] = length;
      return true;
    }
  };

  /// Merges sequences two by two until one is left.
  void mergeSequences(int* columns, Scalar* values, Sequences& sequences) {
    const std::size_t length = sequences.begin[sequences.count];
    int* from = columns;
    Scalar* fromValues = values;
    int* to = columns_.data();
    Scalar* toValues = values_.data();
    while (sequences.count > 1) {
      int merged = 0;
      for (int r = 0; r < sequences.count; r += 2) {
        const std::size_t begin = sequences.begin[r], middle = sequences.begin[r + 1];
        const std::size_t end = r + 1 < sequences.count ? sequences.begin[r + 2] : middle;
        mergeTwo(from, fromValues, begin, middle, end, to, toValues);
        sequences.begin[merged++] = begin;
      }
      sequences.begin[merged] = length;
      sequences.count = merged;
      std::swap(from, to);
      std::swap(fromValues, toValues);
    }
    if (from != columns) {
      std::copy(from, from + length, columns);
      std::copy(fromValues, fromValues + length, values);
    }
  }

  /// Merges [begin, middle) and [middle, end), by a loop without branches that depend on columns.
  static void mergeTwo(const int* from, const Scalar* fromValues, std::size_t begin,
                       std::size_t middle, std::size_t end, int* to, Scalar* toValues) {
    std::size_t a = begin, b = middle, at = begin;
    while (a < middle && b < end) {
      const bool second = from[b] < from[a];
      const std::size_t next = second ? b : a;
      to[at] = from[next];
      toValues[at++] = fromValues[next];
      b += second;
      a += !second;
    }
    std::copy(from + a, from + middle, to + at);
    std::copy(fromValues + a, fromValues + middle, toValues + at);
    at += middle - a;
    std::copy(from + b, from + end, to + at);
    std::copy(fromValues + b, fromValues + end, toValues + at);
  }

  static void insertionSort(int* columns, Scalar* values, int length) {
    for (int e = 1; e < length; ++e) {
      const int column = columns[e];
      const Scalar value = values[e];
      int at = e;
      for (; at > 0 && columns[at - 1] > column; --at) {
        columns[at] = columns[at - 1];
        values[at] = values[at - 1];
      }
      columns[at] = column;
      values[at] = value;
    }
  }

  static int bitsOf(std::size_t n) {
    int bits = 0;
    for (; n; n >>= 1) ++bits;
    return bits;
  }

  void radixSort(int* columns, Scalar* values, std::size_t length) {
    const auto range = std::minmax_element(columns, columns + length);
    const int low = *range.first;
    const int keyBits = bitsOf(static_cast<std::size_t>(*range.second - low));
    const int passes = (keyBits + bitsOf(length) - 1) / bitsOf(length);
    const int digitBits = (keyBits + passes - 1) / passes;
    int* from = columns;
    Scalar* fromValues = values;
    int* to = columns_.data();
    Scalar* toValues = values_.data();
    for (int pass = 0; pass < passes; ++pass) {
      scatter(from, fromValues, to, toValues, length, low, pass * digitBits, digitBits);
      std::swap(from, to);
      std::swap(fromValues, toValues);
    }
    if (from != columns) {
      std::copy(from, from + length, columns);
      std::copy(fromValues, fromValues + length, values);
    }
  }

  /// Sorts entries by one digit of `column - low`. The digit has `digitBits` bits, from bit `shift`
  /// on. Entries with equal digits keep their order.
  void scatter(const int* from, const Scalar* fromValues, int* to, Scalar* toValues,
               std::size_t length, int low, int shift, int digitBits) {
    const unsigned mask = (1u << digitBits) - 1;
    const std::size_t digits = std::size_t(mask) + 1;
    std::fill_n(begin_.begin(), digits + 1, 0u);
    for (std::size_t e = 0; e < length; ++e)
      ++begin_[(static_cast<unsigned>(from[e] - low) >> shift & mask) + 1];
    for (std::size_t d = 1; d <= digits; ++d) begin_[d] += begin_[d - 1];
    for (std::size_t e = 0; e < length; ++e) {
      const std::size_t at = begin_[static_cast<unsigned>(from[e] - low) >> shift & mask]++;
      to[at] = from[e];
      toValues[at] = fromValues[e];
    }
  }

  std::vector<int> columns_;
  std::vector<Scalar> values_;
  std::vector<unsigned> begin_;
};

/// Returns true if KokkosKernels' sort would take too long. That sort takes n·log²n steps for a
/// row, by one team. Teams are sized for rows of mean length, so a much longer row is slow.
template <class Scalar, class Device>
bool hasRowTooLong(const LocalMatrix<Scalar, Device>& matrix) {
  const long long longest = longestRow<Device>(matrix.graph.row_map);
  const long long mean = static_cast<long long>(matrix.nnz()) / matrix.numRows() + 1;
  return longest > 16384 || (longest > 1024 && longest / 32 > mean);
}

/// Kernel that counts descents: entries whose column is not above the column of the entry before. A
/// functor, because hosts run this kernel in builds for CUDA, too (TRIDENT_LAMBDA).
template <class Columns>
struct Descents {
  Columns columns;

  KOKKOS_INLINE_FUNCTION void operator()(long long e, long long& sum) const {
    sum += columns(e - 1) >= columns(e);
  }
};

/// Kernel that counts descents from the last entry of a row to the first of the next non-empty row.
template <class Offsets, class Columns>
struct DescentsBetweenRows {
  Offsets offsets;
  Descents<Columns> descents;
  long long rows;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& sum) const {
    const std::size_t e = offsets(r);
    if (e > offsets(0) && e < offsets(rows) && e < offsets(r + 1)) descents(e, sum);
  }
};

/// Returns true if columns ascend strictly in every row. Local.
template <class Scalar, class Device>
bool rowsAscend(const LocalMatrix<Scalar, Device>& matrix) {
  using Matrix = LocalMatrix<Scalar, Device>;
  using Columns = typename Matrix::index_type;
  const long long rows = matrix.numRows();
  const Descents<Columns> descents{matrix.graph.entries};
  long long all = 0, betweenRows = 0;
  Kokkos::parallel_reduce("Trident::descents", afterFirst<Device>(matrix.nnz()), descents, all);
  Kokkos::parallel_reduce("Trident::descentsBetweenRows", afterFirst<Device>(rows),
                          DescentsBetweenRows<typename Matrix::row_map_type, Columns>{
                              matrix.graph.row_map, descents, rows},
                          betweenRows);
  return all == betweenRows;
}

/// Ways to sort rows on devices. Auto chooses a fast way. On hosts all ways are the same.
enum class SortMethod { Auto, KokkosKernels, Segmented };

/// Sorts the rows of a matrix by column, in place. Local.
template <class Scalar, class Device>
void sortRows(const LocalMatrix<Scalar, Device>& matrix, SortMethod how = SortMethod::Auto) {
  if (matrix.nnz() == 0) return;
  if constexpr (isHost<Device>) {
    const HostWorkspaces<RowSorter<Scalar>, Device> sorters(
        longestRow<Device>(matrix.graph.row_map));
    Kokkos::parallel_for("Trident::sortRows", Range<Device>(0, matrix.numRows()), [=](long long r) {
      const std::size_t begin = matrix.graph.row_map(r), end = matrix.graph.row_map(r + 1);
      sorters.use([&](RowSorter<Scalar>& sorter) {
        sorter.sort(matrix.graph.entries.data() + begin, matrix.values.data() + begin, end - begin);
      });
    });
  } else {
    if (how == SortMethod::Auto) {
      const AscendingSequences<Scalar, Device> sequences(matrix);
      if (sequences.ascend()) return;
      if (sequences.areTwo() && matrix.nnz() * (sizeof(int) + sizeof(Scalar)) <= roomForCopy)
        return sequences.merge();
    }
    const bool can = isCuda<Device> && hasSegmentedSort(sizeof(Scalar));
    if (how == SortMethod::Segmented || (how == SortMethod::Auto && can && hasRowTooLong(matrix)))
      sortSegments({matrix.numRows(), matrix.nnz(), matrix.graph.row_map.data(),
                    matrix.graph.entries.data(), matrix.values.data(), sizeof(Scalar)});
    else
      TRIDENT_SORT_CRS_MATRIX(matrix);
  }
}

}  // namespace Trident::Impl

#undef TRIDENT_SORT_CRS_MATRIX

#endif
