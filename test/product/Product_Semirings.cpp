// SPDX-License-Identifier: BSD-3-Clause
// Products over semirings and within masks, on grids of every shape, against loops over dense
// matrices: random ones, shortest ways, triangles. What is refused.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestOnGrid.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Names.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using Matrix = Grid::Matrix;
using List = Teuchos::RCP<Teuchos::ParameterList>;
using Graph = Tpetra::CrsGraph<LO, GO, NO>;

const std::vector<std::string> semirings = [] {
  std::vector<std::string> names;
  for (const auto& named : Trident::Impl::NamesOf<Trident::Impl::SemiringKind>::all)
    names.push_back(named.name);
  return names;
}();

double plus(const std::string& semiring, double a, double b) {
  if (semiring == "min-plus") return std::min(a, b);
  if (semiring == "max-min") return std::max(a, b);
  if (semiring == "or-and") return a != 0 || b != 0;
  return a + b;
}
double times(const std::string& semiring, double a, double b) {
  if (semiring == "min-plus") return a + b;
  if (semiring == "max-min") return std::min(a, b);
  if (semiring == "or-and") return a != 0 && b != 0;
  if (semiring == "plus-second") return b;
  return a * b;
}

Sparse product(const std::string& semiring, const Sparse& a, const Sparse& b) {
  Sparse c(a.numRows(), b.cols);
  for (int i = 0; i < a.numRows(); ++i)
    for (const auto& left : a.rows[i])
      for (const auto& right : b.rows[left.first]) {
        const double more = times(semiring, left.second, right.second);
        const auto at = c.rows[i].emplace(right.first, more);
        if (!at.second) at.first->second = plus(semiring, at.first->second, more);
      }
  return c;
}

/// Lists every shape of a grid of all ranks, rounds alone or in batches. Of many ranks, which share
/// few cores, it lists some of the shapes.
std::vector<List> lists(Random& random, bool every = false) {
  const int P = world()->getSize();
  std::vector<List> all{tridentList()};
  for (int rows = 1; rows <= P; ++rows)
    for (int columns = 1; rows * columns <= P; ++columns)
      if (P % (rows * columns) == 0 && (every || P <= 6 || random.chance(0.25))) {
        all.push_back(tridentList());
        all.back()
            ->sublist("Trident")
            .set("ranks per node", P / (rows * columns))
            .set("grid", std::to_string(rows) + "x" + std::to_string(columns))
            .sublist("expert")
            .set("fuse rounds", random.below(3));
      }
  all.push_back(tridentList());
  all.back()
      ->sublist("Trident")
      .sublist("expert")
      .set("algorithm", std::string("summa"))
      .set("fuse rounds", 1);
  return all;
}

/// A·B and a mask of C's shape, on random Maps; the mask's own Map is another than that of C's
/// rows.
struct Case {
  Indices rows, inner, columns;
  MapPtr rowMap, innerMap, columnMap, maskMap;
  Sparse a, b, mask;
  MatrixPtr A, B, Mask;

  explicit Case(Random& random)
      : rows(randomIndices(random, random.between(1, 40))),
        inner(randomIndices(random, random.between(1, 30))),
        columns(randomIndices(random, random.between(1, 40))),
        rowMap(makeMap(random, rows, randomLayout(random), world())),
        innerMap(makeMap(random, inner, randomLayout(random), world())),
        columnMap(makeMap(random, columns, randomLayout(random), world())),
        maskMap(makeMap(random, rows, randomLayout(random), world())),
        a(randomSparse(random, rows.size(), inner.size(), true)),
        b(randomSparse(random, inner.size(), columns.size(), true)),
        mask(randomSparse(random, rows.size(), columns.size(), true)),
        A(makeMatrix(a, rows, inner, rowMap, innerMap, rowMap)),
        B(makeMatrix(b, inner, columns, innerMap, columnMap, innerMap)),
        Mask(makeMatrix(mask, rows, columns, maskMap, columnMap, maskMap)) {}
};

