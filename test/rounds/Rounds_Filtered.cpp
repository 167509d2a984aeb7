// SPDX-License-Identifier: BSD-3-Clause
// Products that are filtered as they are formed, on grids of every shape and for several bounds of
// memory, against the whole product, formed and filtered densely; bit for bit.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <string>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "Trident_TestFilter.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::expectedRows;
using TestTools::Formula;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::hashOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::randomSpace;
using TestTools::worldSize;
using TridentTest::say;

/// Values whose sums are rounded.
struct Fractions : Formula {
  double value(Position r, Position c) const {
    return static_cast<double>(hashOf(seed + 1, r, c) >> 11) / (1ull << 53) - 0.5;
  }
};

template <class F>
Dense<double> fullOf(const F& formula, Position rows, Position columns) {
  Dense<double> all(static_cast<int>(rows), static_cast<int>(columns));
  for (int r = 0; r < all.rows; ++r)
    for (int c = 0; c < all.columns; ++c)
      if (formula.stored(r, c)) all.add(r, c, formula.value(r, c));
  return all;
}

/// Two factors on a grid, and their product.
struct Case {
  Dense<double> full;
  Matrix A, B;

  template <class F>
  static Case make(const std::shared_ptr<GridExchanges>& exchanges, std::mt19937_64& random) {
    const Position rows = random() % 40, inner = random() % 40, columns = random() % 50;
    const GridShape& shape = exchanges->grid().shape();
    const auto rowSpace = randomSpace(shape, rows, random);
    const auto innerSpace = randomSpace(shape, inner, random);
    const auto columnSpace = randomSpace(shape, columns, random);
    const int percents[] = {2, 10, 30, 100};
    F a, b;
    a.seed = random();
    b.seed = random();
    a.percent = percents[random() % 4];
    b.percent = percents[random() % 4];
    return {product(fullOf(a, rows, inner), fullOf(b, inner, columns)),
            makeMatrix(exchanges, rowSpace, innerSpace, a),
            makeMatrix(exchanges, innerSpace, columnSpace, b)};
  }
};

/// Draws a rule out of many, alike on all ranks.
DropRule<double> anyRule(std::mt19937_64& random) {
  const double tolerances[] = {0, 0.02, 0.3, 1, 2};
  const int most[] = {0, 0, 1, 2, 5, 20};
  const DropRelativeTo relative[] = {DropRelativeTo::Nothing, DropRelativeTo::Largest,
                                     DropRelativeTo::Sum};
  const double tolerance = tolerances[random() % 5];
  const auto to = relative[random() % 3];
  const int k = most[random() % 6];
  return {tolerance, to, k};
}

std::string describe(const DropRule<double>& rule) {
  return say("tolerance ", rule.tolerance, " relative to ", static_cast<int>(rule.relative),
             ", keep ", rule.keepLargest);
}

RuleFilter<double, DropRule<double>> filterOf(const DropRule<double>& rule) { return {rule}; }

/// Returns the fault of a filtered product and its counters on this rank; an empty text if
/// there is none.
std::string problemOf(const Matrix& C, const RoundCounters& counters, std::size_t bound) {
  const int rows = C.local().numRows();
  const std::size_t aRow = 40000;  // more than any row takes here
  if (!C.rowsAscend()) return "rows are not known to ascend";
  if (counters.pieceBytes > counters.predictedPieceBytes)
    return say(counters.pieceBytes, " bytes, predicted ", counters.predictedPieceBytes);
  if (bound > 0 && counters.predictedPieceBytes > bound + aRow)
    return say("predicted ", counters.predictedPieceBytes);
  if (bound == 1 && counters.pieces != rows)
    return say(counters.pieces, " pieces of ", rows, " rows");
  if (bound == 0 && counters.pieces > 1) return say(counters.pieces, " pieces");
  return "";
}

/// Checks the filtered product for several bounds. Collective.
std::string checkBounds(const Case& of, const DropRule<double>& rule, RoundOptions options) {
  const Dense<double> expected = expectedRows(rule, of.full);
  for (const std::size_t bound : {1, 3000, 20000, 100000, 0}) {
    options.pieceBytes = bound;
    RoundCounters counters;
    const Matrix C = TestTools::filterOnGrid(of.A, of.B, filterOf(rule), options, &counters);
    std::string problem = differences(gathered(C), expected);
    if (problem.empty()) problem = problemOf(C, counters, bound);
    problem = firstText(MPI_COMM_WORLD, problem);
    if (!problem.empty()) return say(describe(rule), ", bound ", bound, ": ", problem);
  }
  return "";
}

