// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory, anywhere in a product, ends it on all ranks with one exception,
// and the next product is right. Every allocation of a product fails once, by a Kokkos callback.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_FailingAllocation.hpp"
#include "Trident_TestNeeds.hpp"

namespace Trident::Impl {
namespace {

using TestTools::FailingAllocation;
using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::uniformSpace;
using TestTools::worldRank;
using TestTools::worldSize;

/// Returns the error of a product if allocation `number` of rank `victim` fails; an empty text if
/// it succeeds.
std::string refusal(const Matrix& A, const RoundOptions& options, int victim, int number) {
  const FailingAllocation failing(worldRank() == victim ? number : FailingAllocation::never);
  try {
    multiplyOnGrid(A, A, options);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

std::vector<RoundOptions> waysOn(const GridShape& shape) {
  std::vector<RoundOptions> ways;
  for (ExchangeKind kind : TestTools::exchangesOn(shape)) {
    RoundOptions options;
    options.exchange = kind;
    options.fuseRounds = 1;
    options.gather = ways.empty() ? GatherKind::Mpi : GatherKind::Shared;
    ways.push_back(options);
  }
  ways.push_back(ways.front());
  ways.back().fuseRounds = 0;
  if (shape.canFetchRows())
    for (int fuse : {0, 1}) {
      ways.push_back(ways.front());
      ways.back().fuseRounds = fuse;
      ways.back().fetch = FetchKind::NeededRows;
    }
  return ways;
}

std::vector<GridShape> testedGrids() {
  std::vector<GridShape> grids = gridsOf(worldSize(), {1, 2});
  const GridShape square = squareShape(worldSize(), 1);
  grids.push_back(summaShape(square.nodeRows, square.nodeCols));
  return grids;
}

// A sample of allocations fails on devices: products allocate more there, and take longer.
TEUCHOS_UNIT_TEST(Failure, EveryAllocationOfAProduct) {
  const int stride = isHost<TestTools::Device> ? 1 : 13;
  const Formula formula{5, 30};
  const auto full = formula.full(24, 24);
  for (const GridShape& shape : testedGrids()) {
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, 24);
    const Matrix A = makeMatrix(exchanges, space, space, formula);
    // Its tiles stay in the gather's storage: where a failed rank writes nothing, they are no CSR
    // arrays of A's size, and who takes them for such crashes.
    const auto larger = uniformSpace(shape, 60);
    const Matrix full60 = makeMatrix(exchanges, larger, larger, Formula{6, 100});
    const int victim = worldSize() / 2;
    const std::string blamed =
        "rank " + std::to_string(victim) + " of " + std::to_string(worldSize());
    for (const RoundOptions& options : waysOn(shape)) {
      for (int number = 0;; number += stride) {
        multiplyOnGrid(full60, full60, options);
        const std::string text = refusal(A, options, victim, number);
        if (text.empty()) {
          TEST_ASSERT(FailingAllocation::label().empty());  // no failure went unnoticed
          out << shape.name() << " " << TestTools::describe(options) << ": " << number
              << " allocations\n";
          TEST_COMPARE(number, >, 0);
          break;
        }
        if (worldRank() == victim) out << FailingAllocation::label() << ": " << text << "\n";
        TEST_ASSERT(text.find("injected failure") == 0);
        TEST_ASSERT(worldSize() == 1 || text.find(blamed) != std::string::npos);
      }
      TRIDENT_TEST_OK(differences(gathered(multiplyOnGrid(A, A, options)), product(full, full)));
    }
  }
}

// The ranks of a node reserve their tile together, and not again where it is large enough. A rank
// that fails as it prepares needed rows must not take the tile for larger than the others do.
TEUCHOS_UNIT_TEST(Failure, EveryAllocationWhereTheTileIsKept) {
  for (const GridShape& shape : testedGrids()) {
    if (!shape.canFetchRows()) continue;
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, 60);
    const Matrix A = makeMatrix(exchanges, space, space, Formula{7, 3});
    RoundOptions options;
    options.fetch = FetchKind::NeededRows;
    const auto expected =
        gathered(multiplyOnGrid(A, A, options));  // reserves just this product's tile
    for (int number = 0;; ++number) {
      const std::string text = refusal(A, options, worldSize() / 2, number);
      if (text.empty()) break;
      TEST_ASSERT(text.find("injected failure") == 0);
    }
    TRIDENT_TEST_OK(differences(gathered(multiplyOnGrid(A, A, options)), expected));
  }
}

// The first product on a grid reserves its tile.
TEUCHOS_UNIT_TEST(Failure, TheTileItself) {
  const Formula formula{8, 30};
  const auto full = formula.full(24, 24);
  RoundOptions options;
  options.gather = GatherKind::Mpi;
  for (const GridShape& shape : gridsOf(worldSize(), {2, 3})) {
    if (shape.lambda == 1) continue;
    const auto exchanges = makeExchanges(shape);
    const auto space = uniformSpace(shape, 24);
    const Matrix A = makeMatrix(exchanges, space, space, formula);
    const int victim = worldSize() - 1;
    std::string text;
    {
      const FailingAllocation failing(worldRank() == victim ? 0 : FailingAllocation::never,
                                      "Trident::tile");
      try {
        multiplyOnGrid(A, A, options);
      } catch (const Error& e) {
        text = e.what();
      }
    }
    out << shape.name() << ": " << text << "\n";
    TEST_ASSERT(text.find("injected failure") == 0);
    TEST_ASSERT(text.find("rank " + std::to_string(victim)) != std::string::npos);
    if (worldRank() == victim) TEST_EQUALITY(FailingAllocation::label(), "Trident::tile");
    TRIDENT_TEST_OK(differences(gathered(multiplyOnGrid(A, A, options)), product(full, full)));
  }
}

/// Counts this rank's local products, and holds up the first until the victim's failure is marked.
class Witness {
 public:
  static int& products() {
    static int products = 0;
    return products;
  }
  /// Called at the beginning of each local product.
  static std::function<void()>& hold() {
    static std::function<void()> hold;
    return hold;
  }
  Witness() {
    products() = 0;
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(count);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(count);
  }
  ~Witness() {
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    hold() = nullptr;
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

 private:
  static void count(const char* kernel, std::uint32_t, std::uint64_t*) {
    if (std::string(kernel) != "Trident::countMultiplyAdds") return;
    if (hold()) hold()();
    ++products();
  }
};

/// Says when a round's tile is opened.
class GatherWithHook : public NodeGather {
 public:
  GatherWithHook(std::unique_ptr<NodeGather> wrapped, std::function<void()>& hook)
      : wrapped_(std::move(wrapped)), hook_(hook) {}
  GatherKind kind() const override { return wrapped_->kind(); }
  MemoryKind memory() const override { return wrapped_->memory(); }
  bool overlaps() const override { return wrapped_->overlaps(); }
  void reserve(std::size_t bytes, int slots) override { wrapped_->reserve(bytes, slots); }
  void* open(int slot) override {
    if (hook_) hook_();
    return wrapped_->open(slot);
  }
  void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    wrapped_->start(slot, blocks, traffic);
  }
  void finish(int slot) override { wrapped_->finish(slot); }

