// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNSUMS_HPP
#define TRIDENT_COLUMNSUMS_HPP

#include <cstddef>
#include <memory>
#include <vector>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// A row of sums, one for each column of a tile, and which columns have one. These are marked in
/// bits, the words of bits in bits, and those again: so a row is read in the order of its columns
/// at the cost of its entries, and nothing sorts it. On hosts, for one thread.
///
/// Sums begin with the semiring's zero, so that none is a negative zero.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class ColumnSums {
 public:
  explicit ColumnSums(int columns)
      : sums_(new Scalar[columns]),
        words_(words(columns)),
        lines_(words(words_.size())),
        pages_(words(lines_.size())) {}

  void add(int column, const Scalar& product) {
    const unsigned place = static_cast<unsigned>(column);
    Word& word = words_[place / bits];
    const Word bit = Word(1) << (place % bits);
    if (__builtin_expect((word & bit) != 0, 1)) {  // where rows are long, most are so
      sums_[column] = Semiring::plus(sums_[column], product);
      return;
    }
    if (word == 0) markWord(place / bits);
    word |= bit;  // entries are counted when they are read
    sums_[column] = Semiring::plus(Semiring::zero(), product);
  }

  struct Taken {
    std::size_t entries, words;  ///< words of 64 columns that the entries lie in
  };

  /// Writes the row, columns ascending, and forgets it.
  Taken take(int* columns, Scalar* values) {
    const Scalar* const sums = sums_.get();
    std::size_t entries = 0, words = 0;
    forWords([&](int first, Word word) {
      ++words;
      for (; word; word &= word - 1) {
        const int column = first + lowestBit(word);
        columns[entries] = column;
        values[entries++] = sums[column];
      }
    });
    return {entries, words};
  }
  /// Forgets the row.
  void clear() {
    forWords([](int, Word) {});
  }
  /// Entries of the row; costs as much as to read it.
  std::size_t entries() {
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

  void markWord(unsigned word) {
    Word& line = lines_[word / bits];
    if (line == 0) pages_[word / bits / bits] |= Word(1) << (word / bits % bits);
    line |= Word(1) << (word % bits);
  }

  /// Runs visit(its first column, word) for the words that have bits, in order, and clears them.
  template <class Visit>
  void forWords(Visit&& visit) {
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

  std::unique_ptr<Scalar[]> sums_;           // of columns that are marked
  std::vector<Word> words_, lines_, pages_;  // 64, 64², 64³ columns
};

}  // namespace Trident::Impl

#endif
