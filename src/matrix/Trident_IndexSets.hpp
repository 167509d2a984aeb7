// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_INDEXSETS_HPP
#define TRIDENT_INDEXSETS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Word of a message. A set of indices travels as a bitmap of its range, or as a list if the list
/// has fewer words. Sender and receiver know the range's size and the number of indices. So both
/// know the form and the number of words.
using SetWord = std::uint32_t;

/// Returns the number of words of a bitmap of a range.
template <class Count>
Count bitmapWords(Count size) {
  return size / 32 + (size % 32 != 0);
}

/// Returns the number of words of a set of `count` indices of a range of `size` indices.
template <class Count>
Count setWords(Count count, Count size) {
  return std::min(count, bitmapWords(size));
}

/// A converter between sets of ascending indices and words of a message, for indices on `Device`.
/// Each set has a range of its own. In all arrays, one set follows another.
template <class Device>
class IndexSets {
 public:
  /// @param counts number of indices of each set
  /// @param sizes size of each set's range
  IndexSets(const std::vector<long long>& counts, const std::vector<long long>& sizes)
      : sets_(static_cast<int>(counts.size())) {
    std::vector<long long> begin{0}, wordBegin{0}, listed;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      words_.push_back(setWords(counts[s], sizes[s]));
      begin.push_back(begin.back() + counts[s]);
      wordBegin.push_back(wordBegin.back() + words_.back());
      listed.push_back(counts[s] < bitmapWords(sizes[s]));
    }
    wordCount_ = wordBegin.back();
    begin_ = toDevice<long long, Device>(begin);
    wordBegin_ = toDevice<long long, Device>(wordBegin);
    listed_ = toDevice<long long, Device>(listed);
  }

  /// Returns the number of words of each set; wordCount() returns the number of all words.
  const std::vector<long long>& words() const { return words_; }
  long long wordCount() const { return wordCount_; }

  /// Converts indices to words. Local.
  /// @param indexOf indexOf(n) is the n-th of `count` indices, as a place in its set's range
  template <class IndexOf>
  Kokkos::View<SetWord*, Device> pack(long long count, const IndexOf& indexOf) const {
    const auto words = zeroScratch<SetWord, Device>("Trident::setWords", wordCount_);
    const int sets = sets_;
    const auto begin = begin_, wordBegin = wordBegin_, listed = listed_;
    Kokkos::parallel_for(
        "Trident::packSets", Range<Device>(0, count), TRIDENT_LAMBDA(long long n) {
          const long long s = intervalOf(begin, sets, n);
          const auto index = static_cast<SetWord>(indexOf(n));
          if (listed(s))
            words(wordBegin(s) + n - begin(s)) = index;
          else
            fetchOr(&words(wordBegin(s) + index / 32), SetWord(1) << (index % 32));
        });
    return words;
  }

  /// Converts words to indices, and writes these to `indices`. Local.
  /// @param words result of pack() on any rank
  void unpack(const Kokkos::View<SetWord*, Device>& words,
              const Kokkos::View<int*, Device>& indices) const {
    const auto before = scratch<int, Device>("Trident::indicesBefore", words.extent(0) + 1);
    const int sets = sets_;
    const auto wordBegin = wordBegin_, listed = listed_;
    Kokkos::parallel_for(
        "Trident::countSets", Range<Device>(0, words.extent(0)), TRIDENT_LAMBDA(long long w) {
          before(w) = listed(intervalOf(wordBegin, sets, w)) ? 1 : popcount(Word(words(w)));
        });
    countsToOffsets<int, Device>(before);
    Kokkos::parallel_for(
        "Trident::unpackSets", Range<Device>(0, words.extent(0)), TRIDENT_LAMBDA(long long w) {
          const long long s = intervalOf(wordBegin, sets, w);
          int at = before(w);
          if (listed(s)) {
            indices(at) = static_cast<int>(words(w));
            return;
          }
          for (Word rest = words(w); rest != 0; rest &= rest - 1)
            indices(at++) = static_cast<int>(32 * (w - wordBegin(s))) + lowestBit(rest);
        });
  }

 private:
  int sets_;
  long long wordCount_ = 0;
  std::vector<long long> words_;                                 // number of words of each set
  Kokkos::View<long long*, Device> begin_, wordBegin_, listed_;  // one element for each set
};

}  // namespace Trident::Impl

#endif