TEUCHOS_UNIT_TEST(GridSemirings, AgainstLoops) {
  Random random(11);
  for (const List& list : lists(random)) {
    const Case of(random);
    const Grid grid(world(), {of.rowMap, of.innerMap, of.columnMap}, list);
    out << grid.description() << "\n";
    const Matrix a = grid.fromTpetra(*of.A), b = grid.fromTpetra(*of.B);
    for (const std::string& semiring : semirings) {
      const Matrix c = grid.multiply(a, b, over(semiring));
      const Trident::Report report = c.report();
      const Sparse expected = product(semiring, of.a, of.b);
      TRIDENT_TEST_OK(check(grid, c, expected, of.rows, of.columns));
      TEST_EQUALITY(report.reasons.find("semiring " + semiring) != std::string::npos,
                    semiring != "plus-times");
    }
  }
}

TEUCHOS_UNIT_TEST(GridSemirings, MasksAgainstLoops) {
  Random random(12);
  for (const List& list : lists(random)) {
    const Case of(random);
    const Grid grid(world(), {of.rowMap, of.innerMap, of.columnMap}, list);
    const Matrix a = grid.fromTpetra(*of.A), b = grid.fromTpetra(*of.B);
    // A matrix or a graph, with its values or not, whose rows lie elsewhere than C's.
    const Matrix mask = random.chance(0.5)
                            ? grid.fromTpetra(*of.Mask, of.columnMap, of.rowMap)
                            : grid.fromTpetra(of.Mask->getCrsGraph(), of.columnMap, of.rowMap);
    const std::string semiring = random.oneOf(semirings);
    for (const bool complement : {false, true}) {
      const Sparse expected = masked(product(semiring, of.a, of.b), of.mask, complement);
      const Matrix c = complement ? grid.multiplyOutside(a, b, mask, over(semiring))
                                  : grid.multiplyWithin(a, b, mask, over(semiring));
      TRIDENT_TEST_OK(check(grid, c, expected, of.rows, of.columns));
    }
  }
}

/// A mask, or factors, without entries; and the mask a factor.
TEUCHOS_UNIT_TEST(GridSemirings, EmptyAndSharedMasks) {
  Random random(13);
  const Indices indices = contiguousIndices(25);
  const Sparse a = randomSparse(random, 25, 25, true), none(25, 25);
  const MatrixPtr A = makeUniform(a, world()), None = makeUniform(none, world());
  const Sparse square = product("plus-times", a, a);
  for (const List& list : lists(random)) {
    const Grid grid(world(), {A->getRowMap()}, list);
    const Matrix onGrid = grid.fromTpetra(*A), empty = grid.fromTpetra(*None);
    const auto is = [&](const Matrix& found, const Sparse& expected) {
      return check(grid, found, expected, indices, indices);
    };
    TRIDENT_TEST_OK(is(grid.multiplyWithin(onGrid, onGrid, empty), none));
    TRIDENT_TEST_OK(is(grid.multiplyOutside(onGrid, onGrid, empty), square));
    TRIDENT_TEST_OK(is(grid.multiplyWithin(onGrid, empty, onGrid), none));
    TRIDENT_TEST_OK(is(grid.multiplyOutside(empty, onGrid, onGrid), none));
    TRIDENT_TEST_OK(is(grid.multiplyWithin(onGrid, onGrid, onGrid), masked(square, a, false)));
    TRIDENT_TEST_OK(is(grid.multiplyOutside(onGrid, onGrid, onGrid), masked(square, a, true)));
  }
}

/// Finds the lengths of the shortest ways, by Floyd and Warshall; a node is at no distance from
/// itself.
Sparse shortestWays(const Sparse& edges) {
  const int n = edges.numRows();
  std::vector<std::vector<double>> way(n, std::vector<double>(n, 1e300));
  for (int i = 0; i < n; ++i)
    for (const auto& edge : edges.rows[i]) way[i][edge.first] = edge.second;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) way[i][j] = std::min(way[i][j], way[i][k] + way[k][j]);
  Sparse all(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (way[i][j] < 1e299) all.rows[i][j] = way[i][j];
  return all;
}

