// SPDX-License-Identifier: BSD-3-Clause
// Products of products, without leaving the grid.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>

#include "Rounds_TestTools.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::randomSpace;
using TestTools::worldSize;

TEUCHOS_UNIT_TEST(Chain, TripleProductsAssociate) {
  const unsigned seed = 111;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const auto fine = randomSpace(shape, 37, random), coarse = randomSpace(shape, 11, random);
    const Formula a{random(), 20}, b{random(), 30};
    const Matrix A = makeMatrix(exchanges, fine, coarse, a);
    const Matrix B = makeMatrix(exchanges, coarse, fine, b);
    const auto fullA = a.full(37, 11), fullB = b.full(11, 37);
    const auto expected = product(product(fullA, fullB), fullA);
    for (int fuse : {0, 1}) {
      RoundOptions options;
      options.fuseRounds = fuse;
      const Matrix left = multiplyOnGrid(multiplyOnGrid(A, B, options), A, options);
      const Matrix right = multiplyOnGrid(A, multiplyOnGrid(B, A, options), options);
      out << shape.name() << "\n";
      TRIDENT_TEST_OK(differences(gathered(left), expected));
      TRIDENT_TEST_OK(differences(gathered(right), expected));
    }
  }
}

TEUCHOS_UNIT_TEST(Chain, PowersOfAPermutationComeHome) {
  // The cyclic shift of 12 positions: its 12th power is the identity, entry by entry.
  struct Shift {
    bool stored(Position r, Position c) const { return c == (r + 1) % 12; }
    double value(Position, Position) const { return 1; }
  };
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  std::mt19937_64 random(112);
  const auto space = randomSpace(shape, 12, random);
  const Matrix A = makeMatrix(exchanges, space, space, Shift());
  Matrix power = A;
  for (int n = 1; n < 12; ++n) power = multiplyOnGrid(power, A);
  const auto full = gathered(power);
  int wrong = 0;
  for (int r = 0; r < 12; ++r)
    for (int c = 0; c < 12; ++c) {
      wrong += full.stored[full.at(r, c)] != (r == c);
      wrong += full.values[full.at(r, c)] != (r == c);
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace

}  // namespace Trident::Impl
