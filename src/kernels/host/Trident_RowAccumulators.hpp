// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWACCUMULATORS_HPP
#define TRIDENT_ROWACCUMULATORS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Semiring.hpp"

// Three ways to add up a row of a product: add() takes a column and a product of two entries, and
// take() writes the row, columns ascending. Which of them suits a row is RowFormer's choice. All
// are for hosts, and for one thread.

namespace Trident::Impl {

/// The marks of the columns of a row that have an entry. They are bits; the words of bits are
/// marked in bits, and those again. So a row is read in the order of its columns at the cost of its
/// entries, and nothing sorts it.
class ColumnMarks {
 public:
  explicit ColumnMarks(int columns)
      : words_(words(columns)), lines_(words(words_.size())), pages_(words(lines_.size())) {}

  /// Marks a column; returns true if it was marked before. Entries are counted when they are read.
  /// Always inlined: a call for each column takes a block's sums half as long again.
  __attribute__((always_inline)) bool testAndSet(int column) {
    const unsigned place = static_cast<unsigned>(column);
    Word& word = words_[place / bits];
    const Word bit = Word(1) << (place % bits);
    if (__builtin_expect((word & bit) != 0, 1)) return true;
    if (word == 0) markWord(place / bits);
    word |= bit;
    return false;
  }
  bool test(int column) const {
    const unsigned place = static_cast<unsigned>(column);
    return words_[place / bits] >> (place % bits) & 1;
  }
  /// Marks a column, and branches only on whether its word had none.
  void set(int column) {
    const unsigned place = static_cast<unsigned>(column);
    Word& word = words_[place / bits];
    if (__builtin_expect(word == 0, 0)) markWord(place / bits);
    word |= Word(1) << (place % bits);
  }

  /// Returns true if all of the first `columns` columns are marked. It looks on where it stopped
  /// the last time, so that asking often costs little.
  bool haveAll(int columns) {
    const unsigned whole = static_cast<unsigned>(columns) / bits, rest = columns % bits;
    while (known_ < whole && words_[known_] == ~Word(0)) ++known_;
    return known_ == whole && (rest == 0 || words_[whole] == (Word(1) << rest) - 1);
  }

  struct Taken {
    std::size_t entries, words;  ///< words of 64 columns that the entries lie in
  };

  /// Runs visit(entry, column) for the columns, ascending, and forgets them.
  template <class Visit>
  Taken take(Visit&& visit) {
    std::size_t entries = 0, words = 0;
    forWords([&](int first, Word word) {
      ++words;
      for (; word; word &= word - 1) visit(entries++, first + lowestBit(word));
    });
    return {entries, words};
  }
  /// Counts the columns; costs as much as to read them.
  std::size_t count() {
    std::size_t count = 0;
    forWords([&](int first, Word word) {
      count += popcount(word);
      markWord(first / bits);  // which forWords() forgot
      words_[first / bits] = word;
    });
    return count;
  }

 private:
  static constexpr unsigned bits = 64;
  static std::size_t words(std::size_t count) { return count / bits + 1; }
  static int lowestBit(Word word) { return __builtin_ctzll(word); }

  __attribute__((always_inline)) void markWord(unsigned word) {
    Word& line = lines_[word / bits];
    if (line == 0) pages_[word / bits / bits] |= Word(1) << (word / bits % bits);
    line |= Word(1) << (word % bits);
  }

  /// Runs visit(its first column, word) for the words that have bits, in order, and clears them.
  template <class Visit>
  void forWords(Visit&& visit) {
    known_ = 0;
    for (std::size_t p = 0; p < pages_.size(); ++p)
      for (Word page = taken(pages_[p]); page; page &= page - 1) {
        const unsigned l = static_cast<unsigned>(p) * bits + lowestBit(page);
        for (Word line = taken(lines_[l]); line; line &= line - 1) {
          const unsigned w = l * bits + lowestBit(line);
          visit(static_cast<int>(w * bits), taken(words_[w]));
        }
      }
  }
  static Word taken(Word& word) {
    const Word was = word;
    word = 0;
    return was;
  }

