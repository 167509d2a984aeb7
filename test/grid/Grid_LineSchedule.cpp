// SPDX-License-Identifier: BSD-3-Clause
// The schedule of a line, seen by each of its members.

#include <Teuchos_UnitTestHarness.hpp>
#include <vector>

#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {
namespace {

/// Calls check(shape, coordinates, factor) for every rank of every shape of up to 20 nodes.
template <class Check>
void forEveryRank(Check&& check) {
  for (int nodes = 1; nodes <= 20; ++nodes)
    for (const GridShape& shape : allShapes(nodes, 2))
      for (int rank = 0; rank < shape.ranks(); ++rank)
        for (Factor factor : {Factor::A, Factor::B}) check(shape, shape.coordinates(rank), factor);
}

TEUCHOS_UNIT_TEST(LineSchedule, OwnSegmentsAreThoseOfTheTile) {
  int wrong = 0;
  forEveryRank([&](const GridShape& shape, const GridCoordinates& me, Factor factor) {
    const LineSchedule line(shape, me, factor);
    const bool a = factor == Factor::A;
    wrong += line.members() != (a ? shape.nodeCols : shape.nodeRows);
    wrong += line.ownMember() != (a ? me.j : me.i);
    wrong += line.rounds() != shape.segments();
    for (int s = 0; s < shape.segments(); ++s) {
      const bool own =
          s >= line.firstOwnSegment() && s < line.firstOwnSegment() + line.ownSegments();
      wrong += own != (line.owner(s) == line.ownMember());
      wrong += line.owner(s) < 0 || line.owner(s) >= line.members();
    }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(LineSchedule, MembersKnowEachOthersRounds) {
  int wrong = 0;
  forEveryRank([&](const GridShape& shape, const GridCoordinates& me, Factor factor) {
    const LineSchedule line(shape, me, factor);
    for (int t = 0; t < line.rounds(); ++t) {
      wrong += line.segmentOfRound(t) != shape.segmentOfRound(t, me.i, me.j);
      for (int member = 0; member < line.members(); ++member) {
        GridCoordinates other = me;
        (factor == Factor::A ? other.j : other.i) = member;
        wrong +=
            line.segmentOfRound(t, member) != LineSchedule(shape, other, factor).segmentOfRound(t);
      }
    }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(LineSchedule, AnOwnerServesAtMostOnePeerARound) {
  int wrong = 0;
  forEveryRank([&](const GridShape& shape, const GridCoordinates& me, Factor factor) {
    const LineSchedule line(shape, me, factor);
    for (int t = 0; t < line.rounds(); ++t) {
      int asked = 0;
      for (int member = 0; member < line.members(); ++member)
        asked += line.owner(line.segmentOfRound(t, member)) == line.ownMember();
      wrong += asked != 1;
    }
  });
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(LineSchedule, InSummasOrderAllMembersNeedOneOwnersSlice) {
  int wrong = 0;
  for (int nodes = 1; nodes <= 20; ++nodes)
    for (const GridShape& shape : allShapes(nodes, 1)) {
      const GridShape summa = summaShape(shape.nodeRows, shape.nodeCols);
      for (int rank = 0; rank < summa.ranks(); ++rank)
        for (Factor factor : {Factor::A, Factor::B}) {
          const LineSchedule line(summa, summa.coordinates(rank), factor);
          for (int t = 0; t < line.rounds(); ++t)
            for (int member = 0; member < line.members(); ++member)
              wrong += line.segmentOfRound(t, member) != t;
        }
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace

}  // namespace Trident::Impl
