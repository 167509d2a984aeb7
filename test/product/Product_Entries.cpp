// SPDX-License-Identifier: BSD-3-Clause
// A grid's work entry by entry: sums and products over semirings, values that are selected, sums
// of rows, diagonals; on grids of every shape, against loops over rows.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "Trident_TestErrors.hpp"
#include "Trident_TestOnGrid.hpp"

namespace {

using namespace TridentTest;
using Matrix = Grid::Matrix;
using Vector = Grid::vector_type;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// A semiring as a test knows it.
struct Semiring {
  std::string name;
  double (*plus)(double, double);
  double (*times)(double, double);
  double zero;
};

const std::vector<Semiring> semirings{
    {"plus-times", [](double a, double b) { return a + b; },
     [](double a, double b) { return a * b; }, 0},
    {"min-plus", [](double a, double b) { return std::min(a, b); },
     [](double a, double b) { return a + b; }, INFINITY},
    {"max-min", [](double a, double b) { return std::max(a, b); },
     [](double a, double b) { return std::min(a, b); }, -INFINITY},
    {"or-and", [](double a, double b) { return double(a != 0 || b != 0); },
     [](double a, double b) { return double(a != 0 && b != 0); }, 0},
    {"plus-second", [](double a, double b) { return a + b; }, [](double, double b) { return b; },
     0}};

Sparse sum(const Semiring& semiring, const Sparse& a, const Sparse& b) {
  Sparse c = a;
  for (int i = 0; i < b.numRows(); ++i)
    for (const auto& entry : b.rows[i]) {
      const auto at = c.rows[i].insert(entry);
      if (!at.second) at.first->second = semiring.plus(at.first->second, entry.second);
    }
  return c;
}

Sparse entrywise(const Semiring& semiring, const Sparse& a, const Sparse& b) {
  Sparse c(a.numRows(), a.cols);
  for (int i = 0; i < a.numRows(); ++i)
    for (const auto& entry : a.rows[i])
      if (b.rows[i].count(entry.first))
        c.rows[i][entry.first] = semiring.times(entry.second, b.rows[i].at(entry.first));
  return c;
}

Sparse selected(const Sparse& a, double least, double most) {
  Sparse c(a.numRows(), a.cols);
  for (int i = 0; i < a.numRows(); ++i)
    for (const auto& entry : a.rows[i])
      if (entry.second >= least && entry.second <= most) c.rows[i].insert(entry);
  return c;
}

/// Returns an empty text if a vector has these values, by index. Collective.
std::string check(const Vector& found, const Indices& indices,
                  const std::vector<double>& expected) {
  std::string problem;
  const auto values = found.getData();
  for (int i = 0; i < indices.size(); ++i) {
    const auto local = found.getMap()->getLocalElement(indices.gids[i]);
    if (local >= 0 && values[local] != expected[i])
      problem = say("index ", indices.gids[i], " has ", values[local], " and not ", expected[i]);
  }
  return everywhere(*world(), problem);
}

/// Lists parameters of grids of several shapes.
std::vector<List> lists() {
  const int P = world()->getSize();
  std::vector<List> all{tridentList()};
  for (const auto& nodes : std::vector<std::pair<int, int>>{{1, P}, {P, 1}, {2, 2}, {2, 3}, {1, 2}})
    if (P % (nodes.first * nodes.second) == 0) {
      all.push_back(tridentList());
      all.back()
          ->sublist("Trident")
          .set("ranks per node", P / (nodes.first * nodes.second))
          .set("grid", std::to_string(nodes.first) + "x" + std::to_string(nodes.second));
    }
  return all;
}

/// A and B of one size, and a square S, on random Maps; some ranks have no rows, some rows no
/// entries.
struct Case {
  Indices rows, columns;
  MapPtr rowMap, columnMap;
  Sparse a, b, s;
  MatrixPtr A, B, S;

