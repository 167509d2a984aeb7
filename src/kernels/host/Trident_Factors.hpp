// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORS_HPP
#define TRIDENT_FACTORS_HPP

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

/// The factors of a product on a host, and the rules by which rows of the left factor are read
/// (RowReading). Has plain pointers, because Views cost time in inner loops. The members from
/// firstMet on are copied from the RowReading. A null pointer stands for an empty View.
template <class Scalar>
struct Factors {
  HostCsr<Scalar> left;   ///< the left factor as it is stored
  HostCsr<Scalar> tile;   ///< the right factor
  HostCsr<Scalar> own;    ///< RowReading::right, which plain rows meet; without a reading, `tile`
  HostCsr<Scalar> right;  ///< `own`, shifted so that column k of a plain row meets row k
  bool singleEntries;     ///< true if each row of `own` and of `tile` has exactly one entry
  int firstMet = 0;
  const int* columns = nullptr;
  const char* plain = nullptr;  ///< true for each plain row; null without a reading
  const char* zeros = nullptr;
  const Scalar* inverse = nullptr;
  const std::size_t* diagonal = nullptr;
  Scalar minusOmega = {};

  /// @param reading rules for reading A's rows; null: rows are read as they are stored
  template <class Device>
  Factors(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
          const RowReading<Scalar, Device>* reading = nullptr)
      : left(A),
        tile(B),
        own(reading ? reading->right : B),
        right(own),
        singleEntries(haveOneEntry(own) && haveOneEntry(tile)) {
    if (!reading) return;
    firstMet = reading->firstMet;
    if (reading->columns.extent(0) > 0) columns = reading->columns.data();
    plain = reading->plain.data();
    if (reading->zeros.extent(0) > 0) zeros = reading->zeros.data();
    if (reading->inverse.extent(0) > 0) inverse = reading->inverse.data();
    diagonal = reading->diagonal.data();
    minusOmega = reading->minusOmega;
    if (singleEntries) {  // loops read no offsets, so entries are shifted
      right.columns += firstMet;
      right.values += firstMet;
    } else {
      right.offsets += firstMet;
    }
  }

  int column(std::size_t e) const { return columns ? columns[left.columns[e]] : left.columns[e]; }
  /// Returns true if row r stores zeros that are passed over.
  bool hasZeros(long long r) const { return zeros && zeros[r]; }
  /// Returns true if a product uses entry e of row r. The row must have zeros (hasZeros()).
  bool keeps(long long r, std::size_t e) const {
    return !(left.values[e] == Scalar(0)) || (inverse && diagonal[r] == e);
  }
  /// Returns the multiply-adds of row r.
  std::size_t multiplyAdds(long long r) const {
    if (hasZeros(r)) return multiplyAddsBesideZeros(r);
    if (singleEntries) return left.length(r);
    if (!plain) return multiplyAddsOfRow(left, tile, r);
    if (plain[r]) return multiplyAddsOfRow(left, right, r);
    std::size_t multiplyAdds = 0;
    for (std::size_t e = left.offsets[r]; e < left.offsets[r + 1]; ++e)
      multiplyAdds += tile.length(column(e));
    return multiplyAdds;
  }

 private:
  std::size_t multiplyAddsBesideZeros(long long r) const {
    std::size_t multiplyAdds = 0;
    for (std::size_t e = left.offsets[r]; e < left.offsets[r + 1]; ++e)
      if (keeps(r, e))
        multiplyAdds += singleEntries ? 1
                        : plain[r]    ? right.length(left.columns[e])
                                      : tile.length(column(e));
    return multiplyAdds;
  }
};

/// One row or several successive rows of the left factor A, and the right factor B that they meet.
template <class Scalar>
struct Terms {
  const HostCsr<Scalar>& A;
  long long row;  ///< first row
  const HostCsr<Scalar>& B;
  bool meetsTile = true;                 ///< true: B is Factors::tile; false: Factors::right
  int rows = 1;                          ///< number of rows; 0: each row must be formed alone
  const unsigned char* alike = nullptr;  ///< numbers of alike rows of B (AlikeRows); null: none
  // Only BlockPadder sets the following members.
  std::size_t apart = 0;  ///< distance between the first values of successive rows; 0: length()
  const unsigned char* partial = nullptr;  ///< marks of partial columns (BlockPadder); null: none

