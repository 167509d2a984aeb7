// SPDX-License-Identifier: BSD-3-Clause
// Products formed again with new values of the same structure.

#include <Teuchos_UnitTestHarness.hpp>
#include <tuple>
#include <type_traits>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Plan =
    Trident::MultiplyPlan<double, matrix_type::local_ordinal_type, GO, matrix_type::node_type>;

/// Draws other values where the matrix has entries.
Sparse withNewValues(Sparse M, Random& random) {
  for (auto& row : M.rows)
    for (auto& entry : row) entry.second = random.oneOf<double>({-3, -2, -1, 0, 1, 2, 3});
  return M;
}

/// Makes a matrix on the graph of another, with these values.
MatrixPtr onGraphOf(const matrix_type& M, const Sparse& values, const Indices& rows,
                    const Indices& cols) {
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(M.getCrsGraph()));
  const auto place = rows.places();
  for (const GO gid : Trident::Impl::localGids(*M.getRowMap())) {
    Teuchos::Array<GO> columns;
    Teuchos::Array<double> entries;
    for (const auto& entry : values.rows[place.at(gid)]) {
      columns.push_back(cols.gids[entry.first]);
      entries.push_back(entry.second);
    }
    if (columns.size() > 0) matrix->replaceGlobalValues(gid, columns(), entries());
  }
  matrix->fillComplete(M.getDomainMap(), M.getRangeMap());
  return matrix;
}

/// Plans a random product and forms it with new values: in the planned matrices' own graphs and in
/// graphs built anew. Empty, or what is wrong. Collective.
std::string checkPlan(std::uint64_t seed, const CommPtr& comm) {
  Random random(seed);
  const Sizes size = randomSizes(random);
  const Indices rows = randomIndices(random, size.m), inner = randomIndices(random, size.l),
                cols = randomIndices(random, size.n);
  const auto map = [&](const Indices& indices) {
    return makeMap(random, indices, randomLayout(random), comm);
  };
  const MapPtr rowsA = map(rows), rowsB = map(inner), domainB = map(cols);
  Sparse a = randomSparse(random, size.m, size.l, true);
  Sparse b = randomSparse(random, size.l, size.n, true);
  const MatrixPtr A = makeMatrix(a, rows, inner, rowsA, rowsB, rowsA);
  const MatrixPtr B = makeMatrix(b, inner, cols, rowsB, domainB, rowsB);
  int lambda = 1;
  std::string shape;
  const auto params = randomParameters(random, comm->getSize(), lambda, shape);
  const auto where = [&](int time, const std::string& problem) {
    return problem.empty() ? "" : say("seed ", seed, " product ", time, ": ", problem, *params);
  };

  const MatrixPtr C = newResult(*A);
  const Plan plan(*A, *B, *C, params);
  std::string problem =
      where(0, everywhere(*comm, checkEntries(*C, Expected(a, b), rows, cols, true)));
  const auto graph = C->getCrsGraph();
  for (int time = 1; time <= 3 && problem.empty(); ++time) {
    a = withNewValues(a, random);
    b = withNewValues(b, random);
    const MatrixPtr A2 =
        time == 2 ? makeMatrix(a, rows, inner, rowsA, rowsB, rowsA) : onGraphOf(*A, a, rows, inner);
    const MatrixPtr B2 = time == 2 ? makeMatrix(b, inner, cols, rowsB, domainB, rowsB)
                                   : onGraphOf(*B, b, inner, cols);
    const Snapshot beforeA(*A2), beforeB(*B2);
    const Trident::Report report = plan.multiply(*A2, *B2, *C);
    const Expected expected(a, b);
    std::string here = checkEntries(*C, expected, rows, cols, true);
    if (here.empty()) here = beforeA.changes();
    if (here.empty()) here = beforeB.changes();
    if (here.empty() && C->getCrsGraph() != graph) here = "C has another graph";
    here = everywhere(*comm, here);
    const auto sum = Trident::summarize(report, *comm);
    if (here.empty() && sum.multiplyAdds != expected.multiplyAdds)
      here = say("multiply-adds ", sum.multiplyAdds);
    problem = where(time, here);
  }
  return problem;
}

TEUCHOS_UNIT_TEST(Plan, NewValuesGiveTheirProduct) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::string problem = checkPlan(seed, world());
    if (!problem.empty()) out << problem << "\n";
    TRIDENT_TEST_OK(problem);
  }
}

