// SPDX-License-Identifier: BSD-3-Clause
// Arrays of a Tpetra matrix that are not as fillComplete() makes them: longer than the entries, or
// with rows that are not sorted. Tpetra takes them, so every function of Trident does.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using List = Teuchos::RCP<Teuchos::ParameterList>;

constexpr Arrays ways[] = {Arrays::Constructor, Arrays::SetAll, Arrays::LocalMatrix};
/// Behind the entries: a column that is there, and one that no Map has.
constexpr LO junk[] = {0, 100000000};

MatrixPtr square(std::uint64_t seed) {
  Random random(seed);
  return makeUniform(randomSparse(random, 40, 40, true), world());
}

/// Makes parameters for one rank a node and for all ranks in one.
List nodesOf(int ranks) {
  const List list = tridentList();
  list->sublist("Trident").set("ranks per node", ranks);
  return list;
}

/// Returns an empty text if both have equal entries. Collective.
std::string same(const matrix_type& C, const matrix_type& expected) {
  return everywhere(*world(), entriesOf(C) == entriesOf(expected) ? "" : "other entries");
}

/// Calls `check(long one, A, list)` for every way to make a matrix like A with longer arrays.
template <class Check>
std::string forEveryWay(const Check& check) {
  std::string problem;
  const MatrixPtr A = square(3);
  for (const Arrays how : ways)
    for (const LO column : junk)
      for (const int ranks : {1, world()->getSize()}) {
        const std::string found = check(*withRoom(*A, how, column), *A, nodesOf(ranks));
        if (!found.empty())
          problem += say("way ", static_cast<int>(how), ", column ", column, ", ", ranks,
                         " ranks a node: ", found, "; ");
      }
  return problem;
}

TEUCHOS_UNIT_TEST(LongerArrays, Products) {
  TRIDENT_TEST_OK(forEveryWay([](const matrix_type& L, const matrix_type& A, const List& list) {
    std::string problem;
    for (const bool transA : {false, true})
      for (const bool transB : {false, true}) {
        const MatrixPtr C = newResult(A), expected = newResult(A);
        Trident::Multiply(L, transA, L, transB, *C, true, "", list);
        Trident::Multiply(A, transA, A, transB, *expected, true, "", list);
        problem += same(*C, *expected);
      }
    return problem;
  }));
}

TEUCHOS_UNIT_TEST(LongerArrays, JacobiAndGalerkin) {
  TRIDENT_TEST_OK(forEveryWay([](const matrix_type& L, const matrix_type& A, const List& list) {
    vector_type inverse(A.getRowMap());
    inverse.putScalar(0.5);
    const MatrixPtr C = newResult(A), expected = newResult(A);
    Trident::Jacobi(0.5, inverse, L, L, *C, true, "", list);
    Trident::Jacobi(0.5, inverse, A, A, *expected, true, "", list);
    const MatrixPtr D = newResult(A), coarse = newResult(A);
    Trident::MultiplyRAP(L, true, L, false, L, false, *D, true, "", list);
    Trident::MultiplyRAP(A, true, A, false, A, false, *coarse, true, "", list);
    return same(*C, *expected) + same(*D, *coarse);
  }));
}

TEUCHOS_UNIT_TEST(LongerArrays, PatternOfTheResult) {
  const MatrixPtr B = square(5);
  TRIDENT_TEST_OK(forEveryWay([&](const matrix_type& L, const matrix_type& A, const List& list) {
    const MatrixPtr expected = newResult(A);
    Trident::Multiply(A, *B, *expected, list);
    std::string problem;
    for (const Arrays how : ways)
      for (const bool open : {false, true}) {
        const MatrixPtr C = withRoom(*expected, how, 0);
        if (open) C->resumeFill();
        Trident::Multiply(L, *B, *C, list);
        problem += same(*C, *expected);
      }
    return problem;
  }));
}

TEUCHOS_UNIT_TEST(LongerArrays, Plans) {
  TRIDENT_TEST_OK(forEveryWay([](const matrix_type& L, const matrix_type& A, const List& list) {
    const MatrixPtr C = newResult(A), D = newResult(A);
    const Trident::MultiplyPlan<double, LO, GO, NO> ofLonger(L, L, *C, list), plan(A, A, *D, list);
    std::string problem = same(*C, *D);
    // Factors and C with longer arrays are of the same structure as those without.
    const MatrixPtr E = withRoom(*D, Arrays::SetAll, 0), F = withRoom(*D, Arrays::Constructor, 0);
    ofLonger.multiply(A, L, *E);
    plan.multiply(L, L, *F);
    return problem + same(*E, *D) + same(*F, *D);
  }));
}