  std::vector<Word> words_, lines_, pages_;  // 64, 64², 64³ columns
  unsigned known_ = 0;                       // words that have all bits, for haveAll()
};

/// A row of sums, one for each column of a tile. On hosts, for one thread.
///
/// add() branches on whether a column has one: where B's columns are consecutive that is mostly
/// foreseen. If columns come in no order that repeats, it is not, and sums without a branch are
/// faster. They are slower if neighbours follow each other: each has to wait for the word of marks
/// that the one before has written.
///
/// Sums begin with the semiring's zero, so that none is a negative zero.
template <class Scalar, class Semiring = PlusTimes<Scalar>, bool branchless = false>
class ColumnSums {
  using Sum = SumOf<Scalar>;

 public:
  explicit ColumnSums(int columns) : sums_(new Sum[columns]), marks_(columns) {
    if (branchless) std::fill_n(sums_.get(), columns, Semiring::zero());
  }

  void add(int column, const Sum& product) {
    if constexpr (branchless) {
      sums_[column] = Semiring::plus(sums_[column], product);
      marks_.set(column);
    } else if (marks_.testAndSet(column)) {
      sums_[column] = Semiring::plus(sums_[column], product);
    } else {
      sums_[column] = Semiring::plus(Semiring::zero(), product);
    }
  }

  /// Adds to a column that has a sum.
  void addToSum(int column, const Sum& product) {
    sums_[column] = Semiring::plus(sums_[column], product);
  }
  /// Returns true if all of the first `columns` columns have a sum.
  bool haveAll(int columns) { return marks_.haveAll(columns); }

  /// Writes the row, columns ascending, and forgets it.
  ColumnMarks::Taken take(int* columns, Scalar* values) {
    Sum* const sums = sums_.get();
    return marks_.take([=](std::size_t entry, int column) {
      columns[entry] = column;
      values[entry] = sums[column];
      if (branchless) sums[column] = Semiring::zero();
    });
  }
  void clear() {
    marks_.take([this](std::size_t, int column) {
      if (branchless) sums_[column] = Semiring::zero();
    });
  }
  /// Counts the entries of the row; costs as much as to read it.
  std::size_t entries() { return marks_.count(); }

 private:
  std::unique_ptr<Sum[]> sums_;  // sums of marked columns; branchless: of others zero
  ColumnMarks marks_;
};

/// Forms a row of a product by writing all its terms down, sorting them by column, and adding
/// neighbours. All of it stays in cache, however far apart the columns are. On hosts, for one
/// thread; for rows of few terms that hardly ever meet in a column.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class TermSorter {
  using Sum = SumOf<Scalar>;

 public:
  static constexpr std::size_t most = 4096;  ///< terms that it takes: 96 KB of doubles

  /// @param columns of the tile
  explicit TermSorter(int columns) {
    while (columnBits_ < 31 && (columns - 1) >> columnBits_) ++columnBits_;
    passes_ = (columnBits_ + mostDigitBits - 1) / mostDigitBits;
    digitBits_ = (columnBits_ + passes_ - 1) / passes_;
  }

  /// Returns true if it has memory, which it takes at the first call. Few products have such rows,
  /// and a small one would pay more for 100 KB than for its own rows. Throws nothing.
  bool ready() {
    if (places_) return true;
    if (!keys_) keys_.reset(new (std::nothrow) std::uint64_t[most]);
    if (!sorted_) sorted_.reset(new (std::nothrow) std::uint64_t[most]);
    if (!products_) products_.reset(new (std::nothrow) Sum[most]);
    if (keys_ && sorted_ && products_) places_.reset(new (std::nothrow) unsigned[digits()]);
    return places_ != nullptr;
  }

  /// Adds a term; ready() has returned true.
  void add(int column, const Sum& product) {
    keys_[size_] = static_cast<std::uint64_t>(column) << 32 | size_;
    products_[size_++] = product;
  }

  /// Writes the row, columns ascending, sums in the order of the terms, and forgets it. Returns
  /// its entries.
  std::size_t take(int* columns, Scalar* values) {
    std::uint64_t *keys = keys_.get(), *sorted = sorted_.get();
    for (int pass = 0; pass < passes_; ++pass) {
      scatter(keys, sorted, 32 + pass * digitBits_);
      std::swap(keys, sorted);
    }
    std::size_t entries = 0;
    int last = -1;
    Sum sum = Semiring::zero();
    for (std::size_t n = 0; n < size_; ++n) {
      const int column = static_cast<int>(keys[n] >> 32);
      const Sum& product = products_[static_cast<std::uint32_t>(keys[n])];
      if (column != last) {
        columns[entries++] = last = column;
        sum = Semiring::zero();
      }
      sum = Semiring::plus(sum, product);
      values[entries - 1] = sum;
    }
    size_ = 0;
    return entries;
  }