// A program names no types of matrices; ω may be of another type than they.
TEUCHOS_UNIT_TEST(Plan, TypesAreDeduced) {
  using Node = matrix_type::node_type;
  Random random(7);
  const Sparse a = randomSparse(random, 12, 12, true);
  const MatrixPtr A = makeUniform(a, world());
  const Teuchos::RCP<Teuchos::ParameterList> params = tridentList();
  Tpetra::Vector<double, LO, GO, Node> inverse(A->getRowMap());
  inverse.putScalar(0.5);
  const MatrixPtr C = newResult(*A), D = newResult(*A), E = newResult(*A), F = newResult(*A);
  const Trident::MultiplyPlan plan(*A, *A, *C), transposed(*A, true, *A, false, *D, params);
  const Trident::MultiplyRAPPlan galerkin(*A, true, *A, false, *A, false, *E);
  const Trident::JacobiPlan step(1, inverse, *A, *A, *F, params);
  using Types = std::tuple<decltype(plan), decltype(galerkin), decltype(step)>;
  static_assert(
      std::is_same_v<Types, std::tuple<const Trident::MultiplyPlan<double, LO, GO, Node>,
                                       const Trident::MultiplyRAPPlan<double, LO, GO, Node>,
                                       const Trident::JacobiPlan<double, LO, GO, Node>>>);
  const auto copy = plan;  // is a plan of the same types, not one of a plan
  copy.multiply(*A, *A, *C);
  transposed.multiply(*A, *A, *D);
  const Indices indices = contiguousIndices(12);
  TRIDENT_TEST_OK(everywhere(
      *world(), checkEntries(*C, Expected(a, a), indices, indices, true) +
                    checkEntries(*D, Expected(a.transpose(), a), indices, indices, true)));
}

/// Plans Mᵀ·B, M stored on Maps of some layout, and forms it with new values. Empty, or what is
/// wrong. Collective.
std::string checkTransposed(std::uint64_t seed, const CommPtr& comm) {
  Random random(seed);
  const Sizes size = randomSizes(random);
  const Indices rows = contiguousIndices(size.m), inner = contiguousIndices(size.l),
                cols = contiguousIndices(size.n);
  // On one rank rows of Mᵀ stay where they are only if M's columns are numbered as C's rows.
  const auto map = [&](const Indices& indices) {
    return makeMap(random, indices, seed % 2 ? Layout::Uniform : randomLayout(random), comm);
  };
  const MapPtr rowsOfM = map(inner), columnsOfM = map(rows), rowsOfB = map(inner),
               columnsOfB = map(cols);
  Sparse m = randomSparse(random, size.l, size.m, true);
  if (seed % 5 == 0)
    for (auto& row : m.rows) row.erase(0);  // the first column of M, a row of C, is empty
  const Sparse b = randomSparse(random, size.l, size.n, true);
  const MatrixPtr M = makeMatrix(m, inner, rows, rowsOfM, columnsOfM, rowsOfM);
  const MatrixPtr B = makeMatrix(b, inner, cols, rowsOfB, columnsOfB, rowsOfB);
  const MatrixPtr C = Teuchos::rcp(new matrix_type(M->getDomainMap(), 0));
  const Plan plan(*M, true, *B, false, *C);
  const auto check = [&] {
    return everywhere(*comm, checkEntries(*C, Expected(m.transpose(), b), rows, cols, true));
  };
  std::string problem = check();
  for (int time = 1; time <= 2 && problem.empty(); ++time) {
    m = withNewValues(m, random);
    plan.multiply(*onGraphOf(*M, m, inner, rows), *B, *C);
    problem = check();
  }
  return problem.empty() ? "" : say("seed ", seed, ": ", problem);
}

TEUCHOS_UNIT_TEST(Plan, Transposes) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) TRIDENT_TEST_OK(checkTransposed(seed, world()));
}

// A·A imports one factor, but two matrices of its structure are two factors.
TEUCHOS_UNIT_TEST(Plan, OneFactorOrTwo) {
  Random random(7);
  const int n = 40;
  const Indices all = contiguousIndices(n);
  Sparse a = randomSparse(random, n, n, true);
  const MatrixPtr A = makeUniform(a, world()), C = newResult(*A);
  const Plan plan(*A, *A, *C);
  const Sparse b = withNewValues(a, random);
  const MatrixPtr B = onGraphOf(*A, b, all, all);
  plan.multiply(*A, *B, *C);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(a, b), all, all, true)));
  plan.multiply(*B, *B, *C);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(b, b), all, all, true)));
}

