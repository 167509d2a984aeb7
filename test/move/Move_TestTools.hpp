// SPDX-License-Identifier: BSD-3-Clause
// Numbered indices, and matrices that ranks have parts of before they are on the grid.
#ifndef TRIDENT_MOVE_TESTTOOLS_HPP
#define TRIDENT_MOVE_TESTTOOLS_HPP

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {
namespace TestTools {

/// Sums over all ranks, for checks that all ranks must make alike.
inline long long everywhere(long long wrong) {
  long long sum = 0;
  TRIDENT_MPI_CHECK(MPI_Allreduce(&wrong, &sum, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
  return sum;
}

/// Deals numbers to the ranks at random: some own nothing.
inline Numbering randomNumbering(Position size, int me, std::mt19937_64& random) {
  Numbering numbering;
  numbering.rankBegin = randomCuts(size, worldSize(), random);
  numbering.me = me;
  return numbering;
}

using SpacePtr = std::shared_ptr<const IndexSpace>;

/// Makes a space that is dealt and cut at random.
inline SpacePtr randomNumberedSpace(const GridShape& shape, Position size, int me,
                                    std::mt19937_64& random) {
  const auto numbering = std::make_shared<Numbering>(randomNumbering(size, me, random));
  return std::make_shared<IndexSpace>(shape,
                                      randomCuts(size, shape.segments() * shape.lambda, random),
                                      GridOptions().largestTile, numbering);
}

/// Makes a space where rows stay, on a grid of one node column.
inline SpacePtr stayingSpace(const GridShape& shape, Position size, int me,
                             std::mt19937_64& random) {
  const auto numbering = std::make_shared<Numbering>(randomNumbering(size, me, random));
  return std::make_shared<IndexSpace>(shape, numbering->rankBegin, GridOptions().largestTile,
                                      numbering);
}

/// Shuffles a list, alike on every rank that has an equal generator.
template <class T>
void shuffle(std::vector<T>& list, std::mt19937_64& random) {
  for (std::size_t n = list.size(); n > 1; --n) std::swap(list[n - 1], list[random() % n]);
}

/// Makes a rank's part of a matrix of numbers: some of its rows' entries, the rows and columns in
/// any order of its own.
/// @param rows numbers of its local rows
/// @param has  whether it has the entry (row, column), by numbers
template <class F, class Has>
NumberedMatrix<double, Device> localPart(const F& formula, const std::vector<Position>& rows,
                                         const IndexNumbers<Device>& rowNumbers, bool whole,
                                         Position columns, const Has& has,
                                         std::mt19937_64& random) {
  std::vector<Position> numbers(columns);
  std::iota(numbers.begin(), numbers.end(), 0);
  shuffle(numbers, random);
  HostMatrix<double> host(static_cast<int>(rows.size()), static_cast<int>(columns));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (Position c = 0; c < columns; ++c)
      if (formula.stored(rows[r], numbers[c]) && has(rows[r], numbers[c]))
        host.rows[r].emplace_back(static_cast<int>(c), formula.value(rows[r], numbers[c]));
  return {host.onDevice(), rowNumbers, IndexNumbers<Device>(toDevice(numbers)), whole};
}

/// Makes the whole rows that a rank owns.
template <class F>
NumberedMatrix<double, Device> ownRows(const F& formula, const Numbering& rows, Position columns,
                                       std::mt19937_64& random) {
  std::vector<Position> mine(rows.end() - rows.begin());
  std::iota(mine.begin(), mine.end(), rows.begin());
  return localPart(
      formula, mine, IndexNumbers<Device>(rows.begin(), rows.end() - rows.begin()), true, columns,
      [](Position, Position) { return true; }, random);
}

/// Makes parts of rows: every entry is on one rank, drawn at random; rows come in any order.
template <class F>
NumberedMatrix<double, Device> partsOfRows(const F& formula, Position rows, Position columns,
                                           std::mt19937_64& random) {
  std::vector<Position> numbers(rows);
  std::iota(numbers.begin(), numbers.end(), 0);
  shuffle(numbers, random);
  const int ranks = worldSize(), me = worldRank();
  return localPart(
      formula, numbers, IndexNumbers<Device>(toDevice(numbers)), false, columns,
      [=](Position r, Position c) {
        return hashOf(formula.seed + 2, r, c) % ranks == std::uint64_t(me);
      },
      random);
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
