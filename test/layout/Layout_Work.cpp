// SPDX-License-Identifier: BSD-3-Clause
// Rows weigh the multiply-adds of a product, whoever has parts of which factor; cuts by work are as
// even as rows are, and the same on all ranks.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "Move_TestTools.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "layout/Trident_WorkWeights.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::everywhere;
using TestTools::Formula;
using TestTools::ownRows;
using TestTools::partsOfRows;
using TestTools::randomNumbering;
using TestTools::worldSize;

GridRanks ranksOfNodes(int lambda) {
  return GridRanks(MPI_COMM_WORLD, layoutNodes(std::vector<int>(worldSize(), 0), lambda));
}

/// Returns the weights of parts, summed over all ranks. Collective.
std::vector<long long> weightsOfParts(const IndexWeights<Device>& weights,
                                      const std::vector<Position>& cuts) {
  std::vector<long long> sums = ownBinWeights(weights, cuts);
  sumEverywhere(MPI_COMM_WORLD, sums, LocalFailure());
  return sums;
}

/// Returns the multiply-adds of each row of a·b.
std::vector<long long> expectedWork(const Formula& a, const Formula& b, Position m, Position l,
                                    Position n) {
  std::vector<long long> lengths(l, 0), work(m, 0);
  for (Position r = 0; r < l; ++r)
    for (Position c = 0; c < n; ++c) lengths[r] += b.stored(r, c);
  for (Position r = 0; r < m; ++r)
    for (Position c = 0; c < l; ++c) work[r] += a.stored(r, c) ? lengths[c] : 0;
  return work;
}

// Whole rows and parts of rows, as of transposes; ranks without rows; factors without entries.
TEUCHOS_UNIT_TEST(Work, RowsWeighTheirMultiplyAdds) {
  const unsigned seed = 811;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int round = 0; round < 12; ++round) {
    const GridRanks ranks = ranksOfNodes(1);
    const bool partsA = round % 2, partsB = round / 2 % 2;
    const Position m = 1 + random() % 120, l = 1 + random() % 60, n = 1 + random() % 50;
    const Formula a{random(), round == 4 ? 0 : 20}, b{random(), round == 5 ? 0 : 15};
    const Numbering rows = randomNumbering(m, ranks.rank(), random);
    const Numbering inner = randomNumbering(l, ranks.rank(), random);
    std::mt19937_64 own(random() + ranks.rank());
    const auto A = partsA ? partsOfRows(a, m, l, own) : ownRows(a, rows, l, own);
    const auto B = partsB ? partsOfRows(b, l, n, own) : ownRows(b, inner, n, own);
    Traffic traffic;
    LocalFailure failure;
    const auto ofB = rowWeights(B.matrix, B.rowNumbers);
    const auto lengths =
        partsB ? sumsOfParts(ranks, inner, ofB, 256, traffic, failure) : ofB.weights;
    const auto work = workWeights(ranks, inner, A, lengths, 256, traffic, failure);
    TEST_EQUALITY_CONST(everywhere(failure.failed()), 0);
    TEST_COMPARE_ARRAYS(weightsOfParts(work, uniformCuts(m, static_cast<int>(m))),
                        expectedWork(a, b, m, l, n));
  }
}

/// A few rows have nearly all entries.
struct Heavy : Formula {
  Position from = 0, to = 0;
  bool stored(Position r, Position c) const { return (r >= from && r < to) || c == r % 7; }
};

TEUCHOS_UNIT_TEST(Work, PartsAreEvenToARow) {
  const unsigned seed = 812;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const GridRanks ranks = ranksOfNodes(1);
  const GridShape shape{worldSize(), 1, 1};
  for (int round = 0; round < 8; ++round) {
    const Position m = round == 7 ? 3 : 200 + random() % 100;  // fewer rows than ranks
    Heavy formula;
    formula.seed = 1;
    formula.from = random() % m;
    formula.to = formula.from + random() % 9;
    const Numbering rows = randomNumbering(m, ranks.rank(), random);
    std::mt19937_64 own(random() + ranks.rank());
    const auto A = ownRows(formula, rows, 90, own);
    auto weights = rowWeights(A.matrix, A.rowNumbers);
    GridOptions options;
    options.partition = PartitionKind::Work;
    const std::string name = "A's rows";
    const auto cut = [&](PartitionNotes& notes) {
      LocalFailure failure;
      return SpacePartitioner<Device>({{std::make_shared<Numbering>(rows), weights, name}}, shape,
                                      options, ranks.comm())
          .cut(failure, notes)[0];
    };
    PartitionNotes byEntries, byWork;
    cut(byEntries);
    const bool isCut = shape.ranks() > 1;
    TEST_EQUALITY(byEntries.partition, isCut ? "balanced" : "work");
    TEST_EQUALITY(byEntries.reasons.find("are weighed by work") != std::string::npos, isCut);
    weights.work = true;
    const auto space = cut(byWork);
    TEST_EQUALITY_CONST(byWork.partition, "work");

    const auto& cuts = space->cuts();
    std::vector<long long> most(cuts.begin(), cuts.end()), least;
    for (const long long at : most) least.push_back(-at);
    maximumEverywhere(ranks.comm(), most, LocalFailure());
    maximumEverywhere(ranks.comm(), least, LocalFailure());
    for (std::size_t p = 0; p < cuts.size(); ++p)
      TEST_ASSERT(most[p] == cuts[p] && least[p] == -cuts[p]);
    TEST_COMPARE_ARRAYS(cut(byWork)->cuts(), cuts);

    const auto parts = weightsOfParts(weights, cuts);
    const auto all = weightsOfParts(weights, uniformCuts(m, static_cast<int>(m)));
    const double total = std::accumulate(all.begin(), all.end(), 0.0);
    const double heaviest = static_cast<double>(*std::max_element(all.begin(), all.end()));
    const double largest = static_cast<double>(*std::max_element(parts.begin(), parts.end()));
    TEST_COMPARE(largest, <=, total / worldSize() + heaviest);
  }
}

}  // namespace
}  // namespace Trident::Impl
