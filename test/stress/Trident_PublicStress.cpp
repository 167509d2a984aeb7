// SPDX-License-Identifier: BSD-3-Clause
// Random products by the public calls, in parts of the world at the same time, against dense ones;
// among them such that must be refused. All follows from the seed and the number of ranks.
//
// Usage: [--products N | --seconds N] [--seed N] [--level single|funneled|serialized|multiple]
//        [--without NAME,... | --only NAME,...] [--from ROUND] [--patience SECONDS] [--scarce]
//        [--verbose] [--keep-going]
//
// A round is one split of the world, in each part of which there are some products. `--from` forms
// only those of later rounds, in the same splits (without the plans that parts had kept till then).
// Where a product takes longer than --patience, every rank says which, and the program has failed.

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "Public_Changes.hpp"
#include "Public_Counters.hpp"
#include "Public_Delays.hpp"
#include "Public_Large.hpp"
#include "Public_Refusals.hpp"
#include "Trident_ScopeGuard.hpp"
#include "Trident_Watchdog.hpp"

namespace TridentTest {
namespace PublicStress {
namespace {

struct Dimension {
  const char* name;
  double share;
  Outcome (*run)(const Setting&);
};

/// Lists the dimensions. The first has the rest, and what is left out.
const std::vector<Dimension>& dimensions() {
  static const std::vector<Dimension> all{
      {"products", 0, runProducts},  {"patterns", 0.10, runPatterns},
      {"plans", 0.12, runPlans},     {"kept-plans", 0.10, runKeptPlans},
      {"options", 0.08, runOptions}, {"strays", 0.08, runStrays},
      {"changes", 0.12, runChanges}, {"memory", 0.10, runMemory},
      {"large", 0.10, runLarge}};
  return all;
}

/// Returns true if a dimension is on. Large products are only where memory is small.
bool isOn(const Dimension& dimension, const Arguments& arguments) {
  return arguments.with(dimension.name) && (arguments.scarce || dimension.run != runLarge);
}

const Dimension& drawDimension(Random& random, const Arguments& arguments) {
  double at = random.real();
  for (const Dimension& dimension : dimensions())
    if ((at -= dimension.share) < 0 && dimension.share > 0)
      return isOn(dimension, arguments) ? dimension : dimensions()[0];
  return dimensions()[0];
}

class PublicStressRun {
 public:
  PublicStressRun(const Arguments& arguments, Watchdog& watchdog)
      : arguments_(arguments), watchdog_(watchdog), random_(arguments.seed) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &worldRank_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &worldSize_));
  }

  void run() {
    while (goesOn()) {
      const int which = makeOrEndSplits();
      const long long before = done_;
      runRound(*splits_[which]);
      ++round_;
      if (worldRank_ == 0 && done_ > before) print(say(done_, " products"));  // it gets further
    }
    watchdog_.at("the end");
    splits_.clear();
  }

  Counters counters() const { return counters_.gathered(); }
  long long done() const { return done_; }

 private:
  /// Changes the pool of living splits; the one to use now. Collective over the world.
  int makeOrEndSplits() {
    watchdog_.at(say("round ", round_, ": splits are made and ended"));
    if (random_.chance(0.1)) most_ = random_.between(1, 4);
    while (static_cast<int>(splits_.size()) > most_ || (splits_.size() > 1 && random_.chance(0.1)))
      splits_.erase(splits_.begin() + random_.below(static_cast<int>(splits_.size())));
    if (splits_.empty() || (static_cast<int>(splits_.size()) < most_ && random_.chance(0.4)))
      splits_.push_back(std::make_unique<Split>(random_, made_++, arguments_));
    return random_.below(static_cast<int>(splits_.size()));
  }

  /// Runs a round of this part; other parts go through theirs meanwhile.
  void runRound(const Split& split) {
    std::vector<int> counts(worldSize_, 0);
    for (int part = 0; part < std::max(split.parts(), 1); ++part) {
      counts[part] = random_.between(0, 4);
      for (const int color : split.colors())
        if (color == part) {
          done_ += counts[part];
          break;
        }
    }
    const std::uint64_t seed = random_.below(1 << 30);
    const bool release = random_.chance(0.05);
    if (!split.part() || round_ < arguments_.from) return;
    Part& part = *split.part();
    if (release) Trident::Impl::Context::release(part.products->raw());
    for (int product = 0; product < counts[split.color()]; ++product)
      runProduct(part, (seed * 64 + split.color()) * 8 + product);
  }