  explicit Case(Random& random)
      : rows(randomIndices(random, random.between(1, 40))),
        columns(randomIndices(random, random.between(1, 30))),
        rowMap(makeMap(random, rows, randomLayout(random), world())),
        columnMap(makeMap(random, columns, randomLayout(random), world())),
        a(randomSparse(random, rows.size(), columns.size(), true)),
        b(randomSparse(random, rows.size(), columns.size(), true)),
        s(randomSparse(random, rows.size(), rows.size(), true)),
        A(makeMatrix(a, rows, columns, rowMap, columnMap, rowMap)),
        B(makeMatrix(b, rows, columns, rowMap, columnMap, rowMap)),
        S(makeMatrix(s, rows, rows, rowMap, rowMap, rowMap)) {}
};

TEUCHOS_UNIT_TEST(GridEntries, AgainstLoops) {
  Random random(21);
  std::size_t turn = 0;  // two semirings for each grid; of one rank there are three
  for (const List& list : lists()) {
    const Case of(random);
    const Grid grid(world(), {of.rowMap, of.columnMap}, list);
    const Matrix a = grid.fromTpetra(*of.A), b = grid.fromTpetra(*of.B);
    const auto is = [&](const Matrix& found, const Sparse& expected) {
      return check(grid, found, expected, of.rows, of.columns);
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Semiring& semiring = semirings[turn++ % semirings.size()];
      out << semiring.name << ", " << grid.description() << "\n";
      const auto options = over(semiring.name);
      TRIDENT_TEST_OK(is(grid.add(a, b, options), sum(semiring, of.a, of.b)));
      TRIDENT_TEST_OK(is(grid.multiplyEntries(a, b, options), entrywise(semiring, of.a, of.b)));
      TRIDENT_TEST_OK(is(grid.multiplyEntries(a, a, options), entrywise(semiring, of.a, of.a)));
      std::vector<double> sums;
      for (const auto& row : of.a.rows) {
        sums.push_back(semiring.zero);
        for (const auto& entry : row) sums.back() = semiring.plus(sums.back(), entry.second);
      }
      const auto found = grid.rowSums(a, options);
      TEST_ASSERT(found->getMap()->isSameAs(*of.rowMap));
      TRIDENT_TEST_OK(check(*found, of.rows, sums));
    }
    TRIDENT_TEST_OK(is(grid.select(a, 1), selected(of.a, 1, INFINITY)));
    TRIDENT_TEST_OK(is(grid.select(a, -2, 1), selected(of.a, -2, 1)));
    TRIDENT_TEST_OK(is(grid.select(a, 5, 4), Sparse(of.a.numRows(), of.a.cols)));
    TRIDENT_TEST_OK(is(a, of.a));  // and b, of which rows were sorted
    TRIDENT_TEST_OK(is(b, of.b));
  }
}

TEUCHOS_UNIT_TEST(GridEntries, Diagonals) {
  Random random(22);
  for (const List& list : lists()) {
    const Case of(random);
    const Grid grid(world(), {of.columnMap, of.rowMap}, list);
    const Matrix s = grid.fromTpetra(*of.S);
    std::vector<double> diagonal;
    Sparse made(of.s.numRows(), of.s.cols);
    for (int i = 0; i < of.s.numRows(); ++i) {
      const auto at = of.s.rows[i].find(i);
      diagonal.push_back(at == of.s.rows[i].end() ? 0 : at->second);
      made.rows[i][i] = diagonal.back();
    }
    const auto found = grid.diagonal(s);
    TRIDENT_TEST_OK(check(*found, of.rows, diagonal));
    TRIDENT_TEST_OK(check(grid, grid.fromDiagonal(*found), made, of.rows, of.rows));
    // Products with a diagonal scale rows.
    const Matrix scaled = grid.multiply(grid.fromDiagonal(*found), grid.fromTpetra(*of.A));
    TRIDENT_TEST_OK(check(grid, scaled, Expected(made, of.a).sparse(), of.rows, of.columns));
  }
}

/// A row of numbers that are none, infinities and zeros.
TEUCHOS_UNIT_TEST(GridEntries, SelectsNoNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Sparse a(6, 6), some(6, 6);
  a.rows[0] = {{0, nan}, {1, INFINITY}, {2, -INFINITY}, {3, 0.0}, {4, -1}, {5, 2}};
  a.rows[5] = {{0, nan}};
  some.rows[0] = {{3, 0.0}, {5, 2}};
  const MatrixPtr A = makeUniform(a, world());
  const Indices six = contiguousIndices(6);
  const Grid grid(world(), {A->getRowMap()});
  const Matrix onGrid = grid.fromTpetra(*A);
  TRIDENT_TEST_OK(check(grid, grid.select(onGrid, 0, 1e300), some, six, six));
  matrix_type C(A->getRowMap(), 0);
  grid.toTpetra(grid.select(onGrid, -INFINITY), C);
  TEST_EQUALITY(C.getGlobalNumEntries(), 5u);
}

/// The largest part of a graph whose edges are in two triangles of it: no matrix leaves the grid.
TEUCHOS_UNIT_TEST(GridEntries, TrussStaysOnTheGrid) {
  Random random(23);
  const int n = 40;
  Sparse graph(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (random.chance(i < 12 ? 0.8 : 0.15)) graph.rows[i][j] = graph.rows[j][i] = 1;
  Sparse expected = graph;
  for (long long before = 0; before != expected.entries();) {
    before = expected.entries();
    const Sparse old = expected;
    for (int i = 0; i < n; ++i)
      for (const auto& edge : old.rows[i]) {
        int triangles = 0;
        for (const auto& next : old.rows[edge.first]) triangles += old.rows[i].count(next.first);
        if (triangles < 2) expected.rows[i].erase(edge.first);
      }
  }
  TEST_COMPARE(expected.entries(), >, 0);
  TEST_COMPARE(expected.entries(), <, graph.entries());
  const MatrixPtr A = makeUniform(graph, world());
  const Indices all = contiguousIndices(n);
  for (const List& list : lists()) {
    const Grid grid(world(), {A->getRowMap()}, list);
    Matrix t = grid.fromTpetra(*A);
    for (double before = 0, edges = grid.rowSums(t)->norm1(); edges != before;) {
      before = edges;
      const Matrix strong = grid.select(grid.multiplyWithin(t, t, t), 2);
      t = grid.multiplyEntries(strong, t, over("plus-second"));
      edges = grid.rowSums(t)->norm1();
    }
    TRIDENT_TEST_OK(check(grid, t, expected, all, all));
  }
}

TEUCHOS_UNIT_TEST(GridEntries, Refusals) {
  Random random(24);
  const Case of(random);
  const Grid grid(world(), {of.rowMap, of.columnMap});
  const Matrix a = grid.fromTpetra(*of.A), s = grid.fromTpetra(*of.S);
  const bool odd = world()->getRank() == world()->getSize() - 1;
  const auto refuses = [&](const std::string& function, std::vector<std::string> words,
                           const auto& call) {
    words.push_back("Trident::Grid::" + function);
    return expectThrow<Trident::Error>(*world(), words, call);
  };
  TRIDENT_TEST_OK(refuses("add", {"different Maps"}, [&] { grid.add(a, s); }));
  TRIDENT_TEST_OK(refuses("multiplyEntries", {"B is no matrix yet"},
                          [&] { grid.multiplyEntries(a, Matrix()); }));
  TRIDENT_TEST_OK(refuses("diagonal", {"different Maps"}, [&] { grid.diagonal(a); }));
  Teuchos::ParameterList filter;
  filter.set("keep largest", 3);
  TRIDENT_TEST_OK(
      refuses("add", {"keep largest", "products of entries"}, [&] { grid.add(a, a, filter); }));
  TRIDENT_TEST_OK(
      refuses("rowSums", {"keep largest", "sums of rows"}, [&] { grid.rowSums(a, filter); }));
  TRIDENT_TEST_OK(refuses("rowSums", {"plus-minus"}, [&] { grid.rowSums(a, over("plus-minus")); }));
  const MapPtr other = makeUniform(identity(of.rows.size() + 1), world())->getRowMap();
  TRIDENT_TEST_OK(refuses("fromDiagonal", {"none of the grid's Maps"},
                          [&] { grid.fromDiagonal(Vector(other)); }));
  if (world()->getSize() == 1) return;
  TRIDENT_TEST_OK(refuses("select", {"least", "1", "2"}, [&] { grid.select(a, odd ? 2 : 1); }));
  TRIDENT_TEST_OK(refuses("add", {"semiring", "min-plus", "or-and"},
                          [&] { grid.add(a, a, over(odd ? "min-plus" : "or-and")); }));
  TRIDENT_TEST_OK(refuses("add", {"B is no matrix yet"}, [&] { grid.add(a, odd ? Matrix() : a); }));
}

}  // namespace