 private:
  static constexpr int mostDigitBits = 11;  // digits whose places stay in the first cache

  std::size_t digits() const { return std::size_t(1) << digitBits_; }

  /// Does one stable pass, by the digit at `shift`.
  void scatter(const std::uint64_t* from, std::uint64_t* to, int shift) {
    const std::uint64_t mask = digits() - 1;
    unsigned* const places = places_.get();
    std::memset(places, 0, digits() * sizeof(unsigned));
    for (std::size_t n = 0; n < size_; ++n) ++places[from[n] >> shift & mask];
    unsigned before = 0;
    for (std::size_t d = 0; d <= mask; ++d) before += std::exchange(places[d], before);
    for (std::size_t n = 0; n < size_; ++n) to[places[from[n] >> shift & mask]++] = from[n];
  }

  std::unique_ptr<std::uint64_t[]> keys_, sorted_;  // column and place of each product
  std::unique_ptr<Sum[]> products_;
  std::unique_ptr<unsigned[]> places_;
  std::size_t size_ = 0;
  int columnBits_ = 1, passes_ = 1, digitBits_ = 1;
};

/// Forms a row of few terms. Each column has a place in a short list, which a table of all
/// columns knows. The list is sorted by comparing each column with each other: nothing branches on
/// that, so no branch is mispredicted. On hosts, for one thread.
///
/// Sums begin with the semiring's zero, so that none is a negative zero.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class ShortRowSums {
  using Sum = SumOf<Scalar>;

 public:
  static constexpr int most = 32;  ///< terms that it takes

  /// @param columns of the tile
  /// @param places that are counted on from row to row before the table is filled anew; for tests
  explicit ShortRowSums(int columns, int places = std::numeric_limits<int>::max())
      : places_(columns, -1), lastBegin_(places - 2 * most) {}

  void add(int column, const Sum& product) {
    // A place that a row before has left is not in this row's.
    const unsigned n = static_cast<unsigned>(places_[column] - begin_);
    if (n < static_cast<unsigned>(size_)) {
      sums_[n] = Semiring::plus(sums_[n], product);
      return;
    }
    places_[column] = begin_ + size_;
    columns_[size_] = column;
    sums_[size_++] = Semiring::plus(Semiring::zero(), product);
  }

  /// Writes the row, columns ascending, and forgets it. Returns its entries.
  std::size_t take(int* columns, Scalar* values) {
    const int entries = size_;
    int order[most];
    findOrder(order);
    for (int n = 0; n < entries; ++n) {
      columns[order[n]] = columns_[n];
      values[order[n]] = sums_[n];
    }
    nextRow();
    return static_cast<std::size_t>(entries);
  }

 private:
  /// Finds the place of each column among those of the row: how many are before it. Columns are
  /// filled up to whole vectors, as compilers make vector instructions of the inner loop.
  void findOrder(int* order) {
    constexpr int vector = 4;
    const int filled = (size_ + vector - 1) / vector * vector;
    std::fill(columns_ + size_, columns_ + filled, std::numeric_limits<int>::max());
    for (int n = 0; n < size_; ++n) {
      const int column = columns_[n];
      int before = 0;
      for (int m = 0; m < filled; ++m) before += columns_[m] < column;
      order[n] = before;
    }
  }
  void nextRow() {
    begin_ += size_;
    size_ = 0;
    if (begin_ < lastBegin_) return;
    std::fill(places_.begin(), places_.end(), -1);
    begin_ = 0;
  }

  std::vector<int> places_;  // places of columns in the list, counted on from row to row
  int lastBegin_;            // place from which the table is filled anew
  int begin_ = 0;            // first place of this row
  int size_ = 0;             // columns of this row
  int columns_[most];
  Sum sums_[most];
};

}  // namespace Trident::Impl

#endif
