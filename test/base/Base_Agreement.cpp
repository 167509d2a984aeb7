// SPDX-License-Identifier: BSD-3-Clause
// A problem of one rank is an exception on all, with one text.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

struct World {
  int rank = 0, size = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

/// Returns the error of throwEverywhere here; an empty text if it throws nothing.
std::string thrown(MPI_Comm comm, const std::string& problem) {
  try {
    throwEverywhere(comm, "Trident::Test", problem);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

std::string expected(const std::string& problem, int first, int size) {
  std::string text = "Trident::Test: " + problem;
  if (size > 1)
    text += " (first seen on rank " + std::to_string(first) + " of " + std::to_string(size) + ")";
  return text;
}

TEUCHOS_UNIT_TEST(Agreement, NoProblemNoException) {
  TEST_EQUALITY(thrown(MPI_COMM_WORLD, ""), std::string());
}

TEUCHOS_UNIT_TEST(Agreement, OneRankFailsAndAllThrowItsText) {
  const World world;
  for (int bad = 0; bad < world.size; ++bad) {
    const std::string problem = "rank " + std::to_string(bad) + " has no memory";
    TEST_EQUALITY(thrown(MPI_COMM_WORLD, world.rank == bad ? problem : ""),
                  expected(problem, bad, world.size));
  }
}

TEUCHOS_UNIT_TEST(Agreement, LowestOfSeveralRanksSpeaks) {
  const World world;
  for (int first = 0; first < world.size; ++first) {
    // Texts of different length: only the first one's may be used for the broadcast.
    const std::string mine = world.rank < first ? "" : std::string(3 * world.rank + 1, 'x');
    TEST_EQUALITY(thrown(MPI_COMM_WORLD, mine),
                  expected(std::string(3 * first + 1, 'x'), first, world.size));
  }
}

TEUCHOS_UNIT_TEST(Agreement, LongTextsArriveWhole) {
  const World world;
  std::string text(1 << 20, ' ');
  for (std::size_t c = 0; c < text.size(); ++c) text[c] = static_cast<char>('a' + c % 23);
  const int bad = world.size - 1;
  TEST_ASSERT(thrown(MPI_COMM_WORLD, world.rank == bad ? text : "") ==
              expected(text, bad, world.size));
}

TEUCHOS_UNIT_TEST(Agreement, RanksAreThoseOfTheCommunicator) {
  const World world;
  MPI_Comm reversed = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &reversed));
  const bool bad = world.rank == world.size - 1;  // rank 0 of the reversed one
  TEST_EQUALITY(thrown(reversed, bad ? "bad" : ""), expected("bad", 0, world.size));
  TRIDENT_MPI_CHECK(MPI_Comm_free(&reversed));
}

TEUCHOS_UNIT_TEST(Agreement, CanBeCalledAgainAfterAnException) {
  const World world;
  for (int n = 0; n < 20; ++n) {
    const std::string problem = n % 2 ? "" : "again";
    TEST_EQUALITY(thrown(MPI_COMM_WORLD, problem).empty(), problem.empty());
  }
}

/// Returns the error of requireConsistent here; an empty text if it throws nothing.
std::string thrownByValues(const std::string& problem, const CollectiveArguments& values,
                           const std::string& later = "") {
  try {
    requireConsistent(MPI_COMM_WORLD, "Trident::Test", problem, values, later);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEUCHOS_UNIT_TEST(Alike, EqualValuesAreFine) {
  TEST_EQUALITY(thrownByValues("", {}), "");
  TEST_EQUALITY(thrownByValues("", {{"one", "1"}, {"two", ""}}), "");
}

TEUCHOS_UNIT_TEST(Alike, FirstDifferenceIsSaidWithTwoRanks) {
  const World world;
  for (int odd = 0; odd < world.size && world.size > 1; ++odd) {
    const bool mine = world.rank == odd;
    const std::string said = thrownByValues(
        "", {{"one", "1"}, {"two", mine ? "twenty" : "2"}, {"three", mine ? "30" : "3"}});
    const std::string ranks = odd == 0 ? "twenty on rank 0 and 2 on rank 1"
                                       : "2 on rank 0 and twenty on rank " + std::to_string(odd);
    TEST_EQUALITY(said, "Trident::Test: two is " + ranks + "; pass the same on every rank");
  }
}

TEUCHOS_UNIT_TEST(AlikeOnSeveral, EveryRankItsOwn) {
  const World world;
  TRIDENT_TEST_NEEDS(world.size > 1, "one rank has no other");
  const std::string said = thrownByValues("", {{"rank", "r" + std::to_string(world.rank)}});
  TEST_ASSERT(said.find("Trident::Test: rank is r") == 0);
}

// Ranks that call different functions have lists of other lengths.
TEUCHOS_UNIT_TEST(AlikeOnSeveral, ListsOfOtherLengths) {
  const World world;
  TRIDENT_TEST_NEEDS(world.size > 1, "one rank has no other");
  CollectiveArguments values{{"one", "1"}};
  if (world.rank == world.size - 1) values.push_back({"two", "2"});
  const std::string last = std::to_string(world.size - 1);
  TEST_EQUALITY(thrownByValues("", values),
                "Trident::Test: two is not given on rank 0 and 2 on rank " + last +
                    "; pass the same on every rank");
}

// The place where a name ends and its text begins makes a difference.
TEUCHOS_UNIT_TEST(AlikeOnSeveral, NamesAndTextsDoNotMix) {
  const World world;
  TRIDENT_TEST_NEEDS(world.size > 1, "one rank has no other");
  const CollectiveArguments ab{{"a", "bc"}}, abc{{"ab", "c"}};
  TEST_ASSERT(!thrownByValues("", world.rank == 0 ? ab : abc).empty());
}

TEUCHOS_UNIT_TEST(Alike, ProblemsComeFirst) {
  const World world;
  for (int bad = 0; bad < world.size; ++bad)
    TEST_EQUALITY(thrownByValues(world.rank == bad ? "no memory" : "",
                                 {{"rank", std::to_string(world.rank)}}),
                  expected("no memory", bad, world.size));
}

TEUCHOS_UNIT_TEST(Alike, LaterProblemsCountWhereValuesAreAlike) {
  const World world;
  for (int bad = 0; bad < world.size; ++bad) {
    const std::string later = world.rank == bad ? "other entries" : "";
    TEST_EQUALITY(thrownByValues("", {{"one", "1"}}, later),
                  expected("other entries", bad, world.size));
    if (world.size > 1)
      TEST_ASSERT(thrownByValues("", {{"rank", std::to_string(world.rank)}}, later)
                      .find("Trident::Test: rank is ") == 0);
  }
}

TEUCHOS_UNIT_TEST(Alike, AnyRankIsHeard) {
  const World world;
  for (int says = 0; says <= world.size; ++says) {
    bool any = world.rank == says;
    requireConsistent(MPI_COMM_WORLD, "Trident::Test", "", {}, "", &any);
    TEST_EQUALITY(any, says < world.size);
  }
}

TEUCHOS_UNIT_TEST(Agreement, RidesOnSumsAndMaxima) {
  const World world;
  std::vector<long long> sums{1, world.rank}, most{world.rank, -world.rank};
  sumEverywhere(MPI_COMM_WORLD, sums, LocalFailure());
  maximumEverywhere(MPI_COMM_WORLD, most, LocalFailure());
  const std::vector<long long> all{world.size, world.size * (world.size - 1) / 2};
  TEST_COMPARE_ARRAYS(sums, all);
  TEST_COMPARE_ARRAYS(most, (std::vector<long long>{world.size - 1, 0}));
  LocalFailure failure;
  if (world.rank == world.size - 1) failure.guard([] { throw Error("no memory"); });
  TEST_THROW(sumEverywhere(MPI_COMM_WORLD, sums, failure), Error);
  TEST_THROW(maximumEverywhere(MPI_COMM_WORLD, most, failure), Error);
}

}  // namespace

}  // namespace Trident::Impl
