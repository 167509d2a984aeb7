// SPDX-License-Identifier: BSD-3-Clause
// The owner of a communicator.

#include <Teuchos_UnitTestHarness.hpp>
#include <type_traits>
#include <utility>
#include <vector>

#include "Grid_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_Communicator.hpp"

namespace Trident::Impl {
namespace {

using TestTools::worldRank;
using TestTools::worldSize;

static_assert(!std::is_copy_constructible<Communicator>::value, "two owners would free twice");

TEUCHOS_UNIT_TEST(Communicator, DefaultIsNull) {
  const Communicator none;
  TEST_ASSERT(none.get() == MPI_COMM_NULL);
  TEST_EQUALITY_CONST(none.size(), 1);
  TEST_EQUALITY_CONST(none.rank(), 0);
}

TEUCHOS_UNIT_TEST(Communicator, DuplicateIsCongruentAndNotTheSame) {
  const Communicator copy = Communicator::duplicate(MPI_COMM_WORLD);
  int result = MPI_UNEQUAL;
  TRIDENT_MPI_CHECK(MPI_Comm_compare(copy.get(), MPI_COMM_WORLD, &result));
  TEST_EQUALITY_CONST(result, MPI_CONGRUENT);
  TEST_EQUALITY(copy.rank(), worldRank());
  TEST_EQUALITY(copy.size(), worldSize());
}

TEUCHOS_UNIT_TEST(Communicator, SplitOrdersByKey) {
  const Communicator reversed = Communicator::split(MPI_COMM_WORLD, 0, -worldRank());
  TEST_EQUALITY(reversed.rank(), worldSize() - 1 - worldRank());
  const Communicator alone = Communicator::split(MPI_COMM_WORLD, worldRank(), 0);
  TEST_EQUALITY_CONST(alone.size(), 1);
  TEST_EQUALITY_CONST(alone.rank(), 0);
}

/// Returns true if every rank finds the world's ranks, in their order, in `other`. Collective.
bool sameRanksEverywhere(const Communicator& other) {
  int same = sameRanksHere(MPI_COMM_WORLD, other.get());
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return same;
}

TEUCHOS_UNIT_TEST(Communicator, SameRanksAreThoseInTheSameOrder) {
  const int P = worldSize(), me = worldRank();
  TEST_ASSERT(sameRanksHere(MPI_COMM_WORLD, MPI_COMM_WORLD));
  TEST_ASSERT(sameRanksHere(MPI_COMM_WORLD, Communicator::duplicate(MPI_COMM_WORLD).get()));
  TEST_ASSERT(sameRanksHere(MPI_COMM_WORLD, Communicator::split(MPI_COMM_WORLD, 0, me).get()));
  const auto ordered = [](int key) { return Communicator::split(MPI_COMM_WORLD, 0, key); };
  TEST_EQUALITY(sameRanksEverywhere(ordered(-me)), P == 1);
  TEST_EQUALITY(sameRanksEverywhere(ordered((me + 1) % P)), P == 1);
  // Two neighbours have changed places.
  for (int first = 0; first + 1 < P; ++first)
    TEST_ASSERT(!sameRanksEverywhere(ordered(me == first ? me + 1 : me == first + 1 ? first : me)));
  TEST_EQUALITY(sameRanksEverywhere(Communicator::split(MPI_COMM_WORLD, me, 0)), P == 1);
  TEST_EQUALITY(sameRanksEverywhere(Communicator::split(MPI_COMM_WORLD, me == 0, me)), P == 1);
}

TEUCHOS_UNIT_TEST(Communicator, KnowsWorldRanks) {
  const Communicator reversed = Communicator::split(MPI_COMM_WORLD, 0, -worldRank());
  for (int rank = 0; rank < worldSize(); ++rank)
    TEST_EQUALITY(worldRankOf(reversed.get(), rank), worldSize() - 1 - rank);
}

TEUCHOS_UNIT_TEST(Communicator, MovedFromIsNull) {
  Communicator one = Communicator::duplicate(MPI_COMM_WORLD);
  const MPI_Comm handle = one.get();
  Communicator two(std::move(one));
  TEST_ASSERT(one.get() == MPI_COMM_NULL);
  TEST_ASSERT(two.get() == handle);
  TEST_EQUALITY(two.rank(), worldRank());
  TEST_EQUALITY(two.size(), worldSize());
  Communicator three;
  three = std::move(two);
  TEST_ASSERT(two.get() == MPI_COMM_NULL);
  TEST_ASSERT(three.get() == handle);
  TEST_EQUALITY(three.rank(), worldRank());
  TRIDENT_MPI_CHECK(MPI_Barrier(three.get()));  // still alive
}

TEUCHOS_UNIT_TEST(Communicator, ErrorsAreReturnedNotFatal) {
  const Communicator both[] = {Communicator::duplicate(MPI_COMM_WORLD),
                               Communicator::split(MPI_COMM_WORLD, 0, worldRank())};
  for (const Communicator& comm : both) {
    const int nobody = comm.size();
    const int value = 1;
    TEST_INEQUALITY(MPI_Send(&value, 1, MPI_INT, nobody, 0, comm.get()), MPI_SUCCESS);
    TEST_THROW(TRIDENT_MPI_CHECK(MPI_Send(&value, 1, MPI_INT, nobody, 0, comm.get())), Error);
  }
}

TEUCHOS_UNIT_TEST(Communicator, FreesWhatItOwns) {
  // A handle's Fortran number is the lowest free one in Open MPI and in MPICH, so that it grows
  // with every communicator that is not freed.
  const auto nextNumber = [] {
    return MPI_Comm_c2f(Communicator::duplicate(MPI_COMM_WORLD).get());
  };
  const MPI_Fint before = nextNumber();
  for (int n = 0; n < 100; ++n) {
    Communicator kept = Communicator::duplicate(MPI_COMM_WORLD);
    kept = Communicator::split(MPI_COMM_WORLD, 0, 0);  // the old one goes with the temporary
    const Communicator moved(std::move(kept));
  }
  TEST_EQUALITY(nextNumber(), before);
}

}  // namespace

}  // namespace Trident::Impl