// A factor may be the result: C = A·C, by the values that C has before.
// On devices a large last product on several ranks may find C's columns first. A plan's must not.
TEUCHOS_UNIT_TEST(Plan, ALargeProduct) {
  const CommPtr comm = world();
  const bool onHost = Trident::Impl::isHost<matrix_type::device_type>;  // where size is no matter
  const int n = (onHost ? 70 : 600) * comm->getSize();
  const Indices indices = contiguousIndices(n);
  Sparse a(n, n);
  for (int r = 0; r < n; ++r)
    for (int e = 0; e < 60; ++e) a.rows[r][(r + 7 * e) % n] = (r + e) % 5 - 2;
  const MatrixPtr A = makeUniform(a, comm), C = newResult(*A);
  const Plan plan(*A, *A, *C, tridentList());
  TRIDENT_TEST_OK(everywhere(*comm, checkEntries(*C, Expected(a, a), indices, indices, true)));
  Random random(9);
  a = withNewValues(a, random);
  const MatrixPtr A2 = makeUniform(a, comm);
  plan.multiply(*A2, *A2, *C);
  TRIDENT_TEST_OK(everywhere(*comm, checkEntries(*C, Expected(a, a), indices, indices, true)));
}

TEUCHOS_UNIT_TEST(Plan, FactorIsTheResult) {
  Random random(9);
  const int n = 20;
  Sparse a(n, n);
  for (auto& row : a.rows)
    for (int c = 0; c < n; ++c) row[c] = 0;
  a = withNewValues(a, random);
  Sparse b = withNewValues(a, random);
  const MatrixPtr A = makeUniform(a, world()), B = makeUniform(b, world()), C = newResult(*A);
  const Plan plan(*A, *B, *C);
  plan.multiply(*A, *C, *C);
  Sparse product(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) product.rows[i][j] += a.rows[i][k] * b.rows[k][j];
  const Indices all = contiguousIndices(n);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(a, product), all, all, true)));
}

// The result may be another matrix on C's graph.
TEUCHOS_UNIT_TEST(Plan, AnotherResult) {
  Random random(8);
  const Indices all = contiguousIndices(30);
  const Sparse a = randomSparse(random, 30, 30, true), b = withNewValues(a, random);
  const MatrixPtr A = makeUniform(a, world()), C = newResult(*A);
  const Plan plan(*A, *A, *C);
  const MatrixPtr D = Teuchos::rcp(new matrix_type(C->getCrsGraph()));
  D->fillComplete(C->getDomainMap(), C->getRangeMap());
  const MatrixPtr B = onGraphOf(*A, b, all, all);
  plan.multiply(*B, *B, *D);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*D, Expected(b, b), all, all, true)));
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(a, a), all, all, true)));
}

// Another structure is refused on every rank, and nothing changes.
TEUCHOS_UNIT_TEST(Plan, AnotherStructureIsRefused) {
  Random random(9);
  const int n = 32;
  const Indices all = contiguousIndices(n);
  Sparse a(n, n);
  for (int i = 0; i < n; ++i) a.rows[i] = {{i, 2.0}, {(i + 3) % n, 1.0}};
  const MatrixPtr A = makeUniform(a, world()), C = newResult(*A);
  const Plan plan(*A, *A, *C);
  Sparse moved = a;  // as many entries in each row, but on one rank one lies elsewhere
  moved.rows[n - 1].erase(n - 1);
  moved.rows[n - 1][n - 2] = 1.0;
  const MatrixPtr M = makeUniform(moved, world()), open = newResult(*A);
  const Snapshot before(*C);
  for (const auto& attempt :
       {std::make_pair(M, C), std::make_pair(A, M), std::make_pair(A, open)}) {
    TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"Trident::MultiplyPlan::multiply"}, [&] {
      plan.multiply(*attempt.first, *A, *attempt.second);
    }));
    TRIDENT_TEST_OK(everywhere(*world(), before.changes()));
  }
  plan.multiply(*A, *A, *C);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(a, a), all, all, true)));
}

}  // namespace
