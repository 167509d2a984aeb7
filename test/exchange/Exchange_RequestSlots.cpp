// SPDX-License-Identifier: BSD-3-Clause
// Requests by memory that ranks share, by an MPI window and by messages: they arrive, those of one
// grid never at another, and where they get lost the slices come all the same.

#include <Teuchos_UnitTestHarness.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "Exchange_TestProduct.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "exchange/Trident_RequestSlots.hpp"

namespace {
std::atomic<int> sent{0}, received{0}, probed{0};  // by this rank
}

extern "C" {

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  ++sent;
  return PMPI_Issend(data, count, type, to, tag, comm, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  ++received;
  return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  ++probed;
  return PMPI_Iprobe(from, tag, comm, there, status);
}

}  // extern "C"

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::oneHost;
using TestTools::TestRun;
using TestTools::worldRank;
using TestTools::worldSize;

using MakeSlots = std::unique_ptr<RequestSlots> (*)(const ProcessGrid&);
constexpr MakeSlots makers[] = {makeRequestMemory, makeRequestWindow, makeRequestMessages};

bool threadsMultiple() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  return level == MPI_THREAD_MULTIPLE;
}

/// Makes the slots, or returns null if MPI makes no window here that can be trusted, as it says.
std::unique_ptr<RequestSlots> tryMaking(MakeSlots make, const ProcessGrid& grid,
                                        Teuchos::FancyOStream& out) {
  try {
    return make(grid);
  } catch (const Error& e) {
    out << e.what() << "\n";
    return nullptr;
  }
}

/// Returns true if every member of the line of `factor` hears what every other asks it for, and
/// nothing else. What is asked once may get lost; what is asked again may not.
bool numbersArrive(RequestSlots& slots, const ProcessGrid& grid, Factor factor) {
  const auto counters = slots.counters(factor);
  const LineSchedule line(grid.shape(), grid.me(), factor);
  const auto numberOf = [&](int asker, int owner) {
    return static_cast<std::uint64_t>(1 + asker * 1000 + owner);
  };
  for (int owner = 0; owner < line.members(); ++owner)
    if (owner != line.ownMember()) counters->ask(owner, numberOf(line.ownMember(), owner));
  for (int owner = 0; owner < line.members(); ++owner)
    if (owner != line.ownMember()) counters->askAgain(owner, numberOf(line.ownMember(), owner));
  bool right = true;
  for (int asker = 0; asker < line.members(); ++asker) {
    if (asker == line.ownMember()) continue;
    const std::uint64_t expected = numberOf(asker, line.ownMember());
    std::uint64_t heard = 0;
    while ((heard = counters->asked(asker)) != expected) {
      right = right && heard == 0;
      counters->poll();
    }
  }
  TRIDENT_MPI_CHECK(MPI_Barrier(grid.comm()));  // before the slots go
  return right;
}

TEUCHOS_UNIT_TEST(RequestSlots, NumbersArrive) {
  for (const GridShape& shape : allShapes(worldSize(), 1)) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    for (MakeSlots make : makers) {
      const auto slots = tryMaking(make, grid, out);
      if (!slots) continue;
      for (Factor factor : {Factor::A, Factor::B}) TEST_ASSERT(numbersArrive(*slots, grid, factor));
    }
  }
}

TEUCHOS_UNIT_TEST(RequestSlots, OfGridsThatShareRanks) {
  const GridRanks ranks(MPI_COMM_WORLD, layoutNodes(std::vector<int>(worldSize(), 0), 1));
  for (MakeSlots make : makers) {
    std::vector<std::unique_ptr<ProcessGrid>> grids;
    std::vector<std::unique_ptr<RequestSlots>> slots;  // of all grids at the same time
    for (const GridShape& shape : allShapes(worldSize(), 1)) {
      grids.push_back(std::make_unique<ProcessGrid>(ranks, shape));
      slots.push_back(tryMaking(make, *grids.back(), out));
    }
    for (Factor factor : {Factor::A, Factor::B})
      for (std::size_t g = 0; g < grids.size(); ++g)
        if (slots[g]) TEST_ASSERT(numbersArrive(*slots[g], *grids[g], factor));
  }
}

TEUCHOS_UNIT_TEST(RequestSlots, OfGridsSideBySide) {
  for (int parts : {2, 3, 4}) {
    if (parts > worldSize()) continue;
    // The last part is smaller than the others, where they cannot be equal.
    MPI_Comm part = MPI_COMM_NULL;
    TRIDENT_MPI_CHECK(MPI_Comm_split(MPI_COMM_WORLD, worldRank() % parts, 0, &part));
    int size = 0;
    TRIDENT_MPI_CHECK(MPI_Comm_size(part, &size));
    const GridShape shape = squareShape(size, 1);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const ProcessGrid grid(GridRanks(part, layoutNodes(std::vector<int>(size, 0), 1)), shape);
      for (MakeSlots make : makers) {
        const auto slots = tryMaking(make, grid, out);
        if (!slots) continue;
        for (Factor factor : {Factor::A, Factor::B})
          TEST_ASSERT(numbersArrive(*slots, grid, factor));
      }
    }
    TRIDENT_MPI_CHECK(MPI_Comm_free(&part));
  }
}