template <class F>
void checkGrids(unsigned seed, Teuchos::FancyOStream& out, bool& success) {
  std::mt19937_64 random(seed);
  std::vector<GridShape> shapes = gridsOf(worldSize(), {1, 2});
  const GridShape square = squareShape(worldSize(), 1);
  shapes.push_back(summaShape(square.nodeRows, square.nodeCols));
  const int cases = worldSize() > 6 ? 1 : 3;  // many ranks share few cores
  for (const GridShape& shape : shapes) {
    const auto exchanges = makeExchanges(shape);
    for (int n = 0; n < cases; ++n) {
      const Case of = Case::make<F>(exchanges, random);
      const DropRule<double> rule = anyRule(random);
      RoundOptions options;
      options.fetch = random() % 2 ? FetchKind::Tiles : FetchKind::Auto;
      const std::string problem = checkBounds(of, rule, options);
      if (!problem.empty()) out << shape.name() << ", " << of.full.rows << " rows\n";
      TRIDENT_TEST_OK(problem);
    }
  }
}

TEUCHOS_UNIT_TEST(Filtered, WithTies) { checkGrids<Formula>(101, out, success); }
TEUCHOS_UNIT_TEST(Filtered, Rounded) { checkGrids<Fractions>(102, out, success); }

/// A user's functor; needs the numbers of rows and columns, and whole rows.
struct KeepBand {
  KOKKOS_INLINE_FUNCTION bool operator()(long long row, long long column, double value,
                                         const RowFacts<double>& facts) const {
    return (row + column) % 3 == 0 || value * facts.entries > facts.sum || value == facts.largest;
  }
};

TEUCHOS_UNIT_TEST(Filtered, AUsersFunctor) {
  std::mt19937_64 random(103);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const Case of = Case::make<Formula>(exchanges, random);
    Dense<double> expected(of.full.rows, of.full.columns);
    for (int r = 0; r < of.full.rows; ++r) {
      RowFacts<double> facts{0, 0, 0};
      for (int c = 0; c < of.full.columns; ++c) {
        const double size = std::abs(of.full.values[of.full.at(r, c)]);
        facts.entries += of.full.stored[of.full.at(r, c)];
        facts.largest = std::max(facts.largest, size);
        facts.sum += size;
      }
      for (int c = 0; c < of.full.columns; ++c) {
        const double value = of.full.values[of.full.at(r, c)];
        if (of.full.stored[of.full.at(r, c)] && KeepBand()(r, c, value, facts))
          expected.add(r, c, value);
      }
    }
    const EntryFilter<double, TestTools::Device, KeepBand> filter(KeepBand(), of.A, of.B);
    for (const std::size_t bound : {1, 4000, 0}) {
      RoundOptions options;
      options.pieceBytes = bound;
      const Matrix C = TestTools::filterOnGrid(of.A, of.B, filter, options);
      TRIDENT_TEST_OK(differences(gathered(C), expected));
    }
  }
}

// The pieces go to whoever takes them if there is no filter: all rows, once, in their order.
TEUCHOS_UNIT_TEST(Filtered, PiecesToAConsumer) {
  std::mt19937_64 random(104);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const Case of = Case::make<Formula>(exchanges, random);
    RoundOptions options;
    options.pieceBytes = 5000;
    std::vector<LocalMatrix<double, TestTools::Device>> pieces;
    int next = 0;
    bool inOrder = true;
    TestTools::multiplyByPieces(
        of.A, of.B,
        [&](const ProductPiece<double, TestTools::Device>& piece, LocalFailure&) {
          inOrder = inOrder && piece.begin == next && piece.rows.numRows() == piece.end - next;
          next = piece.end;
          // A copy, as the next piece may overwrite this one; of several parts joinRows() makes
          // one.
          pieces.push_back(joinRows<double, TestTools::Device>(
              {piece.rows, emptyMatrix<double, TestTools::Device>(0, piece.rows.numCols())},
              piece.rows.numRows(), piece.rows.numCols()));
          return true;
        },
        options);
    TEST_ASSERT(inOrder);
    TEST_EQUALITY(next, of.A.local().numRows());
    const int columns = of.B.local().numCols();
    const auto whole = pieces.empty() ? emptyMatrix<double, TestTools::Device>(0, columns)
                                      : joinRows(pieces, next, columns);
    const Matrix C(of.A.exchanges(), of.A.rows(), of.B.columns(), whole);
    TRIDENT_TEST_OK(differences(gathered(C), of.full));
  }
}

