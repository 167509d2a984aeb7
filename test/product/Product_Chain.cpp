// SPDX-License-Identifier: BSD-3-Clause
// Trident::Grid: matrices that stay on the grid from one operation to the next, on grids of every
// form, against dense products and against Tpetra.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_Grid.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Grid = Trident::Grid<double, LO, GO, map_type::node_type>;
using Matrix = Grid::Matrix;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// A is m × n and B n × m, all four Maps different.
struct Pair {
  Indices rows, inner;
  MapPtr rowsA, domainA, rowsB, domainB;
  Sparse a, b;
  MatrixPtr A, B;

  Pair(Random& random, const CommPtr& comm)
      : rows(randomIndices(random, random.between(1, 50))),
        inner(randomIndices(random, random.between(1, 40))),
        rowsA(makeMap(random, rows, randomLayout(random), comm)),
        domainA(makeMap(random, inner, randomLayout(random), comm)),
        rowsB(makeMap(random, inner, randomLayout(random), comm)),
        domainB(makeMap(random, rows, randomLayout(random), comm)),
        a(randomSparse(random, rows.size(), inner.size(), true)),
        b(randomSparse(random, inner.size(), rows.size(), true)),
        A(makeMatrix(a, rows, inner, rowsA, domainA, rowsA)),
        B(makeMatrix(b, inner, rows, rowsB, domainB, rowsB)) {}
  std::vector<MapPtr> maps() const { return {rowsA, domainA, rowsB, domainB}; }
};

/// Forms alpha·a + beta·b, with an entry where one of them has one.
Sparse sum(double alpha, const Sparse& a, double beta, const Sparse& b) {
  Sparse c(a.numRows(), a.cols);
  for (int i = 0; i < a.numRows(); ++i) {
    for (const auto& entry : a.rows[i]) c.rows[i][entry.first] += alpha * entry.second;
    for (const auto& entry : b.rows[i]) c.rows[i][entry.first] += beta * entry.second;
  }
  return c;
}

Sparse product(const Sparse& a, const Sparse& b) { return Expected(a, b).sparse(); }

/// A matrix on the grid and what it should be.
struct Both {
  Matrix onGrid;
  Sparse dense;
  const Indices *rows, *columns;
};

/// Returns an empty text if a matrix is what it should be, and lies along its Maps. Collective.
std::string check(const Grid& grid, const Both& both) {
  matrix_type C(both.onGrid.rowMap(), 0);
  grid.toTpetra(both.onGrid, C);
  std::string problem =
      C.getDomainMap()->isSameAs(*both.onGrid.columnMap()) ? "" : "another domain Map";
  if (problem.empty() && !C.getRangeMap()->isSameAs(*both.onGrid.rowMap()))
    problem = "another range Map";
  if (problem.empty())
    problem = checkEntries(C, itself(both.dense), *both.rows, *both.columns, true);
  return everywhere(*world(), problem);
}

std::vector<Trident::GridShape> shapes(int P) {
  std::vector<Trident::GridShape> fitting;
  for (const auto& nodes : std::vector<std::pair<int, int>>{{2, 3}, {3, 2}, {1, 4}, {4, 1}, {2, 2}})
    if (P % (nodes.first * nodes.second) == 0)
      fitting.push_back({nodes.first, nodes.second, P / (nodes.first * nodes.second)});
  return fitting;
}

List listFor(const Trident::GridShape& shape) {
  const List list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", shape.lambda)
      .set("grid", std::to_string(shape.nodeRows) + "x" + std::to_string(shape.nodeCols));
  return list;
}