  std::size_t length() const { return A.length(row); }
};

/// Number of entries of a left factor to read at a time. This many stay in a core's nearest cache.
constexpr std::size_t entriesAtOnce = 512;

/// A reader of a left factor's rows by the rules of a RowReading. Reads a few successive rows at a
/// time, so that their copies stay in cache. Reads a plain row in place if its values stay as
/// stored and if it has no zeros to pass over. For one thread. Takes memory only when it is made.
template <class Scalar>
class RowReader {
 public:
  /// @param longest number of entries in the left factor's longest row
  RowReader(const Factors<Scalar>& factors, std::size_t longest)
      : of_(factors),
        room_(std::max({longest, entriesAtOnce, 8 * std::min(longest, entriesAtOnce)})),
        offsets_(entriesAtOnce + 1),
        columns_(room_),
        values_(new Scalar[room_]),
        sorter_(longest),
        matrix_(factors.left) {}

  /// Returns rows r to r + count - 1 of a block, which are valid until the next call. The result
  /// has 0 rows if the reader has no room for all of these rows.
  /// @param atOnce number of entries to read ahead for later calls
  Terms<Scalar> rows(long long r, int count, std::size_t atOnce) {
    if (r < first_ || r + count > end_) readFrom(r, count, atOnce);
    const bool plain = isPlain(first_), here = count == 1 || r + count <= end_;
    return {matrix_, r - base_, plain ? of_.right : of_.tile, !plain, here ? count : 0};
  }

 private:
  bool isPlain(long long r) const { return of_.plain[r] != 0; }
  bool isAsStored(long long r) const { return isPlain(r) && !of_.inverse && !of_.hasZeros(r); }

  /// Reads row r and rows after it, either all in place or all as copies. Reads `wanted` rows, or
  /// as many as fit. Then reads more rows, up to `atOnce` entries in all.
  void readFrom(long long r, long long wanted, std::size_t atOnce) {
    first_ = end_ = r;
    bool asStored = true;
    for (long long q = r; q < r + wanted; ++q) asStored &= isAsStored(q);
    if (asStored)
      takeRows(wanted, atOnce);
    else
      copyRows(wanted, atOnce);
  }

  void takeRows(long long wanted, std::size_t atOnce) {
    const std::size_t end = of_.left.offsets[first_] + atOnce;
    do {
      ++end_;
    } while (end_ < of_.left.rows &&
             (end_ - first_ < wanted || of_.left.offsets[end_ + 1] <= end) && isAsStored(end_));
    base_ = 0;
    matrix_ = of_.left;
    matrix_.entries = of_.left.offsets[end_];  // stops prefetches: later rows may meet another B
  }

  void copyRows(long long wanted, std::size_t atOnce) {
    const long long most = static_cast<long long>(offsets_.size()) - 1;
    base_ = first_;
    const bool plain = isPlain(first_);
    std::size_t used = 0;
    do {
      readValues(end_, values_.get() + used);
      used += readColumns(end_++, used, plain);
      offsets_[end_ - first_] = used;
    } while (end_ < of_.left.rows && end_ - first_ < most &&
             used + of_.left.length(end_) <=
                 (end_ - first_ < wanted ? room_ : std::max(atOnce, used)) &&
             isPlain(end_) == plain && (end_ - first_ < wanted || !isAsStored(end_)));
    const bool theirs = plain && !of_.zeros;
    matrix_ = {offsets_.data(),
               theirs ? of_.left.columns + of_.left.offsets[first_] : columns_.data(),
               values_.get(), used, end_ - first_};
  }

  void readValues(long long r, Scalar* to) const {
    const std::size_t begin = of_.left.offsets[r], count = of_.left.length(r);
    const Scalar* const from = of_.left.values + begin;
    if (!of_.inverse) {
      std::copy_n(from, count, to);
    } else if constexpr (!sumsAreWider<Scalar>) {
      const Scalar factor = of_.minusOmega * of_.inverse[r];
      for (std::size_t e = 0; e < count; ++e) to[e] = factor * from[e];
      to[of_.diagonal[r] - begin] += Scalar(1);
    }
  }