  void runProduct(Part& part, std::uint64_t seed) {
    Random random(seed);
    const Dimension& dimension = drawDimension(random, arguments_);
    const int delay = arguments_.with("delays") ? random.oneOf<int>({0, 0, 0, 100, 1000}) : 0;
    const Delays delays(static_cast<unsigned>(seed) + 7919u * worldRank_, delay);
    std::vector<std::string> tags{std::string(" ") + dimension.name};
    const auto tell = [&](const std::string& text, const std::vector<std::string>& more) {
      tags.insert(tags.end(), more.begin(), more.end());
      const std::string line =
          say("round ", round_, " of ", splits_.size(), " living splits, ", part.text, ": ",
              dimension.name, delay ? ", delayed: " : ": ", text);
      watchdog_.at(line);
      if (arguments_.verbose && part.rank() == 0) print(line);
      line_ = line;
    };
    Outcome outcome;
    std::string thrown = textOf([&] { outcome = dimension.run({random, part, arguments_, tell}); });
    if (!thrown.empty()) outcome.problem += "outside of a product, " + thrown;
    if (!outcome.problem.empty()) fail(part, outcome.problem);
    tags.insert(tags.end(), part.tags.begin(), part.tags.end());
    tags.push_back("threads: " + arguments_.level);
    tags.push_back("living splits: " + std::to_string(splits_.size()));
    if (delay) tags.push_back("ranks delayed");
    if (part.rank() != 0) return;
    const Count count{1, outcome.expected, outcome.seen, !outcome.problem.empty()};
    for (const std::string& tag : tags) counters_.add(tag, count);
  }

  /// Ends all after a part's failure: others would wait for it, sooner or later.
  void fail(const Part& part, const std::string& problem) {
    if (part.rank() == 0) {
      print("FAILED: " + line_);
      print("   " + problem);
    }
    if (arguments_.keepGoing) return;
    if (part.rank() == 0)
      print("again: " + arguments_.text() + " --from " + std::to_string(round_) + " on " +
            std::to_string(worldSize_) + " ranks");
    std::fflush(stdout);
    MPI_Barrier(part.judge->raw());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }

  static void print(const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  bool goesOn() {
    if (arguments_.seconds <= 0) return done_ < arguments_.products;
    if (round_ % 8) return true;
    int more = std::chrono::duration<double>(Clock::now() - start_).count() < arguments_.seconds;
    TRIDENT_MPI_CHECK(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD));
    return more;
  }

  using Clock = std::chrono::steady_clock;

  const Arguments& arguments_;
  Watchdog& watchdog_;
  Random random_;  // generator of the world's draws
  int worldRank_ = 0, worldSize_ = 1, most_ = 3, made_ = 0;
  std::vector<std::unique_ptr<Split>> splits_;  // the living ones
  long long round_ = 0, done_ = 0;
  Counters counters_;
  std::string line_;
  Clock::time_point start_ = Clock::now();
};

int run(const Arguments& arguments) {
  Watchdog watchdog(arguments.patience);
  PublicStressRun stress(arguments, watchdog);
  stress.run();
  const Counters counters = stress.counters();
  int rank = 0, ranks = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  TRIDENT_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  long long failed = 0;
  for (const Dimension& dimension : dimensions())
    failed += counters.of(std::string(" ") + dimension.name).failed;
  if (rank == 0) {
    counters.print();
    std::printf("%s: %lld products, %lld failed; %s on %d ranks\n", failed ? "FAILED" : "right",
                stress.done(), failed, arguments.text().c_str(), ranks);
  }
  TRIDENT_MPI_CHECK(MPI_Bcast(&failed, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD));
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace PublicStress
}  // namespace TridentTest

int main(int argc, char* argv[]) {
  const TridentTest::PublicStress::Arguments arguments(argc, argv);
  Trident::ScopeGuard scope(&argc, &argv, arguments.threadLevel());
  return TridentTest::PublicStress::run(arguments);
}
