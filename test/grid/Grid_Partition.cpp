// SPDX-License-Identifier: BSD-3-Clause
// Ways to cut an index space into parts.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "grid/Trident_Partition.hpp"

namespace Trident::Impl {
namespace {

using Cuts = std::vector<Position>;
using Weights = std::vector<long long>;

bool complete(const Cuts& cuts, Position size, int parts) {
  return static_cast<int>(cuts.size()) == parts + 1 && cuts.front() == 0 && cuts.back() == size &&
         std::is_sorted(cuts.begin(), cuts.end());
}

TEUCHOS_UNIT_TEST(Partition, UniformPartsDifferByAtMostOne) {
  int wrong = 0;
  for (Position size : {0ll, 1ll, 2ll, 7ll, 64ll, 1000ll, 123456789012345ll})
    for (int parts : {1, 2, 3, 7, 64, 1000}) {
      const Cuts cuts = uniformCuts(size, parts);
      wrong += !complete(cuts, size, parts);
      for (int p = 0; p < parts; ++p) {
        const Position length = cuts[p + 1] - cuts[p];
        wrong += length != size / parts && length != size / parts + 1;
      }
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Partition, AlignedPartsAreRunsOfRanks) {
  const Cuts rankBegin{0, 3, 3, 10, 11, 20, 20};  // six ranks, two of them empty
  TEST_COMPARE_ARRAYS(alignedCuts(rankBegin, 6), rankBegin);
  TEST_COMPARE_ARRAYS(alignedCuts(rankBegin, 3), Cuts({0, 3, 11, 20}));
  TEST_COMPARE_ARRAYS(alignedCuts(rankBegin, 2), Cuts({0, 10, 20}));
  TEST_COMPARE_ARRAYS(alignedCuts(rankBegin, 1), Cuts({0, 20}));
}

TEUCHOS_UNIT_TEST(Partition, BinsTileTheSpace) {
  long long wrong = 0;
  for (Position size : {1ll, 2ll, 5ll, 63ll, 64ll, 65ll, 999ll})
    for (int bins : {1, 2, 3, 64, 1000}) {
      wrong += binBegin(size, bins, 0) != 0 || binBegin(size, bins, bins) != size;
      for (Position x = 0; x < size; ++x) {
        const int b = binOf(size, bins, x);
        wrong += b < 0 || b >= bins || binBegin(size, bins, b) > x;
        wrong += binBegin(size, bins, b + 1) <= x;
      }
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Partition, BinsOfHugeSpaces) {
  const unsigned seed = 5;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  long long wrong = 0;
  for (int n = 0; n < 20000; ++n) {
    const Position size = 1 + static_cast<Position>(random() % (1ull << 50));
    const int bins = 1 + static_cast<int>(random() % 100000);
    const int border = static_cast<int>(random() % bins);
    for (Position x : {static_cast<Position>(random() % size), binBegin(size, bins, border),
                       binBegin(size, bins, border + 1) - 1}) {
      if (x < 0 || x >= size) continue;
      const int b = binOf(size, bins, x);
      wrong += b < 0 || b >= bins || binBegin(size, bins, b) > x;
      wrong += binBegin(size, bins, b + 1) <= x;
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Cuts in balance, by bins of equal length.
Cuts cutsOf(Position size, int parts, const Weights& weights) {
  return balancedCuts(uniformCuts(size, static_cast<int>(weights.size())), parts, weights);
}

/// Returns the weight before `cut` if a bin's weight is spread evenly over its positions.
double weightBefore(Position size, const Weights& weights, Position cut) {
  const int bins = static_cast<int>(weights.size());
  double sum = 0;
  for (int b = 0; b < bins; ++b) {
    const Position begin = binBegin(size, bins, b), end = binBegin(size, bins, b + 1);
    if (end == begin) continue;
    const Position covered = std::clamp(cut, begin, end) - begin;
    sum += static_cast<double>(weights[b]) * static_cast<double>(covered) /
           static_cast<double>(end - begin);
  }
  return sum;
}

/// Returns the weight of the heaviest position: cuts lie between positions, so balance ends there.
double heaviestPosition(Position size, const Weights& weights) {
  const int bins = static_cast<int>(weights.size());
  double most = 0;
  for (int b = 0; b < bins; ++b) {
    const Position length = binBegin(size, bins, b + 1) - binBegin(size, bins, b);
    if (length > 0) most = std::max(most, static_cast<double>(weights[b]) / double(length));
  }
  return most;
}

TEUCHOS_UNIT_TEST(Partition, BalancedPartsWeighAlike) {
  const unsigned seed = 99;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 500; ++n) {
    const Position size = static_cast<Position>(random() % 5000);
    const int parts = 1 + static_cast<int>(random() % 40);
    const int bins = 1 + static_cast<int>(random() % 300);
    Weights weights(bins, 0);
    for (int b = 0; b < bins; ++b)
      if (binBegin(size, bins, b + 1) > binBegin(size, bins, b) && random() % 3)
        weights[b] = static_cast<long long>(random() % 1000) * (random() % 20 ? 1 : 1000);
    const Cuts cuts = cutsOf(size, parts, weights);
    wrong += !complete(cuts, size, parts);
    const double total = weightBefore(size, weights, size);
    if (total == 0) continue;
    const double slack = heaviestPosition(size, weights) + 1e-9 * total;
    for (int p = 0; p < parts; ++p) {
      const double part =
          weightBefore(size, weights, cuts[p + 1]) - weightBefore(size, weights, cuts[p]);
      if (std::abs(part - total / parts) > slack) {
        ++wrong;
        out << "case " << n << " part " << p << " weighs " << part << " of " << total << "\n";
      }
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(Partition, AHeavyBinIsCutInside) {
  // All weight in bin 2 of 4, positions [50, 75): four parts meet inside it.
  const Cuts cuts = cutsOf(100, 4, {0, 0, 1000, 0});
  TEST_COMPARE_ARRAYS(cuts, Cuts({0, 56, 63, 69, 100}));
}

/// Returns the weights of bins from those of their positions.
Weights weigh(const Cuts& begins, const Weights& positions) {
  Weights weights;
  for (std::size_t b = 0; b + 1 < begins.size(); ++b)
    weights.push_back(
        std::accumulate(positions.begin() + begins[b], positions.begin() + begins[b + 1], 0ll));
  return weights;
}

/// Bins as fine as positions cut as evenly as positions can be: no part is more than half of its
/// heaviest positions at either end from its share.
TEUCHOS_UNIT_TEST(Partition, FinerBinsCutAsSingleOnes) {
  const unsigned seed = 411;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 300; ++n) {
    const Position size = static_cast<Position>(random() % 3000);
    const int parts = 1 + static_cast<int>(random() % 20);
    Weights positions(size);
    for (long long& weight : positions)
      weight = static_cast<long long>(random() % 10) * (random() % 50 ? 1 : 1000);
    const Cuts coarse = uniformCuts(size, 1 + static_cast<int>(random() % 60));
    const Cuts finer = finerBins(coarse, parts, weigh(coarse, positions), size + 1);
    wrong += finer.front() != 0 || finer.back() != size;
    wrong += !std::is_sorted(finer.begin(), finer.end());
    wrong += !std::includes(finer.begin(), finer.end(), coarse.begin(), coarse.end());
    const Cuts cuts = balancedCuts(finer, parts, weigh(finer, positions));
    wrong += !complete(cuts, size, parts);
    const double total = std::accumulate(positions.begin(), positions.end(), 0.0);
    const double heaviest =
        positions.empty()
            ? 0
            : static_cast<double>(*std::max_element(positions.begin(), positions.end()));
    for (const long long part : weigh(cuts, positions))
      wrong += std::abs(static_cast<double>(part) - total / parts) > heaviest + 1e-9 * total;
  }
  TEST_EQUALITY_CONST(wrong, 0);
  TEST_COMPARE_ARRAYS(finerBins({0, 10, 20}, 2, {1, 3}, 5), Cuts({0, 10, 12, 14, 16, 18, 20}));
  TEST_COMPARE_ARRAYS(finerBins({0, 2}, 2, {5}, 16), Cuts({0, 1, 2}));
  TEST_COMPARE_ARRAYS(finerBins({0, 10, 20}, 4, {0, 0}, 5), Cuts({0, 10, 20}));
}

/// A position that weighs more than a part's share is in one part, whole.
TEUCHOS_UNIT_TEST(Partition, AHeavyPositionIsNotCut) {
  const Cuts bins = uniformCuts(6, 6);
  const Cuts cuts = balancedCuts(bins, 4, {1, 1, 100, 1, 1, 1});
  TEST_ASSERT(complete(cuts, 6, 4));
  TEST_EQUALITY_CONST(imbalance(weigh(cuts, {1, 1, 100, 1, 1, 1})) > 3.5, true);
}

/// The weight that moves is found by dealing each unit to its old and to its new block.
TEUCHOS_UNIT_TEST(Partition, MostThatABlockTakesInOrGivesAway) {
  const unsigned seed = 1217;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 300; ++n) {
    const int blocks = 1 + static_cast<int>(random() % 9);
    const int partsOfBlock = 1 + static_cast<int>(random() % 5);
    Weights parts(blocks * partsOfBlock);
    // The sum divides by the blocks, so that no unit of weight is cut.
    for (long long& part : parts)
      part = blocks * static_cast<long long>(random() % 4 ? 0 : random() % 50);
    const long long total = std::accumulate(parts.begin(), parts.end(), 0ll);
    Weights in(blocks, 0), away(blocks, 0);
    long long unit = 0;
    for (std::size_t p = 0; p < parts.size(); ++p)
      for (const long long end = unit + parts[p]; unit < end; ++unit) {
        const auto old = p / partsOfBlock, now = static_cast<std::size_t>(unit / (total / blocks));
        away[old] += old != now;
        in[now] += old != now;
      }
    const long long most = std::max(*std::max_element(in.begin(), in.end()),
                                    *std::max_element(away.begin(), away.end()));
    const double mean = static_cast<double>(total) / static_cast<double>(parts.size());
    const double found = largestBlockChange(parts, blocks);
    wrong += std::abs(found * mean - static_cast<double>(most)) > 1e-9 * static_cast<double>(total);
    wrong += total == 0 && found != 0;
  }
  TEST_EQUALITY_CONST(wrong, 0);
  TEST_EQUALITY_CONST(largestBlockChange({8, 0, 0, 8}, 2), 0);  // only inside of blocks
  TEST_EQUALITY_CONST(largestBlockChange({4, 4, 0, 0}, 2), 2);  // half of all, in means of 2
}

TEUCHOS_UNIT_TEST(Partition, NoWeightIsCutUniformly) {
  TEST_COMPARE_ARRAYS(cutsOf(10, 4, {0, 0, 0}), uniformCuts(10, 4));
  TEST_COMPARE_ARRAYS(cutsOf(0, 3, {0, 0}), Cuts({0, 0, 0, 0}));
  TEST_COMPARE_ARRAYS(cutsOf(12, 3, {5, 5, 5, 5}), Cuts({0, 4, 8, 12}));
}

TEUCHOS_UNIT_TEST(Partition, WeightsBeyond32Bits) {
  const Weights weights(64, 1ll << 45);
  TEST_COMPARE_ARRAYS(cutsOf(6400, 64, weights), uniformCuts(6400, 64));
}

TEUCHOS_UNIT_TEST(Partition, ImbalanceIsLargestOverMean) {
  TEST_EQUALITY_CONST(imbalance({5, 5, 5}), 1.0);
  TEST_EQUALITY_CONST(imbalance({0, 0, 9}), 3.0);
  TEST_EQUALITY_CONST(imbalance({0, 0}), 1.0);
  TEST_FLOATING_EQUALITY(imbalance({1, 2, 3}), 1.5, 1e-15);
}

}  // namespace

}  // namespace Trident::Impl
