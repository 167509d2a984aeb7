// SPDX-License-Identifier: BSD-3-Clause
// Things kept on a communicator: made once, found again, released in time.

#include <dirent.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_DefaultSerialComm.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <memory>
#include <vector>

#include "Grid_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_Nodes.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_Communicator.hpp"

namespace Trident::Impl {
namespace {

using TestTools::worldRank;
using TestTools::worldSize;

MPI_Comm copyOfWorld() {
  MPI_Comm comm = MPI_COMM_NULL;
  TRIDENT_MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  return comm;
}

int sumOfRanks(MPI_Comm comm) {
  int rank = 0, sum = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  TRIDENT_MPI_CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  return sum;
}

/// Makes a grid of the host as one node, however many ranks: p_r = 1 and p_c = 1; or of every rank
/// as a node of its own.
std::shared_ptr<GridExchanges> anyGrid(Context& context, int ranksPerNode = 1) {
  const NodeLayout& nodes = context.layout(ranksPerNode);
  return context.grid(ranksPerNode, {nodes.nodes(), 1, nodes.lambda});
}

TEUCHOS_UNIT_TEST(Context, IsMadeOncePerCommunicator) {
  MPI_Comm comm = copyOfWorld();
  Context& context = Context::of(comm);
  TEST_ASSERT(&context == &Context::of(comm));
  TEST_ASSERT(&context != &Context::of(MPI_COMM_WORLD));
  TEST_ASSERT(context.comm() != comm);  // its messages cannot meet the application's
  TEST_ASSERT(anyGrid(context) == anyGrid(context));
  TEST_ASSERT(&context.layout(1) == &context.layout(1));
  TEST_EQUALITY_CONST(context.layout(1).lambda, 1);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

/// A launcher has dealt the ranks to two hosts in turn.
TEUCHOS_UNIT_TEST(Context, TellsTheNodesOfRanks) {
  MPI_Comm comm = copyOfWorld();
  const int ranks = worldSize(), hosts = ranks % 2 == 0 ? 2 : 1;
  std::vector<int> hostOfRank, expected;
  for (int rank = 0; rank < ranks; ++rank) {
    hostOfRank.push_back(7 - rank % hosts);
    expected.push_back(rank % hosts);
  }
  Context::create(comm, hostOfRank);
  const Teuchos::MpiComm<int> teuchosComm(comm);
  const std::vector<int> nodes = nodesOfRanks(teuchosComm);
  TEST_COMPARE_ARRAYS(nodes, expected);
  std::vector<int> ofOne = nodesOfRanks(teuchosComm, 1);
  std::sort(ofOne.begin(), ofOne.end());
  for (int rank = 0; rank < ranks; ++rank) TEST_EQUALITY(ofOne[rank], rank);
  TEST_EQUALITY_CONST(nodesOfRanks(Teuchos::SerialComm<int>()).size(), 1u);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, NodesOfRanksNeedOneNumber) {
  const Teuchos::MpiComm<int> comm(MPI_COMM_WORLD);
  TEST_THROW(nodesOfRanks(comm, -1), Error);
  if (worldSize() > 1) {
    TEST_THROW(nodesOfRanks(comm, worldRank() == 1 ? -1 : 0), Error);
    TEST_THROW(nodesOfRanks(comm, worldRank() == 1 ? 2 : 1), Error);
  }
}

TEUCHOS_UNIT_TEST(Context, HostsThatDifferByRankAreAnError) {
  MPI_Comm comm = copyOfWorld();
  std::vector<int> hosts(worldSize(), 0);
  if (worldSize() > 1) {
    if (worldRank() == 1) hosts.back() = 7;
    TEST_THROW(Context::create(comm, hosts), Error);
  }
  hosts.assign(worldSize() + 1, 0);
  TEST_THROW(Context::create(comm, hosts), Error);
  Context::create(comm, std::vector<int>(worldSize(), 0));
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, GridsDifferByShape) {
  MPI_Comm comm = copyOfWorld();
  Context& context = Context::of(comm);
  const int P = worldSize();
  const auto tall = context.grid(1, {P, 1, 1}), wide = context.grid(1, {1, P, 1});
  TEST_EQUALITY(tall->grid().shape().nodeRows, P);
  TEST_EQUALITY(wide->grid().shape().nodeCols, P);
  TEST_EQUALITY(tall == wide, P == 1);
  // What does not depend on the shape is there once: each copy would be of the order of P.
  TEST_ASSERT(tall->grid().comm() == context.comm());
  TEST_ASSERT(wide->grid().comm() == context.comm());
  TEST_ASSERT(&tall->grid().layout() == &context.layout(1));
  TEST_ASSERT(&wide->grid().layout() == &context.layout(1));
  Context::release(comm);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, FreeingTheCommunicatorReleasesIt) {
  MPI_Comm comm = copyOfWorld();
  const std::weak_ptr<GridExchanges> grid = anyGrid(Context::of(comm));
  grid.lock()->gather(RoundOptions(), MemoryKind::Host);
  TEST_ASSERT(!grid.expired());
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
  TEST_ASSERT(grid.expired());
}

TEUCHOS_UNIT_TEST(Context, ReleaseThenOfAgain) {
  MPI_Comm comm = copyOfWorld();
  const std::weak_ptr<GridExchanges> grid = anyGrid(Context::of(comm));
  Context::release(comm);
  TEST_ASSERT(grid.expired());
  Context::release(comm);  // nothing left to release
  TEST_EQUALITY(sumOfRanks(anyGrid(Context::of(comm))->grid().comm()),
                worldSize() * (worldSize() - 1) / 2);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, AGridThatIsHeldOutlivesIt) {
  MPI_Comm comm = copyOfWorld();
  std::shared_ptr<GridExchanges> grid = anyGrid(Context::of(comm), worldSize());
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
  TEST_EQUALITY(sumOfRanks(grid->grid().nodeComm()), worldSize() * (worldSize() - 1) / 2);
  NodeGather& node = grid->gather(RoundOptions(), MemoryKind::Host);
  TEST_NOTHROW(node.reserve(100, 1));
}

TEUCHOS_UNIT_TEST(Context, ADuplicateHasItsOwn) {
  MPI_Comm comm = copyOfWorld(), other = MPI_COMM_NULL;
  const std::weak_ptr<GridExchanges> grid = anyGrid(Context::of(comm));
  TRIDENT_MPI_CHECK(MPI_Comm_dup(comm, &other));
  TEST_ASSERT(&Context::of(other) != &Context::of(comm));
  TRIDENT_MPI_CHECK(MPI_Comm_free(&other));
  TEST_ASSERT(!grid.expired());
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
  TEST_ASSERT(grid.expired());
}

TEUCHOS_UNIT_TEST(ContextOfPairs, HostsCanBeGiven) {
  TRIDENT_TEST_NEEDS(worldSize() % 2 == 0, "an odd number of ranks is not dealt to two hosts");
  MPI_Comm comm = copyOfWorld();
  const std::weak_ptr<GridExchanges> old = anyGrid(Context::of(comm));
  std::vector<int> hosts(worldSize());
  for (int r = 0; r < worldSize(); ++r) hosts[r] = r % 2;  // as a launcher that deals in turn
  Context& context = Context::create(comm, hosts);
  TEST_ASSERT(old.expired());  // replaced
  TEST_ASSERT(&context == &Context::of(comm));
  TEST_EQUALITY(context.layout(0).lambda, worldSize() / 2);
  const ProcessGrid& grid = context.grid(0, {2, 1, worldSize() / 2})->grid();
  TEST_EQUALITY(grid.me().i, worldRank() % 2);
  TEST_EQUALITY(grid.me().k, worldRank() / 2);
  const ProcessGrid& wide = context.grid(0, {1, 2, worldSize() / 2})->grid();
  TEST_ASSERT(wide.comm() == grid.comm());
  TEST_EQUALITY(wide.comm() == context.comm(), worldSize() == 2);  // else in another order
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, PartsOfTheWorldAtTheSameTime) {
  // Two halves each make, use and free a context while the other half does something else.
  MPI_Comm half = MPI_COMM_NULL;
  const int color = worldRank() % 2;
  TRIDENT_MPI_CHECK(MPI_Comm_split(MPI_COMM_WORLD, color, worldRank(), &half));
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(half, &size));
  for (int n = 0; n < 3 + 5 * color; ++n) {
    TEST_EQUALITY(sumOfRanks(anyGrid(Context::of(half))->grid().comm()), size * (size - 1) / 2);
    Context::release(half);
  }
  TRIDENT_MPI_CHECK(MPI_Comm_free(&half));
}

int openFiles() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  if (!folder) return 0;  // not Linux: nothing to compare
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

/// Returns the number that MPI gives the next communicator: the lowest free one in Open MPI and in
/// MPICH.
int nextCommunicator() { return MPI_Comm_c2f(Communicator::duplicate(MPI_COMM_WORLD).get()); }

void useGrid(MPI_Comm comm, std::size_t tileBytes) {
  const auto grid = anyGrid(Context::of(comm), worldSize());
  for (GatherKind kind : {GatherKind::Mpi, GatherKind::Shared}) {
    RoundOptions options;
    options.gather = kind;
    NodeGather& node = grid->gather(options, MemoryKind::Host);
    node.reserve(tileBytes, 1);
    node.open(0);
  }
}

TEUCHOS_UNIT_TEST(Context, RepeatedUseTakesNothingMore) {
  MPI_Comm comm = copyOfWorld();
  useGrid(comm, 1000);  // the first use makes what is kept
  const int files = openFiles(), communicators = nextCommunicator();
  for (int n = 0; n < 50; ++n) useGrid(comm, 1000 + n);
  TEST_EQUALITY(openFiles(), files);
  TEST_EQUALITY(nextCommunicator(), communicators);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
}

TEUCHOS_UNIT_TEST(Context, MadeAndFreedFiftyTimes) {
  const auto once = [](int n) {
    MPI_Comm comm = copyOfWorld();
    useGrid(comm, 1000);
    if (n % 2) Context::release(comm);
    TRIDENT_MPI_CHECK(MPI_Comm_free(&comm));
  };
  once(0);
  const int files = openFiles(), communicators = nextCommunicator();
  for (int n = 0; n < 50; ++n) once(n);
  TEST_EQUALITY(openFiles(), files);
  TEST_EQUALITY(nextCommunicator(), communicators);
}

TEUCHOS_UNIT_TEST(Context, OneLeftForTheEndOfTheProgram) {
  // Not freed here: the context must be released before Kokkos and MPI end, or the test crashes.
  const MPI_Comm left = copyOfWorld();
  useGrid(left, 100);
  useGrid(MPI_COMM_WORLD, 100);
  TEST_ASSERT(&Context::of(left) != &Context::of(MPI_COMM_WORLD));
}

}  // namespace

}  // namespace Trident::Impl
