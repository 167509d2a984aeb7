// SPDX-License-Identifier: BSD-3-Clause
// Random products on random grids over moody exchanges, against dense ones; some of them after a
// rank ran out of memory. Every configuration follows from the seed and the number of ranks.
//
// Usage: [--products N | --seconds N] [--seed N] [--level single|funneled|serialized|multiple]
//        [--failures yes|no] [--patience SECONDS]
//
// One line for each product before it runs, so that the last line is the one that failed or hangs.
// Where a product takes longer than --patience, every rank says which, and the program has failed.

#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "Exchange_FaultyTransport.hpp"
#include "Stress_Configuration.hpp"
#include "Trident_FailingAllocation.hpp"
#include "Trident_ScopeGuard.hpp"
#include "Trident_Watchdog.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace Stress {
namespace {

using TestTools::Dense;
using TestTools::FailingAllocation;
using TestTools::Formula;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::worldRank;
using TestTools::worldSize;

struct Arguments {
  long long products = 100;
  double seconds = 0;  ///< 0: as many products as asked for
  unsigned long long seed = 1;
  std::string threads = "multiple";
  bool failures = true;
  double patience = 0;  ///< 0: any

  Arguments(int argc, char* argv[]) {
    for (int n = 1; n + 1 < argc; n += 2) {
      const std::string name = argv[n];
      if (name == "--products")
        products = std::stoll(argv[n + 1]);
      else if (name == "--seconds")
        seconds = std::stod(argv[n + 1]);
      else if (name == "--seed")
        seed = std::stoull(argv[n + 1]);
      else if (name == "--level")
        threads = argv[n + 1];
      else if (name == "--failures")
        failures = std::string(argv[n + 1]) == "yes";
      else if (name == "--patience")
        patience = std::stod(argv[n + 1]);
      else
        throw std::invalid_argument("unknown: " + name);
    }
  }
  int threadLevel() const {
    if (threads == "single") return MPI_THREAD_SINGLE;
    if (threads == "funneled") return MPI_THREAD_FUNNELED;
    if (threads == "serialized") return MPI_THREAD_SERIALIZED;
    if (threads == "multiple") return MPI_THREAD_MULTIPLE;
    throw std::invalid_argument("--level " + threads);
  }
};

void say(const std::string& line) {
  if (worldRank() != 0) return;
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

/// Counts the ranks that `here` is true on.
int countRanks(bool here) {
  int count = here ? 1 : 0;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  return count;
}

/// The factors of one configuration, on the grid and dense.
struct Case {
  Matrix A, B, C;
  Dense<double> expected;

  Case(const ProductConfiguration& what, const std::shared_ptr<GridExchanges>& exchanges)
      : expected(0, 0) {
    Random random(what.seed);
    TestTools::Space spaces[4];
    for (int n = 0; n < 4; ++n)
      spaces[n] = TestTools::randomSpace(exchanges->grid().shape(), what.sizes[n], random);
    Dense<double> full[3] = {{0, 0}, {0, 0}, {0, 0}};
    Matrix* const factors[] = {&A, &B, &C};
    for (int n = 0; n < 3; ++n) {
      const Formula formula{random(), what.percents[n]};
      *factors[n] =
          TestTools::makeMatrix(exchanges, spaces[n], spaces[n + 1], formula, random() % 2);
      full[n] = formula.full(what.sizes[n], what.sizes[n + 1]);
    }
    expected = product(full[0], full[1]);
    if (what.chain != Chain::Single) expected = product(expected, full[2]);
  }
};

/// Returns the fault of a product in which a rank runs out of memory; it fails nowhere if
/// that rank allocates less often.
std::string tryFailure(const Case& factors, const ProductConfiguration& what) {
  std::string text;
  {
    const FailingAllocation failing(worldRank() == what.victim ? what.allocation
                                                               : FailingAllocation::never);
    try {
      multiplyOnGrid(factors.A, factors.B, what.options);
    } catch (const std::exception& e) {
      text = e.what();
    }
  }
  if (worldRank() == what.victim && !FailingAllocation::label().empty())
    std::printf("   failed: %s\n", FailingAllocation::label().c_str());
  const bool injected = countRanks(!FailingAllocation::label().empty()) > 0;
  const int threw = countRanks(!text.empty());
  if (threw != (injected ? worldSize() : 0))
    return "injected " + std::to_string(injected) + ", thrown on " + std::to_string(threw) +
           " ranks: " + text;
  const std::string blamed =
      "rank " + std::to_string(what.victim) + " of " + std::to_string(worldSize());
  if (injected && text.find("injected failure") == std::string::npos)
    return "another failure: " + text;
  if (injected && worldSize() > 1 && text.find(blamed) == std::string::npos)
    return "blames another rank: " + text;
  return "";
}

std::string tryProduct(const Case& factors, const ProductConfiguration& what) {
  try {
    Matrix C;
    if (what.chain == Chain::Right)
      C = multiplyOnGrid(factors.A, multiplyOnGrid(factors.B, factors.C, what.options),
                         what.options);
    else
      C = multiplyOnGrid(factors.A, factors.B, what.options);
    if (what.chain == Chain::Left) C = multiplyOnGrid(C, factors.C, what.options);
    return differences(TestTools::gathered(C), factors.expected);
  } catch (const std::exception& e) {
    return e.what();
  }
}

/// Returns true if all ranks found the product right; says what they found else.
bool right(const std::string& problem) {
  if (countRanks(!problem.empty()) == 0) return true;
  if (!problem.empty()) std::printf("FAILED on rank %d: %s\n", worldRank(), problem.c_str());
  std::fflush(stdout);
  return false;
}

class Stress {
 public:
  explicit Stress(const Arguments& arguments)
      : arguments_(arguments), random_(arguments.seed), watchdog_(arguments.patience) {
    int level = MPI_THREAD_SINGLE;
    TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
    threadsMultiple_ = level == MPI_THREAD_MULTIPLE;
    if (level != arguments.threadLevel())
      say("MPI gives thread level " + std::to_string(level) + ", not " + arguments.threads);
  }

  /// @return whether all products were right
  bool run() {
    while (goesOn()) {
      const GridConfiguration grid(random_);
      const auto seed = static_cast<unsigned>(random_());
      say("grid " + grid.text());
      ExchangeWrappers wrappers =
          grid.microseconds == 0
              ? ExchangeWrappers()
              : TestTools::faultyWrappers(seed, grid.microseconds, worldRank(), worldSize());
      if (grid.messages) wrappers.slots = makeRequestMessages;
      const auto exchanges = std::make_shared<GridExchanges>(
          GridRanks(MPI_COMM_WORLD, grid.layout()), grid.shape, wrappers);
      // Exchanges are kept by those who use them: several products on each.
      const int most = 1 + static_cast<int>(random_() % 8);
      for (int n = 0; n < most && goesOn(); ++n)
        if (!runOne(exchanges)) return false;
    }
    return true;
  }

  long long done() const { return done_; }
  long long failures() const { return failures_; }

 private:
  bool runOne(const std::shared_ptr<GridExchanges>& exchanges) {
    ProductConfiguration what(random_, exchanges->grid().shape(), threadsMultiple_);
    if (!arguments_.failures) what.victim = -1;
    const std::string line = std::to_string(done_) + ": " + what.text();
    watchdog_.at(line);
    say(line);
    const Case factors(what, exchanges);
    if (what.victim >= 0) {
      if (!right(tryFailure(factors, what))) return false;
      ++failures_;
    }
    if (!right(tryProduct(factors, what))) return false;
    done_ += what.chain == Chain::Single ? 1 : 2;
    return true;
  }

  bool goesOn() {
    if (arguments_.seconds <= 0) return done_ < arguments_.products;
    int more = std::chrono::duration<double>(Clock::now() - start_).count() < arguments_.seconds;
    TRIDENT_MPI_CHECK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return more;
  }

  using Clock = std::chrono::steady_clock;

  Arguments arguments_;
  Random random_;
  TridentTest::Watchdog watchdog_;
  bool threadsMultiple_ = false;
  long long done_ = 0, failures_ = 0;
  Clock::time_point start_ = Clock::now();
};

int run(const Arguments& arguments) {
  const std::string command = "--seed " + std::to_string(arguments.seed) + " --level " +
                              arguments.threads + " on " + std::to_string(worldSize()) + " ranks";
  say("stress " + command);
  Stress stress(arguments);
  const bool right = stress.run();
  say((right ? "right: " : "FAILED after ") + std::to_string(stress.done()) + " products, " +
      std::to_string(stress.failures()) + " injected failures; " + command);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace Stress

}  // namespace Trident::Impl

int main(int argc, char* argv[]) {
  const Trident::Impl::Stress::Arguments arguments(argc, argv);
  Trident::ScopeGuard scope(&argc, &argv, arguments.threadLevel());
  return Trident::Impl::Stress::run(arguments);
}