// A tolerance alone is no matter of the row: nothing is told about shared rows.
TEUCHOS_UNIT_TEST(Filtered, AToleranceAloneMovesNothing) {
  std::mt19937_64 random(107);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const Case of = Case::make<Formula>(makeExchanges(shape), random);
    RoundOptions options;
    options.pieceBytes = 3000;
    RoundCounters whole, tolerance, largest;
    TestTools::multiplyByPieces(
        of.A, of.B,
        [&](const ProductPiece<double, TestTools::Device>&, LocalFailure&) { return true; },
        options, &whole);
    const DropRule<double> alone{0.3}, two{0.3, DropRelativeTo::Nothing, 2};
    const Matrix C = TestTools::filterOnGrid(of.A, of.B, filterOf(alone), options, &tolerance);
    TestTools::filterOnGrid(of.A, of.B, filterOf(two), options, &largest);
    TRIDENT_TEST_OK(differences(gathered(C), expectedRows(alone, of.full)));
    const auto bytes = [](const RoundCounters& c) {
      return c.traffic.rounds.internodeBytes + c.traffic.rounds.intranodeBytes;
    };
    TEST_EQUALITY(bytes(tolerance), bytes(whole));
    long long more = bytes(largest) - bytes(whole), all = 0;
    MPI_Allreduce(&more, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    TEST_EQUALITY(all > 0, shape.nodeCols > 1);
  }
}

// Operands are counted where they are put together of what others have, and not where they are the
// factors themselves.
TEUCHOS_UNIT_TEST(Filtered, BytesOfOperands) {
  std::mt19937_64 random(106);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const Case of = Case::make<Formula>(makeExchanges(shape), random);
    RoundCounters counters;
    TestTools::multiplyByPieces(
        of.A, of.B,
        [&](const ProductPiece<double, TestTools::Device>&, LocalFailure&) { return true; },
        RoundOptions(), &counters);
    if (worldSize() == 1) TEST_EQUALITY(counters.operandBytes, 0u);
    // All entries of B, on the node columns that have them; a node may share one copy.
    long long bytes = static_cast<long long>(counters.operandBytes), all = 0;
    long long mine = of.B.local().nnz(), entries = 0;
    MPI_Allreduce(&bytes, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &entries, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (shape.nodeCols > 1) TEST_COMPARE(all, >=, 12 * entries);
  }
}

// A consumer that throws on one rank ends the product on all, and the next one is right.
TEUCHOS_UNIT_TEST(Filtered, AConsumerThatThrows) {
  std::mt19937_64 random(105);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const auto space = TestTools::uniformSpace(shape, 64);
    const Matrix A = makeMatrix(exchanges, space, space, Formula{9, 30});
    const bool odd = TestTools::worldRank() == worldSize() - 1;
    RoundOptions options;
    options.pieceBytes = 1;  // a row each, of which every rank has four or more
    int taken = 0;
    std::string text;
    try {
      TestTools::multiplyByPieces(
          A, A,
          [&](const ProductPiece<double, TestTools::Device>&, LocalFailure&) {
            if (odd && ++taken == 2) throw Error("the consumer is full");
            return true;
          },
          options);
    } catch (const Error& error) {
      text = error.what();
    }
    TEST_ASSERT(text.find("the consumer is full") != std::string::npos);
    const DropRule<double> rule{0, DropRelativeTo::Nothing, 4};
    const auto full = fullOf(Formula{9, 30}, 64, 64);
    const Matrix C = TestTools::filterOnGrid(A, A, filterOf(rule), options);
    TRIDENT_TEST_OK(differences(gathered(C), expectedRows(rule, product(full, full))));
  }
}

}  // namespace

}  // namespace Trident::Impl
