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

// Three classes that add up a row of a product. add() takes a column and a product of two entries.
// take() writes the row. RowFormer chooses a class for each row. All are for hosts and one thread.

namespace Trident::Impl {

/// Marks of the columns in which a row has entries. words_ has a bit for each column. lines_ has a
/// bit for each word of words_ that is not 0, and pages_ for each word of lines_. So marked columns
/// are read in ascending order without a sort, and words without marks cost no time.
class ColumnMarks {
 public:
  explicit ColumnMarks(int columns)
      : words_(words(columns)), lines_(words(words_.size())), pages_(words(lines_.size())) {}

  /// Marks a column. Returns true if the column was marked before. Always inlined, because with
  /// calls the sums of a block take 1.5 times as long.
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
  /// Marks a column. Has one branch, which is taken only for the first mark in a word.
  void set(int column) {
    const unsigned place = static_cast<unsigned>(column);
    Word& word = words_[place / bits];
    if (__builtin_expect(word == 0, 0)) markWord(place / bits);
    word |= Word(1) << (place % bits);
  }

  /// Returns true if all of the first `columns` columns are marked. Begins where the last call
  /// stopped, so that repeated calls cost little.
  bool haveAll(int columns) {
    const unsigned whole = static_cast<unsigned>(columns) / bits, rest = columns % bits;
    while (known_ < whole && words_[known_] == ~Word(0)) ++known_;
    return known_ == whole && (rest == 0 || words_[whole] == (Word(1) << rest) - 1);
  }

  struct Taken {
    std::size_t entries, words;  ///< number of entries, number of words with entries
  };