  /// Copies the columns of row r to columns_[at] and after, removes zeros and sorts. Returns the
  /// number of entries left. If no row has zeros, does not copy a plain row's columns.
  std::size_t readColumns(long long r, std::size_t at, bool plain) {
    const std::size_t begin = of_.left.offsets[r];
    std::size_t count = of_.left.length(r);
    if (plain && !of_.zeros) return count;
    int* const to = columns_.data() + at;
    if (plain)
      std::copy_n(of_.left.columns + begin, count, to);
    else
      for (std::size_t e = 0; e < count; ++e) to[e] = of_.column(begin + e);
    if (of_.hasZeros(r)) count = passZeros(r, to, values_.get() + at);
    if (!plain) sorter_.sort(to, values_.get() + at, count);
    return count;
  }

  /// Removes zeros from the copied entries of row r. Returns the number of entries left.
  std::size_t passZeros(long long r, int* columns, Scalar* values) const {
    const std::size_t begin = of_.left.offsets[r], end = of_.left.offsets[r + 1];
    if (of_.inverse && of_.left.values[of_.diagonal[r]] == Scalar(0))
      values[of_.diagonal[r] - begin] = Scalar(1);  // 1 instead of a NaN, if D⁻¹ is infinite
    std::size_t kept = 0;
    for (std::size_t e = begin; e < end; ++e) {
      columns[kept] = columns[e - begin];
      values[kept] = values[e - begin];
      kept += of_.keeps(r, e);
    }
    return kept;
  }

  const Factors<Scalar> of_;
  const std::size_t room_;  // number of entries that fit into columns_ and values_
  std::vector<std::size_t> offsets_;
  std::vector<int> columns_;
  std::unique_ptr<Scalar[]> values_;
  RowSorter<Scalar> sorter_;
  // matrix_ has the rows [first_, end_). Row r is row r - base_ of matrix_.
  long long first_ = 0, end_ = 0, base_ = 0;
  HostCsr<Scalar> matrix_;
};

/// The factors of a product on a host, for threads that go through the left factor's rows.
template <class Scalar, class Device>
class HostFactors : public Factors<Scalar> {
 public:
  /// @param reading rules for reading A's rows; null: rows are read as they are stored
  HostFactors(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
              const RowReading<Scalar, Device>* reading)
      : Factors<Scalar>(A, B, reading) {
    if (!reading) return;
    readers_.emplace(*this, static_cast<std::size_t>(longestRow<Device>(A.graph.row_map)));
  }

  /// Runs work(terms) for the `count` rows of a block, and returns true. Returns false, and runs
  /// nothing, if the rows are too many for one read. A single row is never too many.
  template <class Work>
  bool withRows(long long r, int count, const Work& work) const {
    if (!readers_) {
      work(Terms<Scalar>{this->left, r, this->tile, true, count});
      return true;
    }
    bool found = false;
    readers_->use([&](RowReader<Scalar>& reader) {
      const Terms<Scalar> terms = reader.rows(r, count, entriesAtOnce);
      found = terms.rows > 0;
      if (found) work(terms);
    });
    return found;
  }
  /// Runs work(r, terms) for single rows r, r + 1, ... before `end`, while it returns true. Returns
  /// the first row for which it did not, else `end`. Much faster for short rows than withRows().
  template <class Work>
  long long forRowsWhile(long long r, long long end, const Work& work) const {
    if (readers_) {
      readers_->use([&](RowReader<Scalar>& reader) {
        while (r < end && work(r, reader.rows(r, 1, entriesAtOnce))) ++r;
      });
      return r;
    }
    Terms<Scalar> row{this->left, r, this->tile};
    while (row.row < end && work(row.row, row)) ++row.row;
    return row.row;
  }
  /// Returns row r, valid until the next call. Not for kernels, because all calls use one reader.
  Terms<Scalar> row(long long r) const {
    if (readers_) return readers_->only().rows(r, 1, 0);
    return {this->left, r, this->tile};
  }

 private:
  std::optional<HostWorkspaces<RowReader<Scalar>, Device>> readers_;
};

}  // namespace Trident::Impl

#endif
