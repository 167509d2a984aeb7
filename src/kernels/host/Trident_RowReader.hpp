// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWREADER_HPP
#define TRIDENT_ROWREADER_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/host/Trident_HostCsr.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {

/// The left factor of a product on a host: its stored rows, and how they are read. It has plain
/// pointers for inner loops, where Views cost time. It has the members of RowReading. A pointer is
/// null where that has an empty View.
template <class Scalar>
struct LeftRows {
  HostCsr<Scalar> stored;
  const int* columns = nullptr;
  const char* plain = nullptr;  ///< null: rows are read as they are
  const Scalar* inverse = nullptr;
  const std::size_t* diagonal = nullptr;
  Scalar minusOmega = {};

  /// @param reading null: rows are read as they are
  template <class Device>
  LeftRows(const LocalMatrix<Scalar, Device>& A, const RowReading<Scalar, Device>* reading)
      : stored(A) {
    if (!reading) return;
    if (reading->columns.extent(0) > 0) columns = reading->columns.data();
    plain = reading->plain.data();
    if (reading->inverse.extent(0) > 0) inverse = reading->inverse.data();
    diagonal = reading->diagonal.data();
    minusOmega = reading->minusOmega;
  }

  int column(std::size_t e) const {
    return columns ? columns[stored.columns[e]] : stored.columns[e];
  }
};

/// Returns the right factor as plain rows meet it: its row k is that of column k.
/// @param tile which all rows meet, where no reading is given
template <class Scalar, class Device>
HostCsr<Scalar> rightOfPlainRows(const LocalMatrix<Scalar, Device>& tile, PrefetchPolicy prefetch,
                                 const RowReading<Scalar, Device>* reading) {
  if (!reading) return HostCsr<Scalar>(tile);
  HostCsr<Scalar> right(reading->right);
  if (prefetch ==
      PrefetchPolicy::SingleEntryRows) {  // row k's offset is k, also of those from firstMet on
    right.columns += reading->firstMet;
    right.values += reading->firstMet;
  } else {
    right.offsets += reading->firstMet;
  }
  return right;
}

/// A row of the left factor, and the right factor for the columns that it has.
template <class Scalar>
struct RowOf {
  const HostCsr<Scalar>& A;
  long long row;
  const HostCsr<Scalar>& B;
  bool meetsTile = true;  ///< else the rows that plain rows meet
};

/// Reads rows of a left factor by its RowReading, some successive ones at a time. Plain rows, whose
/// columns ascend and are own ones, are not copied: the right factor is shifted instead. What is
/// copied stays in cache. For one thread; takes no memory after it was made.
template <class Scalar>
class RowReader {
 public:
  /// @param tile the right factor; @param right as rightOfPlainRows() gives it
  /// @param rows of A; @param longest entries of the longest of them
  /// @param atOnce entries that are read at a time, where rows are asked for in their order; 0: one
  ///   row at a time
  RowReader(const LeftRows<Scalar>& A, const HostCsr<Scalar>& tile, const HostCsr<Scalar>& right,
            long long rows, std::size_t longest, std::size_t atOnce)
      : A_(A),
        tile_(tile),
        right_(right),
        rows_(rows),
        atOnce_(atOnce),
        room_(std::max({longest, atOnce, atOnce > 0 ? std::min(8 * longest, 8 * atOnce) : 0})),
        mostRows_(atOnce > 0 ? static_cast<long long>(atOnce) : 1),
        offsets_(mostRows_ + 1),
        columns_(room_),
        values_(new Scalar[room_]),
        sorter_(longest),
        matrix_(A.stored) {}

  /// Returns row r, which stands until the next call.
  RowOf<Scalar> row(long long r) {
    if (r < first_ || r >= end_) readFrom(r);
    const bool plain = isPlain(first_);
    return {matrix_, r - base_, plain ? right_ : tile_, !plain};
  }
  /// Reads rows r to r + count - 1, which have the same columns, so that row(r) stands before the
  /// others. Returns false if there is no room for so many.
  bool readTogether(long long r, long long count) {
    if (r < first_ || r + count > end_) readFrom(r, count);
    // Plain rows lie where they are stored, also those that are not asked for.
    return r + count <= end_ || (isPlain(r) && !A_.inverse);
  }

 private:
  bool isPlain(long long r) const { return A_.plain[r] != 0; }
  std::size_t length(long long r) const { return A_.stored.length(r); }
  const int* storedColumns(long long r) const { return A_.stored.columns + A_.stored.offsets[r]; }

  /// Reads row r, and what follows of its kind.
  /// @param wanted rows that are read at least, as far as there is room
  void readFrom(long long r, long long wanted = 1) {
    first_ = end_ = r;
    if (isPlain(r) && !A_.inverse)
      takePlainRows();
    else
      copyRows(wanted);
  }

  void takePlainRows() {
    const std::size_t end = A_.stored.offsets[first_] + atOnce_;
    do {
      ++end_;
    } while (end_ < rows_ && A_.stored.offsets[end_ + 1] <= end && isPlain(end_));
    base_ = 0;
    matrix_ = A_.stored;
    matrix_.entries = A_.stored.offsets[end_];  // the columns behind may be others
  }

