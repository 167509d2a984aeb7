// SPDX-License-Identifier: BSD-3-Clause
// Rows that are drawn of a product are its rows; what bins weigh is what their indices weigh; what
// grid rows need is counted once.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "Move_TestTools.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "layout/Trident_SampleProduct.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "layout/Trident_VolumeEstimate.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::everywhere;
using TestTools::Formula;
using TestTools::ownRows;
using TestTools::randomNumbering;
using TestTools::worldSize;

/// Lays nodes of `lambda` ranks, all on one host.
GridRanks ranksOfNodes(int lambda) {
  return GridRanks(MPI_COMM_WORLD, layoutNodes(std::vector<int>(worldSize(), 0), lambda));
}

/// Returns the columns of one row of the product, by numbers.
std::vector<Position> columnsOfProduct(const Formula& a, const Formula& b, Position row,
                                       Position inner, Position columns) {
  std::set<Position> met;
  for (Position l = 0; l < inner; ++l)
    if (a.stored(row, l))
      for (Position c = 0; c < columns; ++c)
        if (b.stored(l, c)) met.insert(c);
  return {met.begin(), met.end()};
}

/// Returns the weights of bins, summed over all ranks. Collective.
std::vector<long long> binWeights(const IndexWeights<Device>& weights,
                                  const std::vector<Position>& begins, MPI_Comm comm) {
  std::vector<long long> sums = ownBinWeights(weights, begins);
  sumEverywhere(comm, sums, LocalFailure());
  return sums;
}

/// Returns the grid row on which a number lies as a row.
int gridRowOf(const IndexSpace& space, Position number) {
  const auto& cuts = space.cuts();
  const auto after = std::upper_bound(cuts.begin(), cuts.end(), number);
  const GridShape& shape = space.shape();
  return static_cast<int>(after - cuts.begin() - 1) / (shape.segmentsPerTileRow() * shape.lambda);
}

TEUCHOS_UNIT_TEST(Samples, WhatGridRowsNeedIsCountedOnce) {
  const unsigned seed = 703;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : {GridShape{2, 1, 1}, GridShape{3, 2, 2}, GridShape{70, 1, 1}}) {
    const Position m = 1 + random() % 200, n = 1 + random() % 150;
    const Formula a{random(), 30};
    const auto rows = TestTools::randomNumberedSpace(shape, m, 0, random);
    const auto inner = TestTools::randomNumberedSpace(shape, n, 0, random);
    std::mt19937_64 own(random() + TestTools::worldRank());
    const auto A = TestTools::partsOfRows(a, m, n, own);
    std::set<std::pair<int, Position>> needed, folded;
    for (Position r = 0; r < m; ++r)
      for (Position c = 0; c < n; ++c) {
        const bool mine = TestTools::hashOf(a.seed + 2, r, c) % worldSize() ==
                          static_cast<std::uint64_t>(TestTools::worldRank());
        const int i = gridRowOf(*rows, r);
        if (!a.stored(r, c) || !mine || i == gridRowOf(*inner, c)) continue;
        needed.insert({i, c});
        folded.insert({i % 64, c});
      }
    const double counted = countNeededRows(A, *rows, *inner, 0);
    TEST_EQUALITY(counted, static_cast<double>(folded.size()));
    if (shape.nodeRows <= 64) TEST_EQUALITY(counted, static_cast<double>(needed.size()));
  }
}