 private:
  std::unique_ptr<NodeGather> wrapped_;
  std::function<void()>& hook_;
};

/// Lets rank `victim` fail in round 0 of a product along one column of nodes. Returns how many
/// rounds this rank multiplied. With the request queue the others are held in round 0 until the
/// mark is made: nothing else keeps them from asking for the last round before the first has
/// failed.
int productsAfterFailure(const GridShape& shape, ExchangeKind kind, int victim,
                         std::string& refusal) {
  std::function<void()> opened;
  ExchangeWrappers wrappers;
  wrappers.gather = [&](std::unique_ptr<NodeGather> gather) {
    return std::make_unique<GatherWithHook>(std::move(gather), opened);
  };
  const auto exchanges = makeExchanges(shape, 1, wrappers);
  const auto space = uniformSpace(shape, 60);
  const Matrix A = makeMatrix(exchanges, space, space, Formula{5, 50});
  RoundOptions options;
  options.exchange = kind;
  options.gather = GatherKind::Mpi;
  options.fuseRounds = 1;
  options.prefetchDepth = 0;
  multiplyOnGrid(A, A, options);  // the window's making is no part of what is held up

  const FailingAllocation none(FailingAllocation::never);
  const Witness witness;
  const bool held = kind == ExchangeKind::RequestQueue;
  const auto meet = [] { TRIDENT_MPI_CHECK(MPI_Barrier(MPI_COMM_WORLD)); };
  int round = 0;
  if (worldRank() == victim)
    opened = [&] {
      if (round == 0) FailingAllocation::left() = 0;  // the next allocation is round 0's
      if (round == 2 && held) meet();  // it is at the end of round 1 that a failure in 0 is marked
      ++round;
    };
  else if (held)
    Witness::hold() = [&] {
      if (Witness::products() == 0) meet();
    };
  try {
    multiplyOnGrid(A, A, options);
  } catch (const Error& e) {
    refusal = e.what();
  }
  return Witness::products();
}

TEUCHOS_UNIT_TEST(FailureOnSeveral, OtherNodesStopOnceTheySeeTheMark) {
  const int N = worldSize();
  TRIDENT_TEST_NEEDS(N >= 4, "in fewer rounds a prefetched slice may be older than the failure");
  const GridShape shape{N, 1, 1};
  const int victim = N / 2;
  for (ExchangeKind kind : {ExchangeKind::RequestQueue, ExchangeKind::Prefetch}) {
    std::string refusal;
    const int products = productsAfterFailure(shape, kind, victim, refusal);
    out << TestTools::exchangeName(kind) << ": " << refusal << "\n";
    TEST_ASSERT(refusal.find("injected failure") != std::string::npos);
    TEST_ASSERT(refusal.find("rank " + std::to_string(victim) + " of") != std::string::npos);
    // This rank needs the victim's slice in round (victim - rank) mod N; no later round is
    // multiplied, and fewer are where the word came earlier from another rank.
    const int needed = (victim - worldRank() + N) % N;
    const bool known = worldRank() == victim || kind == ExchangeKind::RequestQueue;
    TEST_COMPARE(products, <=, known ? needed : N - 1);
  }
}

}  // namespace

}  // namespace Trident::Impl
