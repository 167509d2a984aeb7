// SPDX-License-Identifier: BSD-3-Clause
// The computed bijection: exhaustively where it is small, by samples where it is not.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "grid/Trident_Partition.hpp"
#include "grid/Trident_Permutation.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(Permutation, DefaultIsTheIdentity) {
  const Permutation identity;
  TEST_ASSERT(identity.isIdentity());
  TEST_EQUALITY_CONST(identity.forward(123456789012ll), 123456789012ll);
  TEST_EQUALITY_CONST(identity.inverse(123456789012ll), 123456789012ll);
  TEST_ASSERT(identity == Permutation());
}

/// Counts positions that are not the numbers' own, and numbers that do not come back.
long long wrongPositions(const Permutation& permutation, Position size) {
  std::vector<int> hit(size, 0);
  long long wrong = 0;
  for (Position x = 0; x < size; ++x) {
    const Position y = permutation.forward(x);
    if (y < 0 || y >= size)
      ++wrong;
    else
      ++hit[y];
    wrong += permutation.inverse(y) != x;
  }
  for (int count : hit) wrong += count != 1;
  return wrong;
}

TEUCHOS_UNIT_TEST(Permutation, BijectionForEverySmallSize) {
  long long wrong = 0;
  for (Position size = 0; size <= 1500; ++size)
    wrong += wrongPositions(Permutation(size, 1 + size % 7, 1 + size % 5, 1 + size % 3), size);
  for (Position size = 0; size <= 40; ++size)
    for (int tiles = 1; tiles <= 9; ++tiles)  // also more parts than numbers
      for (int slices = 1; slices <= 9; ++slices)
        wrong += wrongPositions(Permutation(size, tiles, slices, 5), size);
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Permutation, LargeSizesStayInRangeAndInvert) {
  const unsigned seed = 77;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  long long wrong = 0;
  for (int n = 0; n < 300; ++n) {
    const int bits = 11 + n % 30;  // sizes up to 2^40, also next to powers of two
    Position size = 1 + static_cast<Position>(random() % (std::uint64_t(1) << bits));
    if (n % 5 == 0) size = (Position(1) << bits) - 1 + n % 3;
    const Permutation permutation(size, 1 + static_cast<int>(random() % 100),
                                  1 + static_cast<int>(random() % 40), random());
    for (int m = 0; m < 300; ++m) {
      const Position x = m == 0 ? 0 : m == 1 ? size - 1 : static_cast<Position>(random() % size);
      const Position y = permutation.forward(x);
      wrong += y < 0 || y >= size || permutation.inverse(y) != x;
      const Position z = permutation.inverse(x);
      wrong += z < 0 || z >= size || permutation.forward(z) != x;
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Permutation, SeedsDifferAndRepeat) {
  const Position size = 10000;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Permutation one(size, 4, 8, seed), same(size, 4, 8, seed), next(size, 4, 8, seed + 1);
    int equal = 0, sameSlice = 0, wrong = 0;
    for (Position x = 0; x < size; ++x) {
      wrong += one.forward(x) != same.forward(x);
      equal += one.forward(x) == next.forward(x);
      sameSlice += one.forward(x) * 32 / size == next.forward(x) * 32 / size;
    }
    TEST_EQUALITY_CONST(wrong, 0);
    TEST_ASSERT(one == same);
    TEST_ASSERT(!(one == next));
    TEST_ASSERT(!(one == Permutation(size + 1, 4, 8, seed)));
    TEST_ASSERT(!(one == Permutation(size, 8, 4, seed)));
    // One of 32 is expected to lie in the same slice: 312 of 10000, with a deviation of 17.
    TEST_COMPARE(sameSlice, <, 312 + 6 * 17);
    TEST_COMPARE(equal, <=, sameSlice);
  }
}

TEUCHOS_UNIT_TEST(Permutation, PartsAreAsUniformCutsAndKeepTheirOrder) {
  for (Position size : {0ll, 1ll, 5ll, 1000ll, 1003ll, 20000ll})
    for (int tiles : {1, 2, 3, 4, 12})
      for (int slices : {1, 2, 5}) {
        const Permutation permutation(size, tiles, slices, 9), ascending = permutation.ofTiles();
        TEST_ASSERT(ascending.tilesAscend());
        const std::vector<Position> cuts = uniformCuts(size, tiles);
        long long wrong = 0;
        for (int tile = 0; tile < tiles; ++tile) {
          const Position begin = cuts[tile], end = cuts[tile + 1];
          wrong += permutation.tileBegin(tile) != begin;
          std::vector<Position> numbers, sameNumbers;
          int descents = 0;
          for (Position p = begin; p < end; ++p) {
            numbers.push_back(ascending.inverse(p));
            sameNumbers.push_back(permutation.inverse(p));
            wrong += p > begin && numbers[p - begin] <= numbers[p - begin - 1];
            descents += p > begin && sameNumbers[p - begin] <= sameNumbers[p - begin - 1];
          }
          wrong += descents >= slices;
          std::sort(sameNumbers.begin(), sameNumbers.end());
          wrong += numbers != sameNumbers;
        }
        TEST_EQUALITY_CONST(wrong, 0);
      }
}

/// Returns χ² of the counts of (source class, target block) against independence.
template <class Class>
double chiSquare(const Permutation& permutation, Position size, int classes, int blocks,
                 Class&& classOf) {
  std::vector<double> count(classes * blocks), inClass(classes);
  for (Position x = 0; x < size; ++x) {
    const int c = classOf(x);
    ++inClass[c];
    ++count[c * blocks + permutation.forward(x) * blocks / size];
  }
  double sum = 0;
  for (int c = 0; c < classes; ++c)
    for (int b = 0; b < blocks; ++b) {
      const double expected = inClass[c] / blocks;
      const double off = count[c * blocks + b] - expected;
      sum += off * off / expected;
    }
  return sum;
}

TEUCHOS_UNIT_TEST(Permutation, SpreadsRunsAndResiduesEvenly) {
  // 16 x 16 counts: χ² has about 225 degrees of freedom, so 225 ± 21; the bound is 10 sigma.
  const int n = 16;
  const double bound = 225 + 10 * 21.3;
  for (Position size : {20000ll, 65536ll, 100003ll})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Permutation permutation(size, 4, 4, seed);
      const double runs = chiSquare(permutation, size, n, n,
                                    [&](Position x) { return static_cast<int>(x * n / size); });
      const double residues =
          chiSquare(permutation, size, n, n, [&](Position x) { return static_cast<int>(x % n); });
      out << "size " << size << " seed " << seed << ": " << runs << " " << residues << "\n";
      TEST_COMPARE(runs, <, bound);
      TEST_COMPARE(residues, <, bound);
    }
}

