// SPDX-License-Identifier: BSD-3-Clause
// The computed bijection: exhaustively where it is small, by samples where it is not.

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "Trident_Permutation.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(Permutation, DefaultIsTheIdentity) {
  const Permutation identity;
  TEST_ASSERT(identity.isIdentity());
  TEST_EQUALITY_CONST(identity.forward(123456789012ll), 123456789012ll);
  TEST_EQUALITY_CONST(identity.inverse(123456789012ll), 123456789012ll);
  TEST_ASSERT(identity == Permutation());
}

TEUCHOS_UNIT_TEST(Permutation, BijectionForEverySmallSize) {
  long long wrong = 0;
  std::vector<int> hit;
  for (Position size = 0; size <= 2000; ++size) {
    const Permutation permutation(size, 1 + size % 3);
    hit.assign(size, 0);
    for (Position x = 0; x < size; ++x) {
      const Position y = permutation.forward(x);
      if (y < 0 || y >= size)
        ++wrong;
      else
        ++hit[y];
      wrong += permutation.inverse(y) != x;
    }
    for (int count : hit) wrong += count != 1;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Permutation, LargeSizesStayInRangeAndInvert) {
  const unsigned seed = 77;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  long long wrong = 0;
  for (int n = 0; n < 300; ++n) {
    const int bits = 11 + n % 30;  // sizes up to 2^40, each width of the network, and its borders
    Position size = 1 + static_cast<Position>(random() % (std::uint64_t(1) << bits));
    if (n % 5 == 0) size = (Position(1) << bits) - 1 + n % 3;
    const Permutation permutation(size, random());
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
    const Permutation one(size, seed), same(size, seed), next(size, seed + 1);
    int equal = 0, fixed = 0, wrong = 0;
    for (Position x = 0; x < size; ++x) {
      wrong += one.forward(x) != same.forward(x);
      equal += one.forward(x) == next.forward(x);
      fixed += one.forward(x) == x;
    }
    TEST_EQUALITY_CONST(wrong, 0);
    TEST_ASSERT(one == same);
    TEST_ASSERT(!(one == next));
    TEST_ASSERT(!(one == Permutation(size + 1, seed)));
    TEST_COMPARE(equal, <, 50);  // one is expected of two random permutations
    TEST_COMPARE(fixed, <, 50);
  }
}

/// χ² of the counts of (source class, target block) against independence.
template <class Class>
double chiSquare(Position size, std::uint64_t seed, int classes, int blocks, Class&& classOf) {
  const Permutation permutation(size, seed);
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
      const double runs =
          chiSquare(size, seed, n, n, [&](Position x) { return static_cast<int>(x * n / size); });
      const double residues =
          chiSquare(size, seed, n, n, [&](Position x) { return static_cast<int>(x % n); });
      out << "size " << size << " seed " << seed << ": " << runs << " " << residues << "\n";
      TEST_COMPARE(runs, <, bound);
      TEST_COMPARE(residues, <, bound);
    }
}

TEUCHOS_UNIT_TEST(Permutation, NeighboursPart) {
  // A band matrix must not stay a band: |f(x+1) - f(x)| averages a third of the size.
  const Position size = 50000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Permutation permutation(size, seed);
    double sum = 0;
    for (Position x = 0; x + 1 < size; ++x) {
      const Position d = permutation.forward(x + 1) - permutation.forward(x);
      sum += static_cast<double>(d < 0 ? -d : d);
    }
    TEST_FLOATING_EQUALITY(sum / static_cast<double>(size), static_cast<double>(size) / 3, 0.05);
  }
}

}  // namespace

}  // namespace Trident::Impl
