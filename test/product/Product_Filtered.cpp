// SPDX-License-Identifier: BSD-3-Clause
// Filtered products by Trident::Grid and Trident::Multiply, against products formed and filtered
// without Trident.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Multiply.hpp"
#include "Trident_MultiplyKeeping.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestOnGrid.hpp"

namespace {

using namespace TridentTest;
using Matrix = Grid::Matrix;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// Returns the entries that "drop tolerance" relative to the largest, then "keep largest" leave of
/// a matrix: ties by column.
Sparse dropped(const Sparse& a, double tolerance, std::size_t most) {
  Sparse kept(a.numRows(), a.cols);
  for (int i = 0; i < a.numRows(); ++i) {
    double largest = 0;
    for (const auto& entry : a.rows[i]) largest = std::max(largest, std::abs(entry.second));
    std::vector<std::pair<int, double>> row;
    for (const auto& entry : a.rows[i])
      if (std::abs(entry.second) >= tolerance * largest) row.emplace_back(entry);
    std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) {
      return std::abs(x.second) > std::abs(y.second);
    });
    row.resize(std::min(row.size(), most));
    for (const auto& entry : row) kept.rows[i][entry.first] = entry.second;
  }
  return kept;
}

/// A random matrix whose Maps are contiguous: then numbers of indices are their order.
struct Square {
  Indices indices;
  Sparse a;
  MatrixPtr A;

  explicit Square(unsigned seed, int n = 60) : indices(contiguousIndices(n)), a(n, n) {
    Random random(seed);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        if (random.between(0, 5) == 0) a.rows[i][j] = random.between(-3, 3);
    A = makeUniform(a, world());
  }
  Sparse square() const { return Expected(a, a).sparse(); }
};

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

Teuchos::ParameterList filterList(double bytes) {
  Teuchos::ParameterList filter;
  filter.set("drop tolerance", 0.3).set("keep largest", 4);
  filter.sublist("expert")
      .set("drop relative to", std::string("largest"))
      .set("product memory bytes", bytes);
  return filter;
}

/// Returns an empty text if the matrix on the grid is `expected`. Collective.
std::string check(const Grid& grid, const Matrix& matrix, const Sparse& expected,
                  const Indices& indices) {
  return check(grid, matrix, expected, indices, indices);
}

TEUCHOS_UNIT_TEST(GridFiltered, AgainstSorting) {
  const Square s(1);
  const Sparse expected = dropped(s.square(), 0.3, 4);
  for (const List& list : lists()) {
    const Grid grid(world(), {s.A->getRowMap()}, list);
    out << grid.description() << "\n";
    const Matrix a = grid.fromTpetra(*s.A);
    for (const double bytes : {4000.0, 30000.0, 0.0}) {
      const Matrix c = grid.multiply(a, a, filterList(bytes));
      const Trident::Report report = c.report();
      TRIDENT_TEST_OK(check(grid, c, expected, s.indices));
      const auto all = Trident::summarize(report, *world());
      TEST_COMPARE(all.pieces, >=, 1);
      TEST_COMPARE(all.pieceBytes, <=, all.predictedPieceBytes);
      TEST_ASSERT(Trident::describe(report, all).find("pieces of rows") != std::string::npos);
    }
    TRIDENT_TEST_OK(check(grid, grid.multiply(a, a), s.square(), s.indices));
  }
}

// Entries that a mask lets through are filtered: the largest of a row, but those of the mask.
TEUCHOS_UNIT_TEST(GridFiltered, WithinMasksAndOutside) {
  const Square s(5), other(6);
  for (const List& list : lists()) {
    const Grid grid(world(), {s.A->getRowMap()}, list);
    const Matrix a = grid.fromTpetra(*s.A), mask = grid.fromTpetra(*other.A);
    Grid::vector_type ones(s.A->getRowMap());
    ones.putScalar(1);
    const Matrix diagonal = grid.fromDiagonal(ones);
    const Sparse square = s.square();
    for (const bool outside : {false, true}) {
      const double bytes = outside ? 4000 : 0;
      const auto options = filterList(bytes);
      const Matrix c = outside ? grid.multiplyOutside(a, a, mask, options)
                               : grid.multiplyWithin(a, a, mask, options);
      const auto all = Trident::summarize(c.report(), *world());
      TEST_COMPARE(all.pieceBytes, <=, all.predictedPieceBytes);
      TRIDENT_TEST_OK(check(grid, c, dropped(masked(square, other.a, outside), 0.3, 4), s.indices));
    }
    TRIDENT_TEST_OK(check(grid, grid.multiplyOutside(a, a, diagonal, filterList(0)),
                          dropped(masked(square, identity(60), true), 0.3, 4), s.indices));
  }
}

// The grid's own parameters filter all its products; a list of a call's comes before them.
TEUCHOS_UNIT_TEST(GridFiltered, ByTheGridsParameters) {
  const Square s(2);
  for (const List& list : lists()) {
    list->sublist("Trident").set("keep largest", 3.0);
    const Grid grid(world(), {s.A->getRowMap()}, list);
    const Matrix a = grid.fromTpetra(*s.A);
    TRIDENT_TEST_OK(check(grid, grid.multiply(a, a), dropped(s.square(), 0, 3), s.indices));
    Teuchos::ParameterList five;
    five.set("keep largest", 5);
    TRIDENT_TEST_OK(check(grid, grid.multiply(a, a, five), dropped(s.square(), 0, 5), s.indices));
  }
}

