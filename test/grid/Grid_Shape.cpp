// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of the grid, for every shape of up to 40 nodes.

#include <Teuchos_UnitTestHarness.hpp>
#include <set>
#include <vector>

#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {
namespace {

constexpr int mostNodes = 40;

/// Calls check(shape) for every shape of up to 40 nodes and λ in 1..4.
template <class Check>
void forEveryShape(Check&& check) {
  for (int nodes = 1; nodes <= mostNodes; ++nodes)
    for (int lambda = 1; lambda <= 4; ++lambda)
      for (const GridShape& shape : allShapes(nodes, lambda)) check(shape);
}

int greatestDivisor(int a, int b) { return b == 0 ? a : greatestDivisor(b, a % b); }

TEUCHOS_UNIT_TEST(GridShape, RanksAndCoordinatesAreABijection) {
  int wrong = 0;
  forEveryShape([&](const GridShape& shape) {
    int next = 0;  // row-major over nodes, k fastest
    for (int i = 0; i < shape.nodeRows; ++i)
      for (int j = 0; j < shape.nodeCols; ++j)
        for (int k = 0; k < shape.lambda; ++k, ++next) {
          const GridCoordinates c = shape.coordinates(next);
          wrong += shape.rank(i, j, k) != next || c.i != i || c.j != j || c.k != k;
        }
    wrong += next != shape.ranks() || next != shape.nodes() * shape.lambda;
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, SegmentsAreTheLeastCommonMultiple) {
  int wrong = 0;
  forEveryShape([&](const GridShape& shape) {
    const int S = shape.nodes() / greatestDivisor(shape.nodeRows, shape.nodeCols);
    wrong += shape.segments() != S;
    wrong += shape.segmentsPerTileRow() * shape.nodeRows != S;
    wrong += shape.segmentsPerTileCol() * shape.nodeCols != S;
    for (int s = 0; s < S; ++s) {
      wrong += shape.tileCol(s) != s * shape.nodeCols / S;
      wrong += shape.tileRow(s) != s * shape.nodeRows / S;
    }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, EveryNodeMeetsEverySegmentOnce) {
  int wrong = 0;
  forEveryShape([&](const GridShape& shape) {
    const int S = shape.segments();
    for (int i = 0; i < shape.nodeRows; ++i)
      for (int j = 0; j < shape.nodeCols; ++j) {
        std::set<int> met;
        for (int t = 0; t < S; ++t) {
          const int s = shape.segmentOfRound(t, i, j);
          wrong += s < 0 || s >= S || shape.roundOfSegment(s, i, j) != t;
          met.insert(s);
        }
        wrong += static_cast<int>(met.size()) != S;
      }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, NoOwnerIsAskedTwiceInARound) {
  int wrong = 0;
  forEveryShape([&](const GridShape& shape) {
    for (int t = 0; t < shape.segments(); ++t) {
      for (int i = 0; i < shape.nodeRows; ++i) {
        std::set<int> owners;  // of A, asked by the nodes of grid row i
        for (int j = 0; j < shape.nodeCols; ++j)
          owners.insert(shape.tileCol(shape.segmentOfRound(t, i, j)));
        wrong += static_cast<int>(owners.size()) != shape.nodeCols;
      }
      for (int j = 0; j < shape.nodeCols; ++j) {
        std::set<int> owners;  // of B, asked by the nodes of grid column j
        for (int i = 0; i < shape.nodeRows; ++i)
          owners.insert(shape.tileRow(shape.segmentOfRound(t, i, j)));
        wrong += static_cast<int>(owners.size()) != shape.nodeRows;
      }
    }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, OnSquareGridsTheOrderIsThePapers) {
  int wrong = 0;
  for (int q = 1; q <= 12; ++q) {
    const GridShape shape{q, q, 2};
    for (int i = 0; i < q; ++i)
      for (int j = 0; j < q; ++j)
        for (int t = 0; t < q; ++t) wrong += shape.segmentOfRound(t, i, j) != (t + i + j) % q;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, InSummasOrderRoundsAreSegmentsEverywhere) {
  int wrong = 0;
  for (int nodes = 1; nodes <= mostNodes; ++nodes)
    for (const GridShape& shape : allShapes(nodes, 1)) {
      const GridShape summa = summaShape(shape.nodeRows, shape.nodeCols);
      wrong += summa.lambda != 1 || summa.order != RoundOrder::Summa;
      wrong += summa.segments() != shape.segments() || summa.name() != shape.name();
      for (int i = 0; i < summa.nodeRows; ++i)
        for (int j = 0; j < summa.nodeCols; ++j)
          for (int t = 0; t < summa.segments(); ++t) {
            wrong += summa.segmentOfRound(t, i, j) != t;
            wrong += summa.roundOfSegment(t, i, j) != t;
          }
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, SquareShapeIsTheClosestToASquare) {
  int wrong = 0;
  for (int nodes = 1; nodes <= 400; ++nodes) {
    const GridShape square = squareShape(nodes, 3);
    wrong += square.nodes() != nodes || square.lambda != 3 || square.nodeRows < square.nodeCols;
    for (const GridShape& other : allShapes(nodes, 3))  // the closer, the smaller the sum
      wrong += other.nodeRows + other.nodeCols < square.nodeRows + square.nodeCols;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, AllShapesAreAllDivisors) {
  int wrong = 0;
  for (int nodes = 1; nodes <= 100; ++nodes) {
    int divisors = 0;
    for (int d = 1; d <= nodes; ++d) divisors += nodes % d == 0;
    const std::vector<GridShape> shapes = allShapes(nodes, 2);
    wrong += static_cast<int>(shapes.size()) != divisors;
    for (std::size_t n = 0; n < shapes.size(); ++n) {
      wrong += shapes[n].nodes() != nodes || shapes[n].lambda != 2;
      wrong += n > 0 && shapes[n].nodeRows >= shapes[n - 1].nodeRows;  // p_r descends
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(GridShape, NameAndEquality) {
  TEST_EQUALITY((GridShape{2, 3, 4}.name()), std::string("2x3x4"));
  TEST_ASSERT((GridShape{2, 3, 4} == GridShape{2, 3, 4}));
  TEST_ASSERT(!(GridShape{2, 3, 4} == GridShape{3, 2, 4}));
  TEST_ASSERT(!(GridShape{2, 3, 4} == GridShape{2, 3, 2}));
  TEST_ASSERT(!(summaShape(2, 3) == GridShape{2, 3, 1}));  // so that both are kept
}

// The answer is right even where the product of the numbers would wrap.
TEUCHOS_UNIT_TEST(GridShape, FillsItsNodes) {
  TEST_ASSERT((GridShape{2, 3, 4}.fills(6)));
  TEST_ASSERT((GridShape{1, 1, 1}.fills(1)));
  for (const GridShape& shape :
       {GridShape{2, 3, 1}, GridShape{3, 1, 1}, GridShape{0, 4, 1}, GridShape{-2, -2, 1},
        GridShape{42949673, 100, 1}, GridShape{858993460, 5, 1}, GridShape{8, 1, 1}})
    TEST_ASSERT(!shape.fills(4));
  const GridShape square = squareShape(2147483647, 1);  // a prime, and c * c passes it
  TEST_EQUALITY(square.nodeRows, 2147483647);
}

}  // namespace

}  // namespace Trident::Impl