TEUCHOS_UNIT_TEST(LongerArrays, GridAndMasks) {
  TRIDENT_TEST_OK(forEveryWay([](const matrix_type& L, const matrix_type& A, const List& list) {
    const Trident::Grid<double, LO, GO, NO> grid(world(), {A.getRowMap()}, list);
    const auto a = grid.fromTpetra(A), l = grid.fromTpetra(L),
               ofGraph = grid.fromTpetra(L.getCrsGraph());
    std::string problem;
    const auto compare = [&](const auto& one, const auto& other) {
      const MatrixPtr C = newResult(A), expected = newResult(A);
      grid.toTpetra(one, *C);
      grid.toTpetra(other, *expected);
      problem += same(*C, *expected);
    };
    compare(l, a);
    compare(grid.transpose(l), grid.transpose(a));
    compare(grid.add(1, l, 1, l), grid.add(1, a, 1, a));
    compare(grid.multiply(l, l), grid.multiply(a, a));
    for (const auto& mask : {l, ofGraph}) {
      compare(grid.multiplyWithin(l, l, mask), grid.multiplyWithin(a, a, a));
      compare(grid.multiplyOutside(l, l, mask), grid.multiplyOutside(a, a, a));
    }
    return problem;
  }));
}

/// Makes a matrix like this one whose rows are in no order, and whose graph knows that or does not.
MatrixPtr unsorted(const matrix_type& A) {
  using Local = matrix_type::local_matrix_device_type;
  const Local local = A.getLocalMatrixDevice();
  Local::row_map_type::non_const_type offsets("offsets", local.graph.row_map.extent(0));
  Local::index_type::non_const_type columns("columns", local.graph.entries.extent(0));
  Local::values_type::non_const_type values("values", local.values.extent(0));
  Kokkos::deep_copy(offsets, local.graph.row_map);
  const auto from = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), local.graph.entries);
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), local.graph.row_map);
  const auto turned = Kokkos::create_mirror_view(columns);
  for (int r = 0; r < local.numRows(); ++r)  // the halves of a row change places
    for (std::size_t e = rows(r), n = rows(r + 1) - rows(r); e < rows(r + 1); ++e)
      turned(rows(r) + (e - rows(r) + n / 2) % n) = from(e);
  Kokkos::deep_copy(columns, turned);
  Kokkos::deep_copy(values, 7);
  const MatrixPtr made = Teuchos::rcp(new matrix_type(A.getRowMap(), A.getColMap(), 0));
  made->setAllValues(offsets, columns, values);
  made->expertStaticFillComplete(A.getDomainMap(), A.getRangeMap());
  return made;
}

/// Makes C in the states in which it may come.
std::vector<MatrixPtr> inEveryState(const matrix_type& pattern) {
  std::vector<MatrixPtr> all{unsorted(pattern), unsorted(pattern), unsorted(pattern)};
  all[1]->resumeFill();  // which says that rows are sorted
  all[2] = Teuchos::rcp(new matrix_type(all[2]->getCrsGraph()));
  return all;
}

TEUCHOS_UNIT_TEST(UnsortedPattern, EveryProduct) {
  const MatrixPtr A = square(3), B = square(5);
  vector_type inverse(A->getRowMap());
  inverse.putScalar(0.5);
  const MatrixPtr product = newResult(*A), smoothed = newResult(*A), coarse = newResult(*A);
  Trident::Multiply(*A, *B, *product);
  Trident::Jacobi(0.5, inverse, *A, *B, *smoothed);
  Trident::MultiplyRAP(*A, true, *B, false, *A, false, *coarse);
  for (const MatrixPtr& C : inEveryState(*product))
    for (int time = 0; time < 2; ++time) {
      Trident::Multiply(*A, *B, *C);
      TRIDENT_TEST_OK(same(*C, *product));
    }
  for (const MatrixPtr& C : inEveryState(*smoothed)) {
    if (C->isFillComplete()) C->resumeFill();
    Trident::Jacobi(0.5, inverse, *A, *B, *C);
    TRIDENT_TEST_OK(same(*C, *smoothed));
  }
  for (const MatrixPtr& C : inEveryState(*coarse)) {
    if (C->isFillComplete()) C->resumeFill();
    Trident::MultiplyRAP(*A, true, *B, false, *A, false, *C);
    TRIDENT_TEST_OK(same(*C, *coarse));
  }
}

// Tpetra's own product, with its option not to sort.
TEUCHOS_UNIT_TEST(UnsortedPattern, MadeByTpetra) {
  const MatrixPtr A = square(3), B = square(5), expected = newResult(*A), C = newResult(*A);
  const auto list = Teuchos::parameterList();
  list->set("sort entries", false);
  Tpetra::MatrixMatrix::Multiply(*A, false, *B, false, *C, true, "", list);
  Tpetra::MatrixMatrix::Multiply(*A, false, *B, false, *expected);
  for (int time = 0; time < 2; ++time) {
    const auto before = entriesOf(*C);
    Trident::Multiply(*A, *B, *C);
    TRIDENT_TEST_OK(everywhere(*world(), entriesOf(*C) == before ? "" : "other entries"));
  }
  TRIDENT_TEST_OK(same(*C, *expected));
}

}  // namespace
