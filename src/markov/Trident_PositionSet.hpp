// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_POSITIONSET_HPP
#define TRIDENT_POSITIONSET_HPP

#include <vector>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Types.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// Some positions of an index space, a bit for each of its positions, on the host: which rows of a
/// matrix are meant. The same on every rank once they have agreed.
class PositionSet {
 public:
  explicit PositionSet(Position size) : words_(static_cast<std::size_t>(size) / bits + 1, 0) {}

  /// About `count` of them, or all, spread evenly: the first part of one sequence.
  static PositionSet spread(Position size, Position count) {
    PositionSet set(size);
    for (Position n = 0; n < size && n < count; ++n) {
      const double turns = (static_cast<double>(n) + 0.5) * 0.61803398874989485;
      const double place = turns - static_cast<double>(static_cast<Position>(turns));
      set.add(count < size ? static_cast<Position>(place * static_cast<double>(size)) : n);
    }
    return set;
  }

  void add(Position position) {
    words_[static_cast<std::size_t>(position) / bits] |= Word(1) << position % bits;
  }
  Position count() const {
    Position count = 0;
    for (const Word word : words_) count += popcount(word);
    return count;
  }
  /// @param keep what is made of a word of this set and one of the other
  template <class Keep>
  PositionSet with(const PositionSet& other, const Keep& keep) const {
    PositionSet set = *this;
    for (std::size_t w = 0; w < words_.size(); ++w)
      set.words_[w] = keep(words_[w], other.words_[w]);
    return set;
  }
  PositionSet operator|(const PositionSet& other) const {
    return with(other, [](Word a, Word b) { return a | b; });
  }
  PositionSet operator-(const PositionSet& other) const {
    return with(other, [](Word a, Word b) { return a & ~b; });
  }

  /// Puts together what ranks have. Collective over `comm`.
  void agree(MPI_Comm comm) {
    allReduce(MPI_IN_PLACE, words_.data(), static_cast<int>(words_.size()), MPI_UNSIGNED_LONG_LONG,
              MPI_BOR, comm, "the rows that a sample needs");
  }

  std::vector<Word>& words() { return words_; }
  const std::vector<Word>& words() const { return words_; }

  static constexpr Position bits = 64;

 private:
  std::vector<Word> words_;
};

/// The columns that a rank's part of a matrix has entries in, added to a set. Local.
template <class Scalar, class Device>
void addColumns(const GridMatrix<Scalar, Device>& matrix, PositionSet& set) {
  const auto words = toDevice<Word, Device>(set.words());
  const auto columns = matrix.local().graph.entries;
  const Position corner = matrix.columns()->tileColBegin(matrix.grid().me().j);
  Kokkos::parallel_for(
      "Trident::columnsOfSample", Range<Device>(0, matrix.local().nnz()),
      TRIDENT_LAMBDA(long long e) {
        const Position position = corner + columns(e);
        const Word bit = Word(1) << position % PositionSet::bits;
        Word& word = words(position / PositionSet::bits);
        if (!(word & bit)) fetchOr(&word, bit);
      });
  set.words() = toHost<Word, Device>(words);
}

/// A rank's part of a matrix, with the entries of the rows in a set alone. Local; waits for its
/// kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> rowsIn(const GridMatrix<Scalar, Device>& matrix,
                                   const PositionSet& set) {
  const auto from = matrix.local();
  const auto words = toDevice<Word, Device>(set.words());
  const GridCoordinates& me = matrix.grid().me();
  const RowPositions<Device> positions(*matrix.rows(), me.i, me.k);
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", from.numRows() + 1);
  Kokkos::parallel_for(
      "Trident::countRowsIn", Range<Device>(0, from.numRows()), TRIDENT_LAMBDA(long long r) {
        const Position position = positions(static_cast<int>(r));
        const bool in = words(position / PositionSet::bits) >> position % PositionSet::bits & 1;
        counts(r) = in ? from.graph.row_map(r + 1) - from.graph.row_map(r) : 0;
      });
  const auto to = arraysForCounts<Scalar, Device>(counts);
  forRowEntries<Device>(
      "Trident::rowsIn", from.numRows(), static_cast<long long>(to.columns.extent(0)), to.offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t source = from.graph.row_map(r) + (e - to.offsets(r));
        to.columns(e) = from.graph.entries(source);
        to.values(e) = from.values(source);
      });
  Kokkos::fence();
  return to.matrix(from.numCols());
}

/// Two matrices none of whose rows has entries in both, as one. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> rowsOfBoth(const LocalMatrix<Scalar, Device>& a,
                                       const LocalMatrix<Scalar, Device>& b) {
  if (a.nnz() == 0) return b;
  if (b.nnz() == 0) return a;
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", a.numRows() + 1);
  Kokkos::parallel_for(
      "Trident::countRowsOfBoth", Range<Device>(0, a.numRows()), TRIDENT_LAMBDA(long long r) {
        counts(r) = a.graph.row_map(r + 1) - a.graph.row_map(r) +
                    (b.graph.row_map(r + 1) - b.graph.row_map(r));
      });
  const auto to = arraysForCounts<Scalar, Device>(counts);
  forRowEntries<Device>(
      "Trident::rowsOfBoth", a.numRows(), static_cast<long long>(to.columns.extent(0)), to.offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const bool first = a.graph.row_map(r + 1) > a.graph.row_map(r);
        const std::size_t at = e - to.offsets(r);
        const std::size_t source = (first ? a.graph.row_map(r) : b.graph.row_map(r)) + at;
        to.columns(e) = first ? a.graph.entries(source) : b.graph.entries(source);
        to.values(e) = first ? a.values(source) : b.values(source);
      });
  Kokkos::fence();
  return to.matrix(a.numCols());
}

}  // namespace Trident::Impl

#endif