/// Repeated squares over min-plus end in the shortest ways, the same on all grids.
TEUCHOS_UNIT_TEST(GridSemirings, ShortestWays) {
  Random random(14);
  const int n = 45;
  Sparse edges(n, n);
  for (int i = 0; i < n; ++i) {
    edges.rows[i][i] = 0;
    if (i + 1 < n && i != 20) edges.rows[i][i + 1] = random.between(1, 9);  // a long way, cut once
    for (int more = 0; more < 2; ++more) {
      const int j = random.below(n);
      if (i != j && (i <= 20 || j > 20)) edges.rows[i][j] = random.between(20, 200) / 4.0;
    }
  }
  const MatrixPtr A = makeUniform(edges, world());
  const Indices indices = contiguousIndices(n);
  const Sparse expected = shortestWays(edges);
  TEST_COMPARE(expected.entries(), <, n * n);  // some nodes cannot be reached from others
  for (const List& list : lists(random, true)) {
    list->sublist("Trident").set("semiring", std::string("min-plus"));
    const Grid grid(world(), {A->getRowMap()}, list);
    Matrix ways = grid.fromTpetra(*A);
    for (int edgesAtMost = 1; edgesAtMost < n; edgesAtMost *= 2) ways = grid.multiply(ways, ways);
    TRIDENT_TEST_OK(check(grid, ways, expected, indices, indices));
  }
}

/// Triangles are entries of L that two edges lead around, L the edges to lower nodes.
TEUCHOS_UNIT_TEST(GridSemirings, Triangles) {
  Random random(15);
  const int n = 50;
  Sparse lower(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      if (random.chance(j < 3 ? 0.7 : 0.15)) lower.rows[i][j] = 1;
  double triangles = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < j; ++k)
        triangles += lower.rows[i].count(j) && lower.rows[j].count(k) && lower.rows[i].count(k);
  TEST_COMPARE(triangles, >, 0);
  const MatrixPtr L = makeUniform(lower, world());
  for (const List& list : lists(random, true)) {
    const Grid grid(world(), {L->getRowMap()}, list);
    const Matrix onGrid = grid.fromTpetra(*L);
    const Matrix around = grid.multiplyWithin(onGrid, onGrid, onGrid);
    matrix_type C(L->getRowMap(), 0);
    grid.toTpetra(around, C);
    vector_type ones(L->getRowMap()), sums(L->getRowMap());
    ones.putScalar(1);
    C.apply(ones, sums);
    TEST_EQUALITY(sums.dot(ones), triangles);
  }
}

// Infinities, NaNs and zeros with a sign: one result, to the bit, whatever the grid.

/// Returns the least of the numbers, or the largest, -0 before 0; a NaN if one is among them.
double extremeOf(std::vector<double> numbers, bool largest) {
  for (const double x : numbers)
    if (std::isnan(x)) return x;
  std::sort(numbers.begin(), numbers.end(), [](double a, double b) {
    return a != b ? a < b : std::signbit(a) && !std::signbit(b);
  });
  return largest ? numbers.back() : numbers.front();
}

double edgeTimes(const std::string& semiring, double a, double b) {
  if (semiring == "max-min") return extremeOf({a, b}, false);
  if (semiring != "min-plus" || std::isnan(a) || std::isnan(b)) return times(semiring, a, b);
  return a == INFINITY || b == INFINITY ? INFINITY : a + b;
}

/// Returns the value of an entry of C, from all its products at once.
double edgeSum(const std::string& semiring, const std::vector<double>& products) {
  if (semiring == "min-plus" || semiring == "max-min")
    return extremeOf(products, semiring == "max-min");
  double sum = 0;  // so none is -0
  for (const double x : products) sum = plus(semiring, sum, x);
  return sum;
}

/// Returns "5", "-0", "nan": what tells numbers apart to the bit, but for NaNs.
std::string edgeText(double x) {
  return std::isnan(x) ? "nan" : say(std::signbit(x) ? "" : "+", x);
}

/// Puts numbers at the edge in the place of half of the entries; a NaN in few places.
Sparse edgy(Random& random, Sparse a) {
  for (auto& row : a.rows)
    for (auto& entry : row)
      if (random.chance(0.5))
        entry.second = random.chance(0.04)
                           ? NAN
                           : random.oneOf(std::vector<double>{INFINITY, -INFINITY, 0.0, -0.0});
  return a;
}