  /// Runs visit(n, column) for the marked columns in order, n = 0, 1, ... Clears all marks.
  template <class Visit>
  Taken take(Visit&& visit) {
    std::size_t entries = 0, words = 0;
    forWords([&](int first, Word word) {
      ++words;
      for (; word; word &= word - 1) visit(entries++, first + lowestBit(word));
    });
    return {entries, words};
  }
  /// Counts the marked columns. Visits each word with marks, as take() does.
  std::size_t count() {
    std::size_t count = 0;
    forWords([&](int first, Word word) {
      count += popcount(word);
      markWord(first / bits);  // again, because forWords() cleared this mark
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

  /// Runs visit(first column, word) for each word with marks, in order. Clears all marks.
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

  std::vector<Word> words_, lines_, pages_;  // a word stands for 64, 64² or 64³ columns
  unsigned known_ = 0;                       // number of full words at the front, for haveAll()
};

/// A row of sums, one for each column of a tile. On hosts, for one thread.
///
/// add() has a branch, which asks if the column has a sum. Processors mostly predict this branch if
/// B's columns are consecutive. If columns come in no regular order, processors do not predict it,
/// and `branchless` sums are faster. For neighbouring columns `branchless` sums are slower, because
/// their marks lie in one word, and add() waits until the last add() has written this word.
///
/// Sums begin with the semiring's zero, so that no sum is a negative zero.
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

  /// Adds a term to a column. The column must have a sum already.
  void addToSum(int column, const Sum& product) {
    sums_[column] = Semiring::plus(sums_[column], product);
  }
  /// Returns true if all of the first `columns` columns have a sum.
  bool haveAll(int columns) { return marks_.haveAll(columns); }

  /// Writes the row in ascending columns, and begins a new row.
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
  /// Counts the entries of the row. Visits each word with marks, as take() does.
  std::size_t entries() { return marks_.count(); }

 private:
  std::unique_ptr<Sum[]> sums_;  // sums of marked columns; if `branchless`, all other sums are zero
  ColumnMarks marks_;
};

/// A sorter that forms a row of a product. Lists all terms, sorts them by column, and adds the
/// terms of each column. Works in cache, however far apart the columns are. Faster than ColumnSums
/// if the terms are few and mostly in different columns. On hosts, for one thread.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class TermSorter {
  using Sum = SumOf<Scalar>;

 public:
  static constexpr std::size_t most = 4096;  ///< limit of a row's terms; memory for doubles: 96 KB

  /// @param columns number of columns of the tile
  explicit TermSorter(int columns) {
    while (columnBits_ < 31 && (columns - 1) >> columnBits_) ++columnBits_;
    passes_ = (columnBits_ + mostDigitBits - 1) / mostDigitBits;
    digitBits_ = (columnBits_ + passes_ - 1) / passes_;
  }

  /// Returns true if the sorter has its memory. The first call takes that memory, because few
  /// products use a sorter, and 100 KB would be the main cost of a small product. Throws nothing.
  bool ready() {
    if (places_) return true;
    if (!keys_) keys_.reset(new (std::nothrow) std::uint64_t[most]);
    if (!sorted_) sorted_.reset(new (std::nothrow) std::uint64_t[most]);
    if (!products_) products_.reset(new (std::nothrow) Sum[most]);
    if (keys_ && sorted_ && products_) places_.reset(new (std::nothrow) unsigned[digits()]);
    return places_ != nullptr;
  }

  /// Adds a term. The caller must have got true from ready().
  void add(int column, const Sum& product) {
    keys_[size_] = static_cast<std::uint64_t>(column) << 32 | size_;
    products_[size_++] = product;
  }

  /// Writes the row in ascending columns, and begins a new row. Each sum is in the order of its
  /// terms. Returns the number of entries.
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
  static constexpr int mostDigitBits = 11;  // small, so that places_ stays in cache

  std::size_t digits() const { return std::size_t(1) << digitBits_; }

  /// Does one stable pass of the radix sort, by the digit that begins at bit `shift`.
  void scatter(const std::uint64_t* from, std::uint64_t* to, int shift) {
    const std::uint64_t mask = digits() - 1;
    unsigned* const places = places_.get();
    std::memset(places, 0, digits() * sizeof(unsigned));
    for (std::size_t n = 0; n < size_; ++n) ++places[from[n] >> shift & mask];
    unsigned before = 0;
    for (std::size_t d = 0; d <= mask; ++d) before += std::exchange(places[d], before);
    for (std::size_t n = 0; n < size_; ++n) to[places[from[n] >> shift & mask]++] = from[n];
  }

  std::unique_ptr<std::uint64_t[]> keys_, sorted_;  // column (high bits) and place in products_
  std::unique_ptr<Sum[]> products_;
  std::unique_ptr<unsigned[]> places_;
  std::size_t size_ = 0;
  int columnBits_ = 1, passes_ = 1, digitBits_ = 1;
};

/// A short list of columns and sums, which forms a row of few terms. A table of all columns has the
/// place of each column in the list. take() sorts the list by comparing each column with each
/// other, because that needs no branches that could be mispredicted. On hosts, for one thread.
///
/// Sums begin with the semiring's zero, so that no sum is a negative zero.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class ShortRowSums {
  using Sum = SumOf<Scalar>;

 public:
  static constexpr int most = 32;  ///< largest number of terms of a row

  /// @param columns number of columns of the tile
  /// @param places number of places to use before the table is cleared; only tests set it
  explicit ShortRowSums(int columns, int places = std::numeric_limits<int>::max())
      : places_(columns, -1), lastBegin_(places - 2 * most) {}

  void add(int column, const Sum& product) {
    // A place of an earlier row is below begin_, so the unsigned `n` wraps and exceeds size_.
    const unsigned n = static_cast<unsigned>(places_[column] - begin_);
    if (n < static_cast<unsigned>(size_)) {
      sums_[n] = Semiring::plus(sums_[n], product);
      return;
    }
    places_[column] = begin_ + size_;
    columns_[size_] = column;
    sums_[size_++] = Semiring::plus(Semiring::zero(), product);
  }

  /// Writes the row in ascending columns, and begins a new row. Returns the number of entries.
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
  /// Finds the place of each column in ascending order: the number of smaller columns. Pads the
  /// columns to whole vectors, because compilers make vector instructions of the inner loop.
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

  std::vector<int> places_;  // place of each column; a row's places begin behind the last row's
  int lastBegin_;            // value of begin_ at which the table is cleared
  int begin_ = 0;            // place of this row's first column
  int size_ = 0;             // number of columns of this row
  int columns_[most];
  Sum sums_[most];
};

}  // namespace Trident::Impl

#endif
