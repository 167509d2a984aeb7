// SPDX-License-Identifier: BSD-3-Clause
// A·B on the grid against the dense product: every shape, uneven cuts, every way to run the rounds.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Rounds_TestTools.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Formula;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::randomSpace;
using TestTools::worldSize;

/// Counts the multiply-adds of a product, from the structure alone.
long long pairs(const Dense<double>& A, const Dense<double>& B) {
  long long sum = 0;
  for (int m = 0; m < A.columns; ++m) {
    long long column = 0, row = 0;
    for (int r = 0; r < A.rows; ++r) column += A.stored[A.at(r, m)];
    for (int c = 0; c < B.columns; ++c) row += B.stored[B.at(m, c)];
    sum += column * row;
  }
  return sum;
}

/// Two factors on a grid with their dense copies.
struct Case {
  Dense<double> fullA, fullB, fullC;
  Matrix A, B;

  Case(const std::shared_ptr<GridExchanges>& exchanges, std::mt19937_64& random)
      : Case(exchanges, random, random() % 40, random() % 40, random() % 40) {}

 private:
  Case(const std::shared_ptr<GridExchanges>& exchanges, std::mt19937_64& random, Position rows,
       Position inner, Position columns)
      : fullA(0, 0), fullB(0, 0), fullC(0, 0) {
    const GridShape& shape = exchanges->grid().shape();
    const auto rowSpace = randomSpace(shape, rows, random);
    const auto innerSpace = randomSpace(shape, inner, random);
    const auto columnSpace = randomSpace(shape, columns, random);
    const int percents[] = {2, 10, 30, 100};  // below one entry a row, up to full
    const Formula a{random(), percents[random() % 4]}, b{random(), percents[random() % 4]};
    const bool sorted = random() % 2;
    A = makeMatrix(exchanges, rowSpace, innerSpace, a, sorted);
    B = makeMatrix(exchanges, innerSpace, columnSpace, b, !sorted);
    fullA = a.full(rows, inner);
    fullB = b.full(inner, columns);
    fullC = product(fullA, fullB);
  }
};

/// Returns the gather that is due if this kind is asked for; all ranks share memory.
std::string gatherName(GridExchanges& exchanges, GatherKind kind) {
  if (kind == GatherKind::Shared) return "shared";
  if (kind == GatherKind::Mpi || exchanges.grid().shape().lambda == 1) return "mpi";
  if (isHost<TestTools::Device>) return "shared";
  if (kind != GatherKind::Auto) return nameOf(kind);
  return nameOf(exchanges.gather(RoundOptions(), MemoryKind::Device).kind());
}

/// Returns the fault of A·B, with its form and with what was counted; an empty text if
/// there is none. Collective.
std::string wrongProduct(const Case& matrices, const RoundOptions& options) {
  using TridentTest::say;
  RoundCounters counters;
  const Matrix C = multiplyOnGrid(matrices.A, matrices.B, options, &counters);
  const std::string wrong = differences(TestTools::gathered(C), matrices.fullC);
  if (!wrong.empty()) return wrong;
  if (C.rows() != matrices.A.rows()) return "C's row space is not A's";
  if (C.columns() != matrices.B.columns()) return "C's column space is not B's";
  if (C.local().numRows() != matrices.A.local().numRows()) return "C has not A's local rows";
  if (C.local().numCols() != matrices.B.local().numCols()) return "C has not B's local columns";

  long long multiplyAdds = counters.multiplyAdds;
  TRIDENT_MPI_CHECK(
      MPI_Allreduce(MPI_IN_PLACE, &multiplyAdds, 1, MPI_LONG_LONG, MPI_SUM, C.grid().comm()));
  const auto differs = [](const char* what, const auto& found, const auto& expected) {
    return found == expected ? "" : say(what, ": ", found, ", expected ", expected, "; ");
  };
  const GridShape& shape = C.grid().shape();
  std::string counted =
      differs("multiply-adds", multiplyAdds, pairs(matrices.fullA, matrices.fullB)) +
      differs("rounds", counters.rounds, shape.segments());
  if (options.fuseRounds > 0)
    counted += differs("fused rounds", counters.fusedRounds,
                       std::min(options.fuseRounds, shape.segments()));
  counted += differs("exchange", counters.exchange,
                     shape.nodes() == 1 ? "none" : TestTools::exchangeName(options.exchange));
  if (options.kernel == KernelKind::KokkosKernels)
    counted += differs("kernel", counters.kernel, std::string("kokkos-kernels"));
  if (options.fetch != FetchKind::Auto)
    counted += differs("fetch", counters.fetch,
                       std::string(options.fetch == FetchKind::Tiles ? "tiles" : "needed-rows"));
  return counted + differs("gather", counters.gather, gatherName(*C.exchanges(), options.gather));
}