TEUCHOS_UNIT_TEST(GridFiltered, ByMultiply) {
  const Square s(3);
  for (const List& list : lists()) {
    list->sublist("Trident").setParameters(filterList(5000));
    matrix_type C(s.A->getRowMap(), 0);
    const auto report = Trident::Multiply(*s.A, *s.A, C, list);
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(C, itself(dropped(s.square(), 0.3, 4)),
                                                      s.indices, s.indices, true)));
    int pieces = report.pieces;
    MPI_Allreduce(MPI_IN_PLACE, &pieces, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    TEST_COMPARE(pieces, >, 1);
  }
}

// The last of several products is filtered.
TEUCHOS_UNIT_TEST(GridFiltered, ByMultiplyRAP) {
  const Square s(4, 30);
  const List list = tridentList();
  list->sublist("Trident").set("keep largest", 2);
  matrix_type C(s.A->getRowMap(), 0);
  Trident::MultiplyRAP(*s.A, false, *s.A, false, *s.A, false, C, true, "", list);
  const Sparse cube = Expected(s.a, s.square()).sparse();
  TRIDENT_TEST_OK(everywhere(
      *world(), checkEntries(C, itself(dropped(cube, 0, 2)), s.indices, s.indices, true)));
}

struct KeepNearAndLarge {
  template <class Facts>
  KOKKOS_INLINE_FUNCTION bool operator()(long long row, long long column, double value,
                                         const Facts& facts) const {
    return row - column <= 3 && column - row <= 3 ? value != 0 : value == facts.largest;
  }
};

TEUCHOS_UNIT_TEST(GridFiltered, ByAFunctor) {
  const Square s(5);
  const Sparse whole = s.square();
  Sparse expected(whole.numRows(), whole.cols);
  for (int i = 0; i < whole.numRows(); ++i) {
    double largest = 0;
    for (const auto& entry : whole.rows[i]) largest = std::max(largest, std::abs(entry.second));
    for (const auto& entry : whole.rows[i])
      if (std::abs(i - entry.first) <= 3 ? entry.second != 0 : entry.second == largest)
        expected.rows[i].insert(entry);
  }
  Teuchos::ParameterList bound;
  bound.sublist("expert").set("product memory bytes", 20000);
  for (const List& list : lists()) {
    const Grid grid(world(), {s.A->getRowMap()}, list);
    const Matrix a = grid.fromTpetra(*s.A);
    const Matrix c = grid.multiplyKeeping(a, a, KeepNearAndLarge(), bound);
    TRIDENT_TEST_OK(check(grid, c, expected, s.indices));
  }
}

/// Checks for an Error of `function` with these words on every rank. Collective.
template <class Call>
std::string refuses(const std::string& function, std::vector<std::string> words, Call&& call) {
  words.push_back(function + ": ");
  return expectThrow<Trident::Error>(*world(), words, call);
}

TEUCHOS_UNIT_TEST(GridFiltered, BadFilters) {
  const Square s(6);
  const Grid grid(world(), {s.A->getRowMap()});
  const Matrix a = grid.fromTpetra(*s.A);
  const bool odd = world()->getRank() == world()->getSize() - 1;
  const auto refused = [&](const std::vector<std::string>& words, const auto& set) {
    return refuses("Trident::Grid::multiply", words, [&] {
      Teuchos::ParameterList filter;
      set(filter);
      grid.multiply(a, a, filter);
    });
  };
  using Filter = Teuchos::ParameterList;
  TRIDENT_TEST_OK(
      refused({"drop tolerance", "-1"}, [](Filter& f) { f.set("drop tolerance", -1.0); }));
  TRIDENT_TEST_OK(
      refused({"drop tolerance"}, [](Filter& f) { f.set("drop tolerance", std::nan("")); }));
  TRIDENT_TEST_OK(refused({"drop relative to", "mean"}, [](Filter& f) {
    f.sublist("expert").set("drop relative to", std::string("mean"));
  }));
  TRIDENT_TEST_OK(refused({"keep largest"}, [](Filter& f) { f.set("keep largest", -2); }));
  TRIDENT_TEST_OK(refused({"belongs in the sublist \"expert\"",
                           "options.sublist(\"expert\").set(\"product memory bytes\", value)"},
                          [](Filter& f) { f.set("product memory bytes", 1e6); }));
  TRIDENT_TEST_OK(
      refused({"belongs beside the sublist \"expert\"", "options.set(\"keep largest\", value)"},
              [](Filter& f) { f.sublist("expert").set("keep largest", 2); }));
  TRIDENT_TEST_OK(refused({"keep smallest"}, [](Filter& f) { f.set("keep smallest", 1); }));
  TRIDENT_TEST_OK(refused({"kernel", "not one product's"}, [](Filter& f) {
    f.sublist("expert").set("kernel", std::string("auto"));
  }));
  if (world()->getSize() > 1) {
    TRIDENT_TEST_OK(refused({"keep largest", "3", "2"},
                            [&](Filter& f) { f.set("keep largest", odd ? 3 : 2); }));
    TRIDENT_TEST_OK(refused({"keep largest"}, [&](Filter& f) {
      if (odd) f.set("keep largest", 3);
    }));
  }
  TRIDENT_TEST_OK(refuses("Trident::Grid::multiplyKeeping", {"keep largest", "functor"}, [&] {
    grid.multiplyKeeping(a, a, KeepNearAndLarge(), Filter().set("keep largest", 2));
  }));
  const List list = tridentList();
  list->sublist("Trident").set("keep largest", 2);
  const MatrixPtr C = newResult(*s.A);
  TRIDENT_TEST_OK(refuses("Trident::MultiplyPlan", {"a plan keeps the structure"}, [&] {
    Trident::MultiplyPlan<double, LO, GO, map_type::node_type>(*s.A, *s.A, *C, list);
  }));
  TRIDENT_TEST_OK(
      check(grid, grid.multiply(a, a, filterList(0)), dropped(s.square(), 0.3, 4), s.indices));
}

}  // namespace