TEUCHOS_UNIT_TEST(Samples, DrawnRowsAreThoseOfTheProduct) {
  const unsigned seed = 701;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int lambda : {1, 2}) {
    const GridRanks ranks = ranksOfNodes(lambda);
    for (int round = 0; round < 4; ++round) {
      const Position m = 1 + random() % 300, l = 1 + random() % 60, n = 1 + random() % 50;
      const Numbering rows = randomNumbering(m, ranks.rank(), random);
      const Numbering inner = randomNumbering(l, ranks.rank(), random);
      const Formula a{random(), round == 3 ? 0 : 20}, b{random(), 15};
      std::mt19937_64 own(random() + ranks.rank());
      const auto A = ownRows(a, rows, l, own), B = ownRows(b, inner, n, own);
      Traffic traffic;
      LocalFailure failure;
      const auto sample = sampleProduct(ranks, A.matrix, B.matrix, A.columnNumbers, B.columnNumbers,
                                        inner, std::size_t(256), traffic, failure);
      int wrong = failure.failed();
      double entries = 0;
      for (const SampledRow& row : sample) {
        const Position number = rows.begin() + row.row;
        wrong += row.columns != columnsOfProduct(a, b, number, l, n);
        for (Position c = 0; c < l; ++c) entries += a.stored(number, c) ? row.weight : 0;
      }
      // The rows stand for all entries of A: those of a row weigh what it weighs.
      const double all = static_cast<double>(A.matrix.nnz());
      wrong += (sample.empty() != (all == 0)) || std::abs(entries - all) > 1e-9 * all;
      out << m << " x " << l << " x " << n << " in nodes of " << lambda << "\n";
      TEST_EQUALITY_CONST(everywhere(wrong), 0);
    }
  }
}

TEUCHOS_UNIT_TEST(Samples, BinsWeighWhatTheirIndicesWeigh) {
  const unsigned seed = 702;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const GridRanks ranks = ranksOfNodes(1);
  for (int round = 0; round < 6; ++round) {
    const Position m = 1 + random() % 200, n = 1 + random() % 90;
    const Numbering rows = randomNumbering(m, ranks.rank(), random);
    const Formula formula{random(), 25};
    const auto cuts = TestTools::randomCuts(m, 7, random);
    const auto columnCuts = TestTools::randomCuts(n, 5, random);
    std::vector<long long> expected(7, 0), expectedOfColumns(5, 0);
    const auto binOf = [](const std::vector<Position>& begins, Position position) {
      return std::upper_bound(begins.begin(), begins.end() - 1, position) - begins.begin() - 1;
    };
    for (Position r = 0; r < m; ++r)
      for (Position c = 0; c < n; ++c)
        if (formula.stored(r, c)) {
          ++expected[binOf(cuts, r)];
          ++expectedOfColumns[binOf(columnCuts, c)];
        }
    std::mt19937_64 own(random() + ranks.rank());
    const auto A = ownRows(formula, rows, n, own);
    TEST_COMPARE_ARRAYS(binWeights(rowWeights(A.matrix, A.rowNumbers), cuts, ranks.comm()),
                        expected);
    TEST_COMPARE_ARRAYS(
        binWeights(columnWeights(A.matrix, A.columnNumbers), columnCuts, ranks.comm()),
        expectedOfColumns);
  }
}

TEUCHOS_UNIT_TEST(Samples, SpacesAreCutAsAsked) {
  const unsigned seed = 703;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const GridRanks ranks = ranksOfNodes(1);
  const GridShape shape = squareShape(worldSize(), 1);
  const int parts = shape.segments();
  const Position m = 400;
  // The last tenth of the rows has nearly all entries.
  struct Heavy : Formula {
    bool stored(Position r, Position c) const { return r >= 360 ? true : c == 0; }
  } formula;
  formula.seed = 1;
  const Numbering rows = randomNumbering(m, ranks.rank(), random);
  std::mt19937_64 own(random() + ranks.rank());
  const auto A = ownRows(formula, rows, 50, own);
  auto weights = rowWeights(A.matrix, A.rowNumbers);
  constexpr double yields = 1.2;  // so that aligned cuts mostly do
  const auto cut = [&](PartitionKind kind, PartitionNotes& notes) {
    GridOptions options;
    options.partition = kind;
    options.partitionImbalance = yields;
    const std::string name = "A's rows";
    LocalFailure failure;
    return SpacePartitioner<Device>({{std::make_shared<Numbering>(rows), weights, name}}, shape,
                                    options, ranks.comm())
        .cut(failure, notes)[0];
  };
  PartitionNotes uniform, aligned, balanced;
  const auto byCount = cut(PartitionKind::Uniform, uniform);
  TEST_COMPARE_ARRAYS(byCount->cuts(), uniformCuts(m, parts));
  TEST_ASSERT(uniform.reasons.empty());
  TEST_EQUALITY_CONST(uniform.partition, "uniform");
  const auto byEntries = cut(PartitionKind::Balanced, balanced);
  const double worst = imbalance(binWeights(weights, byEntries->cuts(), ranks.comm()));
  TEST_ASSERT(worst < 1.5 && balanced.reasons.empty());
  // Aligned cuts yield to balanced ones where a block is too heavy, and that is said.
  const auto byRanks = cut(PartitionKind::Aligned, aligned);
  const double heaviest =
      imbalance(binWeights(weights, alignedCuts(rows.rankBegin, parts), ranks.comm()));
  if (parts == 1 || heaviest <= yields) {
    TEST_COMPARE_ARRAYS(byRanks->cuts(), alignedCuts(rows.rankBegin, parts));
    TEST_ASSERT(aligned.reasons.empty());
  } else {
    TEST_COMPARE_ARRAYS(byRanks->cuts(), byEntries->cuts());
    TEST_ASSERT(aligned.reasons.find("A's rows: balanced") != std::string::npos);
  }
  // All ranks know what each one's rows weigh: the cuts are no others.
  weights.ofRanks = binWeights(weights, rows.rankBegin, ranks.comm());
  PartitionNotes known;
  TEST_COMPARE_ARRAYS(cut(PartitionKind::Aligned, known)->cuts(), byRanks->cuts());
  TEST_EQUALITY(known.reasons, aligned.reasons);
}