/// Makes a matrix as makeMatrix(), with zeros of both signs: insertion adds to 0.
MatrixPtr makeEdgy(const Sparse& a, const Indices& rows, const Indices& columns,
                   const MapPtr& rowMap, const MapPtr& columnMap) {
  const MatrixPtr M = makeMatrix(a, rows, columns, rowMap, columnMap, rowMap);
  const auto place = rows.places();
  M->resumeFill();
  for (const GO gid : Trident::Impl::localGids(*rowMap))
    for (const auto& [column, value] : a.rows[place.at(gid)])
      M->replaceGlobalValues(gid, 1, &value, &columns.gids[column]);
  M->fillComplete(columnMap, rowMap);
  return M;
}

/// Returns an empty text if the matrix on the grid is a·b. Collective.
std::string checkEdges(const Grid& grid, const Matrix& matrix, const std::string& semiring,
                       const Sparse& a, const Sparse& b, const Indices& rows,
                       const Indices& columns) {
  matrix_type C(matrix.rowMap(), 0);
  grid.toTpetra(matrix, C);
  auto found = entriesOf(C);
  const auto place = rows.places();
  std::string problem;
  for (const GO gid : Trident::Impl::localGids(*C.getRowMap())) {
    std::map<int, std::vector<double>> products;
    for (const auto& left : a.rows[place.at(gid)])
      for (const auto& right : b.rows[left.first])
        products[right.first].push_back(edgeTimes(semiring, left.second, right.second));
    for (const auto& [column, list] : products) {
      const auto entry = found.find({gid, columns.gids[column]});
      const double expected = edgeSum(semiring, list);
      if (entry == found.end()) return "an entry is missing";
      if (edgeText(entry->second) != edgeText(expected))
        problem = say("(", place.at(gid), ", ", column, ") is ", edgeText(entry->second),
                      ", expected ", edgeText(expected));
      found.erase(entry);
    }
  }
  return found.empty() ? problem : "C has entries more";
}

TEUCHOS_UNIT_TEST(GridSemirings, NumbersAtTheEdge) {
  Random random(19);
  for (const List& list : lists(random, true))
    for (int n = 0; n < 3; ++n) {
      const Case of(random);
      const Sparse a = edgy(random, of.a), b = edgy(random, of.b);
      const MatrixPtr A = makeEdgy(a, of.rows, of.inner, of.rowMap, of.innerMap);
      const MatrixPtr B = makeEdgy(b, of.inner, of.columns, of.innerMap, of.columnMap);
      const Grid grid(world(), {of.rowMap, of.innerMap, of.columnMap}, list);
      const Matrix onGridA = grid.fromTpetra(*A), onGridB = grid.fromTpetra(*B);
      for (const std::string& semiring : semirings) {
        const Matrix c = grid.multiply(onGridA, onGridB, over(semiring));
        const std::string problem = checkEdges(grid, c, semiring, a, b, of.rows, of.columns);
        if (!problem.empty()) out << semiring << " on " << grid.description() << "\n";
        TRIDENT_TEST_OK(everywhere(*world(), problem));
      }
    }
}

/// A row times a column, in every order: the answers that depended on the grid.
TEUCHOS_UNIT_TEST(GridSemirings, NoWayMeetsMinusInfinity) {
  const auto answer = [&](const List& list, const std::string& semiring,
                          const std::vector<double>& left, const std::vector<double>& right) {
    const int n = static_cast<int>(left.size());
    Sparse a(1, n), b(n, 1);
    for (int i = 0; i < n; ++i) {
      a.rows[0][i] = left[i];
      b.rows[i][0] = right[i];
    }
    const MatrixPtr A = makeUniform(a, world()), B = makeUniform(b, world()), C = newResult(*A);
    list->sublist("Trident").set("semiring", semiring);
    Trident::Multiply(*A, *B, *C, list);
    const auto entries = entriesOf(*C);
    const std::string here = entries.empty() ? "" : edgeText(entries.begin()->second);
    return Trident::Impl::firstText(Trident::Impl::rawComm(*world()), here);
  };
  Random random(20);
  for (const List& list : lists(random, true)) {
    const std::vector<double> zeros{0, 0, 0};
    TEST_EQUALITY(answer(list, "min-plus", {1, INFINITY, 5}, {0, -INFINITY, 0}), "+1");
    TEST_EQUALITY(answer(list, "min-plus", {INFINITY, INFINITY}, {0, -INFINITY}), "+inf");
    for (const char* semiring : {"min-plus", "max-min"}) {
      TEST_EQUALITY(answer(list, semiring, {1, NAN, 5}, zeros), "nan");
      TEST_EQUALITY(answer(list, semiring, {5, 1, NAN}, zeros), "nan");
      TEST_EQUALITY(answer(list, semiring, {NAN, 1, 5}, zeros), "nan");
    }
  }
}