/// Checks products, transposes and sums in a chain, each of them.
std::string checkChain(Random& random, const List& list) {
  const Pair p(random, world());
  const Grid grid(world(), p.maps(), list);
  const Both a{grid.fromTpetra(*p.A, p.rowsB), p.a, &p.rows, &p.inner};
  const Both b{grid.fromTpetra(*p.B, p.rowsA), p.b, &p.inner, &p.rows};
  const Both last{grid.fromTpetra(*p.A), p.a, &p.rows, &p.inner};  // columns as A's own domain Map
  p.A->resumeFill();
  p.A->setAllToScalar(-99);  // the grid has copies

  const auto multiply = [&](const Both& x, const Both& y) {
    return Both{grid.multiply(x.onGrid, y.onGrid), product(x.dense, y.dense), x.rows, y.columns};
  };
  const auto transpose = [&](const Both& x) {
    return Both{grid.transpose(x.onGrid), x.dense.transpose(), x.columns, x.rows};
  };
  const auto add = [&](double alpha, const Both& x, double beta, const Both& y) {
    return Both{grid.add(alpha, x.onGrid, beta, y.onGrid), sum(alpha, x.dense, beta, y.dense),
                x.rows, x.columns};
  };
  const Both ab = multiply(a, b), ba = multiply(b, a);
  const std::vector<std::pair<std::string, Both>> all{
      {"A, in and out again", a},
      {"A·B", ab},
      {"(A·B)·A", multiply(ab, a)},
      {"A·(B·A)", multiply(a, ba)},
      {"(A·B)·A along its own domain Map", multiply(ab, last)},
      {"Aᵀ", transpose(a)},
      {"(A·B)ᵀ", transpose(ab)},
      {"Aᵀᵀ", transpose(transpose(a))},
      {"A·Aᵀ", multiply(a, transpose(a))},
      {"Aᵀ·A·B", multiply(transpose(a), ab)},
      {"2 A·B - (A·B)ᵀ", add(2, ab, -1, transpose(ab))},
      {"A·B - A·B", add(1, ab, -1, ab)},
      {"0 A + 3 (A + Bᵀ)", add(0, a, 3, add(1, a, 1, transpose(b)))}};
  for (const auto& one : all) {
    const std::string problem = check(grid, one.second);
    if (!problem.empty()) return say(one.first, ": ", problem, "; ", grid.description());
  }
  return "";
}

TEUCHOS_UNIT_TEST(Chain, OnEveryGrid) {
  for (const auto& shape : shapes(world()->getSize()))
    for (int seed = 1; seed <= (world()->getSize() > 8 ? 3 : 8); ++seed) {
      Random random(seed);
      const std::string problem = checkChain(random, listFor(shape));
      TRIDENT_TEST_OK(problem.empty() ? "" : say("seed ", seed, ": ", problem));
    }
}

TEUCHOS_UNIT_TEST(Chain, WithRandomParameters) {
  for (int seed = 1; seed <= (world()->getSize() > 8 ? 8 : 25); ++seed) {
    Random random(seed);
    int lambda = 1;
    std::string shape;
    const List list = randomParameters(random, world()->getSize(), lambda, shape);
    const std::string problem = checkChain(random, list);
    TRIDENT_TEST_OK(problem.empty() ? "" : say("seed ", seed, ": ", problem, "\n", *list));
  }
}

// Tpetra can follow the chain if the factors' Maps meet.
TEUCHOS_UNIT_TEST(Chain, EqualsTpetra) {
  const CommPtr comm = world();
  Random random(3);
  const Indices indices = contiguousIndices(70);
  const MapPtr map = makeMap(random, indices, Layout::Uneven, comm);
  const Sparse a = randomSparse(random, 70, 70, true);
  const MatrixPtr A = makeMatrix(a, indices, indices, map, map, map);
  matrix_type AA(map, 0);
  Tpetra::MatrixMatrix::Multiply(*A, false, *A, false, AA);
  for (const auto& shape : shapes(comm->getSize())) {
    const Grid grid(comm, {map}, listFor(shape));
    const Matrix g = grid.fromTpetra(*A), gg = grid.multiply(g, g);
    matrix_type C(map, 0), D(map, 0);
    grid.toTpetra(grid.multiply(gg, g), C);
    TRIDENT_TEST_OK(checkForm(*A, *A, C));
    TRIDENT_TEST_OK(everywhere(*comm, checkAgainstTpetra(AA, false, *A, false, C, true)));
    grid.toTpetra(grid.multiply(gg, gg), D);
    TRIDENT_TEST_OK(everywhere(*comm, checkAgainstTpetra(AA, false, AA, false, D, true)));
  }
}