std::vector<RoundOptions> allOptions() {
  std::vector<RoundOptions> all;
  for (int fuse : {1, 2, 0})
    for (int depth : {0, 1, 2})
      for (GatherKind gather : {GatherKind::Auto, GatherKind::Mpi, GatherKind::Shared}) {
        RoundOptions options;
        options.fuseRounds = fuse;
        options.prefetchDepth = depth;
        options.gather = gather;
        all.push_back(options);
      }
  return all;
}

/// Lists Cannon's grids, then SUMMA's.
std::vector<GridShape> allGrids() {
  std::vector<GridShape> grids = gridsOf(worldSize(), {1, 2, 4});
  for (const GridShape& shape : TestTools::summaShapes()) grids.push_back(shape);
  return grids;
}

TEUCHOS_UNIT_TEST(GridMultiply, EveryShapeAndOption) {
  const unsigned seed = 101;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const std::vector<RoundOptions> all = allOptions();
  constexpr bool onDevices = !isHost<TestTools::Device>;
  for (const GridShape& shape : allGrids()) {
    const auto exchanges = makeExchanges(shape);
    const std::vector<ExchangeKind> kinds = TestTools::exchangesOn(shape);
    // Few ranks: everything. Many ranks on few cores: a sample, another one on each shape.
    const std::size_t step = worldSize() <= 4 ? 1 : 4;
    for (std::size_t n = random() % step; n < all.size(); n += step) {
      RoundOptions options = all[n];
      options.exchange = kinds[n % kinds.size()];
      if (random() % 2) options.messageBytes = 64;
      if (onDevices && options.gather == GatherKind::Auto && random() % 2 && exchanges->nodeNccl())
        options.gather = GatherKind::Nccl;
      if (random() % 4 == 0) options.kernel = KernelKind::KokkosKernels;
      if (shape.canFetchRows()) options.fetch = static_cast<FetchKind>(random() % 3);
      const Case matrices(exchanges, random);
      const std::string wrong = wrongProduct(matrices, options);
      out << shape.name() << " " << matrices.fullA.rows << " x " << matrices.fullA.columns << " x "
          << matrices.fullB.columns << " " << TestTools::describe(options) << "\n";
      TRIDENT_TEST_OK(wrong);
    }
  }
}

TEUCHOS_UNIT_TEST(GridMultiply, SameFactorsAgainAndAgain) {
  // The exchanges are kept: products of other sizes and options in between leave nothing behind.
  const unsigned seed = 102;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  const Case one(exchanges, random), two(exchanges, random);
  RoundOptions fused, single;
  fused.gather = single.gather = GatherKind::Mpi;
  single.fuseRounds = 1;
  for (ExchangeKind kind : TestTools::exchangesOn(shape))
    for (int n = 0; n < 3; ++n) {
      fused.exchange = single.exchange = kind;
      TRIDENT_TEST_OK(wrongProduct(one, n % 2 ? fused : single));
      TRIDENT_TEST_OK(wrongProduct(two, n % 2 ? single : fused));
    }
}

TEUCHOS_UNIT_TEST(GridMultiply, FactorsAreUntouched) {
  std::mt19937_64 random(103);
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  const Case matrices(exchanges, random);
  const auto before = TestTools::fromDevice<double>(matrices.A.local()).rows;
  const auto beforeB = TestTools::fromDevice<double>(matrices.B.local()).rows;
  for (int fuse : {0, 1}) {
    RoundOptions options;
    options.fuseRounds = fuse;
    multiplyOnGrid(matrices.A, matrices.B, options);
  }
  TEST_ASSERT(TestTools::fromDevice<double>(matrices.A.local()).rows == before);
  TEST_ASSERT(TestTools::fromDevice<double>(matrices.B.local()).rows == beforeB);
}

TEUCHOS_UNIT_TEST(GridMultiply, MemoryBoundForcesSingleRounds) {
  std::mt19937_64 random(104);
  const GridShape shape = squareShape(worldSize(), 1);
  const auto exchanges = makeExchanges(shape);
  const auto space = TestTools::uniformSpace(shape, 60);
  const Formula formula{7, 40};
  const Matrix A = makeMatrix(exchanges, space, space, formula);
  RoundOptions tight;
  tight.memoryBytes = 1;
  RoundCounters counters;
  const Matrix C = multiplyOnGrid(A, A, tight, &counters);
  const Dense<double> full = formula.full(60, 60);
  TRIDENT_TEST_OK(differences(TestTools::gathered(C), product(full, full)));
  TEST_EQUALITY_CONST(counters.fusedRounds, 1);
}

}  // namespace

}  // namespace Trident::Impl