/// The parameter, in the functions that take Tpetra's matrices; with transposes, and R·A·P.
TEUCHOS_UNIT_TEST(GridSemirings, BySublist) {
  Random random(16);
  for (const List& list : lists(random)) {
    const Case of(random);
    const std::string semiring = random.oneOf(semirings);
    list->sublist("Trident").set("semiring", semiring);
    const auto is = [&](const matrix_type& C, const Sparse& expected, const Indices& rows,
                        const Indices& columns) {
      return everywhere(*world(), checkEntries(C, itself(expected), rows, columns, true));
    };
    const MatrixPtr C = newResult(*of.A);
    const Trident::Report report = Trident::Multiply(*of.A, *of.B, *C, list);
    TEST_EQUALITY(report.reasons.find("semiring " + semiring) != std::string::npos,
                  semiring != "plus-times");
    TRIDENT_TEST_OK(is(*C, product(semiring, of.a, of.b), of.rows, of.columns));

    const Sparse at = of.a.transpose();
    const MatrixPtr D = newResult(*of.B);
    Trident::Multiply(*of.A, true, *C, false, *D, true, "", list);
    TRIDENT_TEST_OK(
        is(*D, product(semiring, at, product(semiring, of.a, of.b)), of.inner, of.columns));

    // Bᵀ·(B·S): both products are over the semiring.
    Sparse shift(of.columns.size(), of.columns.size());
    for (int i = 0; i < shift.cols; ++i) shift.rows[i][(i + 1) % shift.cols] = 2;
    const MatrixPtr S =
        makeMatrix(shift, of.columns, of.columns, of.columnMap, of.columnMap, of.columnMap);
    const MatrixPtr E = newResult(*S);
    Trident::MultiplyRAP(*of.B, true, *of.B, false, *S, false, *E, true, "", list);
    TRIDENT_TEST_OK(is(*E, product(semiring, of.b.transpose(), product(semiring, of.b, shift)),
                       of.columns, of.columns));
  }
}

/// A filter of a product over min-plus, which is formed in pieces of rows.
TEUCHOS_UNIT_TEST(GridSemirings, Filtered) {
  Random random(17);
  for (const List& list : lists(random)) {
    const Case of(random);
    const Grid grid(world(), {of.rowMap, of.innerMap, of.columnMap}, list);
    const Matrix a = grid.fromTpetra(*of.A), b = grid.fromTpetra(*of.B);
    Sparse expected(of.a.numRows(), of.b.cols);
    const Sparse whole = product("min-plus", of.a, of.b);
    for (int i = 0; i < whole.numRows(); ++i)
      for (const auto& entry : whole.rows[i])
        if (std::abs(entry.second) >= 2.5) expected.rows[i].insert(entry);
    auto options = over("min-plus");
    options.set("drop tolerance", 2.5).sublist("expert").set("product memory bytes", 3000);
    TRIDENT_TEST_OK(check(grid, grid.multiply(a, b, options), expected, of.rows, of.columns));
  }
}

/// Checks for an Error of `function` with these words on every rank. Collective.
template <class Call>
std::string refuses(const std::string& function, std::vector<std::string> words, Call&& call) {
  words.push_back(function + ": ");
  return expectThrow<Trident::Error>(*world(), words, call);
}