/// Returns the partition of a space: as many rows on each rank, with weight on some ranks only.
template <class Heavy>
std::string partitionTaken(const GridShape& shape, const Heavy& heavy, long long weight, int meets,
                           bool comesBack) {
  const GridRanks ranks = ranksOfNodes(1);
  const long long each = 20;
  const auto rows = std::make_shared<Numbering>();
  rows->me = ranks.rank();
  for (int rank = 0; rank <= ranks.size(); ++rank) rows->rankBegin.push_back(rank * each);
  const IndexWeights<Device> weights{IndexNumbers<Device>(rows->begin(), each),
                                     Kokkos::View<long long*, Device>("weights", each)};
  if (heavy(ranks.rank())) Kokkos::deep_copy(weights.weights, weight);
  const std::string name = "A's rows";
  LocalFailure failure;
  PartitionNotes notes;
  SpacePartitioner<Device>({{rows, weights, name, meets, comesBack}}, shape, GridOptions(),
                           ranks.comm())
      .cut(failure, notes);
  return notes.partition;
}

// Rows move inside nodes where that evens out the work. Between nodes they do not, where they would
// come back as rows of C; else they do, where they have many multiply-adds.
TEUCHOS_UNIT_TEST(Samples, AlignedYieldsWhereLittleCrosses) {
  const int ranks = worldSize();
  const auto first = [](int rank) { return rank == 0; };
  for (int lambda = 1; lambda <= ranks; ++lambda) {
    if (ranks % lambda) continue;
    const GridShape shape{ranks / lambda, 1, lambda};
    const auto firstOfNode = [&](int rank) { return rank % lambda == 0; };
    // A row of the next operand has 1000 entries on average.
    const std::string inside = lambda > 3 ? "balanced" : "aligned";
    TEST_EQUALITY(partitionTaken(shape, firstOfNode, 1000 * lambda, 0, true), inside);
    TEST_EQUALITY(partitionTaken(shape, firstOfNode, 1000 * lambda, 0, false), inside);
    const std::string between = ranks == lambda ? inside : "aligned";
    TEST_EQUALITY(partitionTaken(shape, first, 1000 * ranks, 0, true), between);
    const std::string stays = ranks > 3 ? "balanced" : "aligned";
    TEST_EQUALITY(partitionTaken(shape, first, 1000 * ranks, 0, false), stays);
    TEST_EQUALITY(partitionTaken(shape, first, 1000 * ranks, -1, false), stays);
    // One multiply-add for each entry is hardly worth a move.
    const std::string few = ranks == lambda && ranks > 13 ? "balanced" : "aligned";
    TEST_EQUALITY(partitionTaken(shape, first, ranks, 0, false), few);
  }
}

}  // namespace

}  // namespace Trident::Impl