/// Returns the part of numbers x for which x and x + distance lie in the slices (a, b), by a·slices
/// + b.
std::vector<double> pairsOfSlices(const Permutation& permutation, Position size, int slices,
                                  Position distance) {
  std::vector<double> parts(slices * slices);
  const auto sliceOf = [&](Position x) { return binOf(size, slices, permutation.forward(x)); };
  for (Position x = 0; x + distance < size; ++x)
    parts[sliceOf(x) * slices + sliceOf(x + distance)] += 1.0 / static_cast<double>(size);
  return parts;
}

TEUCHOS_UNIT_TEST(Permutation, NeighboursMeetInAllPairsOfSlices) {
  // A band matrix must fill the tiles of a grid alike. Numbers that are dealt together go to
  // different tiles; so neighbours meet in one tile more seldom, and in two tiles alike.
  const Position size = 60000;
  for (std::pair<int, int> shape : {std::pair(1, 2), {2, 1}, {2, 2}, {3, 1}, {4, 1}, {4, 4}})
    for (Position distance : {1, 2, 7})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const int tiles = shape.first, slices = shape.first * shape.second;
        const Permutation permutation(size, tiles, shape.second, seed);
        const auto parts = pairsOfSlices(permutation, size, slices, distance);
        double apart = 0, least = 1, most = 0;
        for (int a = 0; a < slices; ++a)
          for (int b = 0; b < slices; ++b)
            if (a != b) {
              apart += parts[a * slices + b];
              if (tiles == 1 || a / shape.second != b / shape.second)
                least = std::min(least, parts[a * slices + b]);
              most = std::max(most, parts[a * slices + b]);
            }
        const double pairs = slices * (slices - 1.0);
        out << tiles << " x " << shape.second << " distance " << distance << ": apart " << apart
            << ", least " << least * pairs / apart << ", most " << most * pairs / apart << "\n";
        TEST_COMPARE(apart, >=, 0.97 * (1 - 1.0 / slices));  // as if drawn, or more
        TEST_COMPARE(most * pairs / apart, <, 1.4);
        TEST_COMPARE(least * pairs / apart, >, 0.7);
      }
}

}  // namespace

}  // namespace Trident::Impl