/// Asks every other member of the line, whose ranks look at nothing.
void askInVain(RequestSlots& slots, const ProcessGrid& grid, Factor factor, std::uint64_t count) {
  const auto counters = slots.counters(factor);
  const LineSchedule line(grid.shape(), grid.me(), factor);
  for (int owner = 0; owner < line.members(); ++owner)
    if (owner != line.ownMember()) counters->askAgain(owner, count);
}

/// Returns true if nobody has asked this rank, as far as it sees after a while.
bool nobodyAsks(RequestSlots& slots, const ProcessGrid& grid, Factor factor) {
  const auto counters = slots.counters(factor);
  const LineSchedule line(grid.shape(), grid.me(), factor);
  bool nobody = true;
  for (int polls = 0; polls < 20; ++polls) {
    counters->poll();
    for (int member = 0; member < line.members(); ++member)
      if (member != line.ownMember()) nobody = nobody && counters->asked(member) == 0;
  }
  return nobody;
}

int sumOfRanks(int mine) {
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  return mine;
}

// MPI gives the next grid's lines the numbers of those before, and messages name lines by these.
TEUCHOS_UNIT_TEST(RequestSlots, NothingComesToTheNextGrid) {
  const GridRanks ranks(MPI_COMM_WORLD, layoutNodes(std::vector<int>(worldSize(), 0), 1));
  const GridShape shape = squareShape(worldSize(), 1);
  for (MakeSlots make : makers)
    for (int repeat = 1; repeat <= 5; ++repeat) {
      const ProcessGrid grid(ranks, shape);
      const auto slots = tryMaking(make, grid, out);
      if (!slots) continue;
      for (Factor factor : {Factor::A, Factor::B}) TEST_ASSERT(nobodyAsks(*slots, grid, factor));
      TRIDENT_MPI_CHECK(MPI_Barrier(grid.comm()));  // before somebody asks
      // Who is late asks ranks that have nothing more to do with this grid, if they do not wait.
      if (worldRank() % 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      sent = received = 0;
      for (Factor factor : {Factor::A, Factor::B}) askInVain(*slots, grid, factor, 1000 + repeat);
      TEST_EQUALITY_CONST(sumOfRanks(sent - received), 0);
    }
}

// A thread that looks a thousand times a second must not pay for more than it finds, and who asks
// for days must not fill memory with what it has sent.
TEUCHOS_UNIT_TEST(RequestSlots, AMessageForANumberAndAProbeForALook) {
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const auto slots = makeRequestMessages(grid);
  for (Factor factor : {Factor::A, Factor::B}) {
    const auto counters = slots->counters(factor);
    const LineSchedule line(shape, grid.me(), factor);
    probed = 0;
    for (int polls = 0; polls < 100; ++polls) counters->poll();
    TEST_EQUALITY(probed.load(), 100);
    TRIDENT_MPI_CHECK(MPI_Barrier(grid.comm()));  // before somebody asks
    sent = 0;
    for (std::uint64_t count : {1, 1, 2, 2, 1})
      for (int owner = 0; owner < line.members(); ++owner)
        if (owner != line.ownMember())
          for (int again = 0; again < 10; ++again) counters->askAgain(owner, count);
    TEST_EQUALITY(sent.load(), 2 * (line.members() - 1));
  }
}

/// Loses every request, as long as it is not asked again.
class LosingCounters : public RequestCounters {
 public:
  explicit LosingCounters(std::unique_ptr<RequestCounters> wrapped)
      : wrapped_(std::move(wrapped)) {}
  void ask(int, std::uint64_t) override {}
  void askAgain(int owner, std::uint64_t count) override { wrapped_->askAgain(owner, count); }
  void poll() override { wrapped_->poll(); }
  std::uint64_t asked(int member) const override { return wrapped_->asked(member); }

 private:
  std::unique_ptr<RequestCounters> wrapped_;
};

TEUCHOS_UNIT_TEST(SlotsOfSeveral, LostRequestsAreAskedAgain) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(threadsMultiple() && shape.nodes() > 1,
                     "requests need MPI_THREAD_MULTIPLE and several nodes");
  for (MakeSlots make : makers) {
    ExchangeWrappers wrappers;
    wrappers.slots = make;
    wrappers.counters = [](std::unique_ptr<RequestCounters> counters) {
      return std::make_unique<LosingCounters>(std::move(counters));
    };
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, wrappers);
    RoundOptions options;
    options.exchange = ExchangeKind::RequestQueue;
    try {
      exchanges.chooseExchange(options, MemoryKind::Host, 2);
    } catch (const Error& e) {
      out << e.what() << "\n";
      continue;
    }
    Delay delay(17, 10);
    for (Factor factor : {Factor::A, Factor::B})
      for (int number = 0; number < 3; ++number)
        TEST_EQUALITY(
            TestTools::runProduct(exchanges.exchange(factor, ExchangeKind::RequestQueue, 0), shape,
                                  exchanges.grid().me(), factor, number, 1, delay,
                                  exchanges.grid().internodeOnLine(factor)),
            0);
  }
}

}  // namespace

}  // namespace Trident::Impl