  void copyRows(long long wanted) {
    base_ = first_;
    const bool plain = isPlain(first_);
    std::size_t used = 0;
    do {
      readValues(end_, values_.get() + used);
      if (!plain) readColumns(end_, used);
      used += length(end_++);
      offsets_[end_ - first_] = used;
    } while (end_ < rows_ && end_ - first_ < mostRows_ &&
             used + length(end_) <= (end_ - first_ < wanted ? room_ : std::max(atOnce_, used)) &&
             isPlain(end_) == plain);
    matrix_ = {offsets_.data(), plain ? storedColumns(first_) : columns_.data(), values_.get(),
               used};
  }

  void readValues(long long r, Scalar* to) const {
    const std::size_t begin = A_.stored.offsets[r], count = length(r);
    const Scalar* const from = A_.stored.values + begin;
    if (!A_.inverse) {
      std::copy_n(from, count, to);
    } else if constexpr (!sumsAreWider<Scalar>) {
      const Scalar factor = A_.minusOmega * A_.inverse[r];
      for (std::size_t e = 0; e < count; ++e) to[e] = factor * from[e];
      to[A_.diagonal[r] - begin] += Scalar(1);
    }
  }

  /// Reads the columns of row r to where `at` entries are before them, and puts them in order.
  void readColumns(long long r, std::size_t at) {
    const std::size_t begin = A_.stored.offsets[r], count = length(r);
    int* const to = columns_.data() + at;
    for (std::size_t e = 0; e < count; ++e) to[e] = A_.column(begin + e);
    sorter_.sort(to, values_.get() + at, count);
  }

  const LeftRows<Scalar> A_;
  const HostCsr<Scalar> tile_, right_;  // what rows meet; plain ones
  const long long rows_;
  const std::size_t atOnce_, room_;  // entries
  const long long mostRows_;
  std::vector<std::size_t> offsets_;
  std::vector<int> columns_;
  std::unique_ptr<Scalar[]> values_;
  RowSorter<Scalar> sorter_;
  // Rows [first, end) are here; row r is row r - base of the matrix.
  long long first_ = 0, end_ = 0, base_ = 0;
  HostCsr<Scalar> matrix_;
};

/// Entries of a left factor that are read at a time: with the columns that they meet they stay in a
/// core's nearest cache.
constexpr std::size_t entriesAtOnce = 512;

/// The left factor of a product on a host, and what its rows meet, for threads that go through
/// them.
template <class Scalar, class Device>
class RowsToRead {
 public:
  /// @param tile the right factor
  /// @param reading of A's rows; null: as they are stored
  RowsToRead(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& tile,
             PrefetchPolicy prefetch, const RowReading<Scalar, Device>* reading)
      : A_(A, reading),
        tile_(tile),
        right_(rightOfPlainRows(tile, prefetch, reading)),
        rows_(A.numRows()) {
    if (!reading) return;
    longest_ = longestRow<Device>(A.graph.row_map);
    readers_.emplace(A_, tile_, right_, rows_, longest_, entriesAtOnce);
  }

  std::size_t length(long long r) const { return A_.stored.length(r); }
  /// Returns the multiply-adds of row r.
  std::size_t multiplyAdds(long long r) const {
    if (!readers_) return multiplyAddsOfRow(A_.stored, tile_, r);
    if (A_.plain[r]) return multiplyAddsOfRow(A_.stored, right_, r);
    std::size_t multiplyAdds = 0;
    for (std::size_t e = A_.stored.offsets[r]; e < A_.stored.offsets[r + 1]; ++e)
      multiplyAdds += tile_.length(A_.column(e));
    return multiplyAdds;
  }
  const HostCsr<Scalar>& stored() const { return A_.stored; }

  /// Runs work(row), with what row r is read as.
  template <class Work>
  void withRow(long long r, const Work& work) const {
    if (!readers_) return work(RowOf<Scalar>{A_.stored, r, tile_});
    readers_->use([&](RowReader<Scalar>& reader) { work(reader.row(r)); });
  }
  /// Runs work(row) for the first of `count` rows that have the same columns; the others stand
  /// behind it. Returns false, and does nothing, if they are more than are read at a time.
  template <class Work>
  bool withRows(long long r, int count, const Work& work) const {
    if (!readers_) {
      work(RowOf<Scalar>{A_.stored, r, tile_});
      return true;
    }
    bool holds = false;
    readers_->use([&](RowReader<Scalar>& reader) {
      holds = reader.readTogether(r, count);
      if (holds) work(reader.row(r));
    });
    return holds;
  }
  /// Returns the reader of the only thread, where there is one; null: rows are as stored.
  RowReader<Scalar>* onlyReader() const { return readers_ ? &readers_->only() : nullptr; }
  /// Makes a reader for some of the rows; none where they are as stored.
  std::unique_ptr<RowReader<Scalar>> readerOfSome() const {
    if (!readers_) return nullptr;
    return std::make_unique<RowReader<Scalar>>(A_, tile_, right_, rows_, longest_, std::size_t(0));
  }

 private:
  LeftRows<Scalar> A_;
  HostCsr<Scalar> tile_, right_;
  long long rows_;
  std::size_t longest_ = 0;
  std::optional<HostWorkspaces<RowReader<Scalar>, Device>> readers_;
};

}  // namespace Trident::Impl

#endif