TEUCHOS_UNIT_TEST(Chain, ReportsAProduct) {
  Random random(6);
  const Pair p(random, world());
  const Grid grid(world(), p.maps());
  const Trident::Report report =
      grid.multiply(grid.fromTpetra(*p.A, p.rowsB), grid.fromTpetra(*p.B)).report();
  const Expected expected(p.a, p.b);
  const auto all = Trident::summarize(report, *world());
  TEST_EQUALITY(all.operands.at(0).entries, p.a.entries());
  TEST_EQUALITY(all.operands.at(1).entries, p.b.entries());
  TEST_EQUALITY(all.entriesC, expected.entries());
  TEST_EQUALITY(all.multiplyAdds, expected.multiplyAdds);
  TEST_EQUALITY(report.grid.ranks(), world()->getSize());
  TEST_ASSERT(report.reasons.find(grid.description()) == 0);
}

/// Checks for an Error of `function` with these words on every rank. Collective.
template <class Call>
std::string refuses(const std::string& function, std::vector<std::string> words, Call&& call) {
  words.push_back("Trident::Grid" + function + ": ");
  return expectThrow<Trident::Error>(*world(), words, call);
}

// Bad arguments, on all ranks or on one, throw on all, and the grid is good afterwards.
TEUCHOS_UNIT_TEST(Chain, BadArguments) {
  const CommPtr comm = world();
  Random random(4);
  const Pair p(random, comm);
  TEST_INEQUALITY(p.rows.size(), p.inner.size());  // so that no Map is the same as another's
  const Grid grid(comm, p.maps()), other(comm, p.maps());
  const Matrix a = grid.fromTpetra(*p.A, p.rowsB), b = grid.fromTpetra(*p.B);
  const Matrix stranger = other.fromTpetra(*p.B);
  const bool several = comm->getSize() > 1, odd = comm->getRank() == comm->getSize() - 1;

  TRIDENT_TEST_OK(
      refuses("", {"the communicator is null"}, [&] { Grid(Teuchos::null, {p.rowsA}); }));
  TRIDENT_TEST_OK(refuses("", {"there is no Map"}, [&] { Grid(comm, {}); }));
  TRIDENT_TEST_OK(
      refuses("", {"a Map is null"}, [&] { Grid(comm, {odd ? Teuchos::null : p.rowsA}); }));
  if (several)
    TRIDENT_TEST_OK(refuses("", {"the number of Maps is 2", "1 on rank"}, [&] {
      Grid(comm, odd ? std::vector<MapPtr>{p.rowsA} : std::vector<MapPtr>{p.rowsA, p.rowsB});
    }));
  const MapPtr everybodys = Teuchos::rcp(new map_type(3, 0, comm, Tpetra::LocallyReplicated));
  if (several)
    TRIDENT_TEST_OK(refuses("", {"several ranks own"}, [&] { Grid(comm, {everybodys}); }));
  const MapPtr alone =
      Teuchos::rcp(new map_type(3, 0, Teuchos::rcp(new Teuchos::SerialComm<int>())));
  if (several) TRIDENT_TEST_OK(refuses("", {"another communicator"}, [&] { Grid(comm, {alone}); }));
  const List list = tridentList();
  list->sublist("Trident").set("grid", "7x9");
  TRIDENT_TEST_OK(
      refuses("", {"\"grid\" = 7x9 does not fit"}, [&] { Grid(comm, {p.rowsA}, list); }));

  list->sublist("Trident").set("grid", "round");
  TRIDENT_TEST_OK(expectThrow<Teuchos::Exceptions::InvalidParameterValue>(
      *comm, {"\"grid\" = \"round\""}, [&] { Grid(comm, {p.rowsA}, list); }));
  if (several)
    TRIDENT_TEST_OK(refuses("", {"\"grid\"", "7x9", "auto"}, [&] {
      const List mine = tridentList();
      if (odd) mine->sublist("Trident").set("grid", "7x9");
      Grid(comm, {p.rowsA}, mine);
    }));

  const Grid narrow(comm, {p.rowsA});
  TRIDENT_TEST_OK(refuses("::fromTpetra", {"A's domain Map is none of the grid's Maps"},
                          [&] { narrow.fromTpetra(*p.A); }));
  TRIDENT_TEST_OK(refuses("::fromTpetra", {"A's row Map is none of the grid's Maps"},
                          [&] { narrow.fromTpetra(*p.B); }));
  TRIDENT_TEST_OK(refuses("::fromTpetra", {"columns is none of the grid's Maps"},
                          [&] { narrow.fromTpetra(*p.A, p.rowsB); }));
  const MatrixPtr lonely = makeUniform(identity(3), Teuchos::rcp(new Teuchos::SerialComm<int>()));
  if (several)
    TRIDENT_TEST_OK(
        refuses("::fromTpetra", {"another communicator"}, [&] { grid.fromTpetra(*lonely); }));
  const MatrixPtr open = newResult(*p.A);
  TRIDENT_TEST_OK(
      refuses("::fromTpetra", {"not fill-complete"}, [&] { grid.fromTpetra(odd ? *open : *p.A); }));

  TRIDENT_TEST_OK(
      refuses("::multiply", {"B is no matrix yet"}, [&] { grid.multiply(a, Matrix()); }));
  TRIDENT_TEST_OK(refuses("::multiply", {"B lies on another grid"},
                          [&] { grid.multiply(a, odd ? stranger : b); }));
  TRIDENT_TEST_OK(refuses("::multiply", {"A's columns lie along another Map", "fromTpetra"},
                          [&] { grid.multiply(a, a); }));
  const Matrix otherwise = grid.fromTpetra(*p.B, p.rowsA);
  if (several && !p.rowsA->isSameAs(*p.domainB))
    TRIDENT_TEST_OK(refuses("::multiply", {"B is along Maps", "on rank 0"},
                            [&] { grid.multiply(a, odd ? otherwise : b); }));
  TRIDENT_TEST_OK(refuses("::add", {"along different Maps"}, [&] { grid.add(1, a, 1, b); }));
  if (several)
    for (const char* name : {"alpha", "beta"})
      TRIDENT_TEST_OK(refuses("::add", {name, "1 on rank", "1.5 on rank"}, [&] {
        const double factor = odd ? 1.5 : 1;
        name[0] == 'a' ? grid.add(factor, a, 1, a) : grid.add(1, a, factor, a);
      }));
  TRIDENT_TEST_OK(
      refuses("::transpose", {"A is no matrix yet"}, [&] { grid.transpose(Matrix()); }));
  TRIDENT_TEST_OK(
      refuses("::toTpetra", {"C already has a pattern"}, [&] { grid.toTpetra(a, *p.A); }));
  matrix_type onOther(p.rowsB, 0), C(p.rowsA, 0);
  TRIDENT_TEST_OK(
      refuses("::toTpetra", {"C's row Map is not the Map"}, [&] { grid.toTpetra(a, onOther); }));
  grid.toTpetra(grid.multiply(a, b), C);
  TRIDENT_TEST_OK(everywhere(*comm, checkEntries(C, Expected(p.a, p.b), p.rows, p.rows, true)));
}

// A matrix keeps its grid.
TEUCHOS_UNIT_TEST(Chain, MatricesOutliveTheGrid) {
  Random random(8);
  const Pair p(random, world());
  Matrix a;
  TEST_ASSERT(a.rowMap().is_null() && a.columnMap().is_null());
  TEST_EQUALITY_CONST(a.localEntries(), 0u);
  {
    const Grid grid(world(), p.maps());
    a = grid.fromTpetra(*p.A);
  }
  TEST_ASSERT(a.rowMap()->isSameAs(*p.rowsA) && a.columnMap()->isSameAs(*p.domainA));
  const long long here = static_cast<long long>(a.localEntries());
  long long all = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, here, Teuchos::outArg(all));
  TEST_EQUALITY(all, p.a.entries());
}

}  // namespace