TEUCHOS_UNIT_TEST(GridSemirings, Refusals) {
  Random random(18);
  const Case of(random);
  const Grid grid(world(), {of.rowMap, of.innerMap, of.columnMap});
  const Matrix a = grid.fromTpetra(*of.A), b = grid.fromTpetra(*of.B);
  const Matrix mask = grid.fromTpetra(*of.Mask, of.columnMap, of.rowMap);
  const bool odd = world()->getRank() == world()->getSize() - 1;
  const std::string multiply = "Trident::Grid::multiply", within = multiply + "Within";

  TRIDENT_TEST_OK(refuses(multiply, {"\"semiring\" = \"plus-minus\" is none of", "min-plus"},
                          [&] { grid.multiply(a, b, over("plus-minus")); }));
  TRIDENT_TEST_OK(
      refuses(within, {"the mask is no matrix yet"}, [&] { grid.multiplyWithin(a, b, Matrix()); }));
  TRIDENT_TEST_OK(refuses(multiply + "Outside", {"the mask lies along other Maps", "fromTpetra("},
                          [&] { grid.multiplyOutside(a, b, grid.fromTpetra(*of.B)); }));
  const Grid other(world(), {of.rowMap, of.innerMap, of.columnMap});
  const Matrix elsewhere = other.fromTpetra(*of.Mask, of.columnMap, of.rowMap);
  TRIDENT_TEST_OK(refuses(within, {"the mask lies on another grid"},
                          [&] { grid.multiplyWithin(a, b, elsewhere); }));
  if (world()->getSize() > 1) {
    TRIDENT_TEST_OK(refuses(multiply, {"semiring", "min-plus", "or-and"},
                            [&] { grid.multiply(a, b, over(odd ? "min-plus" : "or-and")); }));
    TRIDENT_TEST_OK(refuses(within, {"the mask is no matrix yet"},
                            [&] { grid.multiplyWithin(a, b, odd ? Matrix() : mask); }));
    TRIDENT_TEST_OK(expectThrow<Trident::Error>(
        *world(), {"the function called is", "multiplyWithin", "multiplyOutside"},
        [&] { odd ? grid.multiplyWithin(a, b, mask) : grid.multiplyOutside(a, b, mask); }));
  }
  TRIDENT_TEST_OK(refuses("Trident::Grid::fromTpetra", {"the graph is null"},
                          [&] { grid.fromTpetra(Teuchos::RCP<const Graph>()); }));
  TRIDENT_TEST_OK(refuses("Trident::Grid::fromTpetra", {"row Map is none of the grid's Maps"}, [&] {
    const Grid rowless(world(), {of.innerMap, of.columnMap});
    rowless.fromTpetra(*of.A);
  }));
  // Each call above left the grid as it was.
  TRIDENT_TEST_OK(check(grid, grid.multiplyWithin(a, b, mask),
                        masked(product("plus-times", of.a, of.b), of.mask, false), of.rows,
                        of.columns));
}

TEUCHOS_UNIT_TEST(GridSemirings, RefusalsOfKernelsPlansAndSteps) {
  const Fixture f(world(), 12, 12, 12);
  const auto list = [](const std::string& kernel) {
    const List all = tridentList();
    all->sublist("Trident").set("semiring", std::string("max-min"));
    all->sublist("Trident").sublist("expert").set("kernel", kernel);
    return all;
  };
  TRIDENT_TEST_OK(expectFailure<Trident::Error>(*f.A, *f.B, newResult(*f.A),
                                                {"kokkos-kernels", "plus-times alone", "\"auto\""},
                                                list("kokkos-kernels")));
  const MatrixPtr filled = newResult(*f.A);
  Trident::Multiply(*f.A, *f.B, *filled);
  TRIDENT_TEST_OK(refuses("Trident::Multiply", {"C already has a pattern", "max-min"},
                          [&] { Trident::Multiply(*f.A, *f.B, *filled, list("auto")); }));
  const MatrixPtr C = newResult(*f.A);
  TRIDENT_TEST_OK(refuses("Trident::MultiplyPlan", {"a plan is over plus-times", "max-min"}, [&] {
    Trident::MultiplyPlan<double, LO, GO, NO>(*f.A, *f.B, *C, list("auto"));
  }));
  const Sparse square = identity(12);
  const MatrixPtr S = makeUniform(square, world()), D = newResult(*S);
  const vector_type diagonal(S->getRowMap());
  TRIDENT_TEST_OK(refuses("Trident::Jacobi", {"a Jacobi step is over plus-times", "max-min"}, [&] {
    Trident::Jacobi(0.5, diagonal, *S, *S, *D, true, "", list("auto"));
  }));
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

}  // namespace
