// SPDX-License-Identifier: BSD-3-Clause
// Things that C and the process bring beside entries: a label, contributions to rows of other
// ranks, attributes of the communicator, handles that were moved from.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_config.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using Grid = Trident::Grid<double, LO, GO, NO>;
using Plan = Trident::MultiplyPlan<double, LO, GO, NO>;
using Trident::Error;

MatrixPtr square(const CommPtr& comm) {
  Random random(7);
  return makeUniform(randomSparse(random, 40, 40, true), comm);
}

std::string same(const matrix_type& C, const matrix_type& expected) {
  return everywhere(*world(), entriesOf(C) == entriesOf(expected) ? "" : "other entries");
}

TEUCHOS_UNIT_TEST(ResultsLabel, IsTheCallers) {
  const MatrixPtr A = square(world());
  const Grid grid(world(), {A->getRowMap()});
  vector_type inverse(A->getRowMap());
  inverse.putScalar(0.5);
  const std::vector<std::function<void(matrix_type&)>> all{
      [&](matrix_type& C) { Trident::Multiply(*A, *A, C); },
      [&](matrix_type& C) { Trident::Multiply(*A, false, *A, false, C, false); },
      [&](matrix_type& C) { Trident::MultiplyRAP(*A, true, *A, false, *A, false, C); },
      [&](matrix_type& C) { Trident::Jacobi(0.5, inverse, *A, *A, C); },
      [&](matrix_type& C) { Plan(*A, *A, C); },
      [&](matrix_type& C) { grid.toTpetra(grid.fromTpetra(*A), C); }};
  for (const auto& multiply : all) {
    const MatrixPtr C = newResult(*A);
    C->setObjectLabel("coarse");
    multiply(*C);
    TEST_EQUALITY(C->getObjectLabel(), "coarse");
  }
}

/// Finds a column that the pattern has in a row, on every rank. Collective.
GO columnIn(const matrix_type& pattern, GO row) {
  GO mine = -1, column = -1;
  for (const auto& entry : entriesOf(pattern))
    if (entry.first.first == row) mine = entry.first.second;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MAX, 1, &mine, &column);
  return column;
}

/// Makes a C in which the first rank has a contribution to a row of the last one.
MatrixPtr withContribution(const MatrixPtr& C, bool isNew, const matrix_type& product) {
  GO row = C->getRowMap()->getMaxAllGlobalIndex(), index = -1;
  for (; index < 0; --row) index = columnIn(product, row);
  ++row;
  const bool first = world()->getRank() == 0 && world()->getSize() > 1;
  if (!isNew) C->resumeFill();
  const auto column = Teuchos::tuple<GO>(index);
  const auto value = Teuchos::tuple(1000.0);
  if (first && isNew) C->insertGlobalValues(row, column(), value());
  if (first && !isNew) C->sumIntoGlobalValues(row, column(), value());
  return C;
}

// Tpetra adds them to the product where C is completed, so that C is not the product. Where C stays
// open, Tpetra throws.
TEUCHOS_UNIT_TEST(StateOfSeveral, ContributionsToOtherRanksRows) {
  TRIDENT_TEST_NEEDS(world()->getSize() > 1 && TRIDENT_HAVE_GRAPH_ACCESS,
                     "several ranks and a Tpetra whose contributions can be seen");
  const MatrixPtr A = square(world()), product = newResult(*A);
  Trident::Multiply(*A, *A, *product);
  const std::vector<std::string> words{"contributions to rows of other ranks", "C.fillComplete()"};
  for (const bool complete : {true, false}) {
    for (const bool isNew : {true, false}) {
      const MatrixPtr C = withContribution(
          isNew ? newResult(*A) : Teuchos::rcp(new matrix_type(*product, Teuchos::Copy)), isNew,
          *product);
      const ResultBefore before(*C);
      TRIDENT_TEST_OK(expectThrow<Error>(
          *world(), words, [&] { Trident::Multiply(*A, false, *A, false, *C, complete); }));
      TRIDENT_TEST_OK(everywhere(*world(), before.changes()));
      if (isNew) continue;
      // The remedy helps.
      C->fillComplete(product->getDomainMap(), product->getRangeMap());
      TEST_INEQUALITY(C->getFrobeniusNorm(), product->getFrobeniusNorm());
      Trident::Multiply(*A, *A, *C);
      TRIDENT_TEST_OK(same(*C, *product));
      C->resumeFill();
      C->fillComplete(product->getDomainMap(), product->getRangeMap());
      TRIDENT_TEST_OK(same(*C, *product));
    }
  }
}

int copies = 0;
int countAndFail(MPI_Comm, int, void*, void*, void*, int*) {
  ++copies;
  return MPI_ERR_OTHER;
}

TEUCHOS_UNIT_TEST(ProgramsAttributes, AreNotCopied) {
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &raw);
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(countAndFail, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(raw, key, nullptr);
  {
    const CommPtr comm = Teuchos::rcp(new Teuchos::MpiComm<int>(raw));
    const MatrixPtr A = square(comm), C = newResult(*A);
    const int before = copies;
    for (const int ranks : {1, comm->getSize()}) {
      const auto list = tridentList();
      list->sublist("Trident").set("ranks per node", ranks);
      TEST_NOTHROW(Trident::Multiply(*A, *A, *newResult(*A), list));
      const Grid grid(comm, {A->getRowMap()}, list);
      TEST_NOTHROW(
          grid.toTpetra(grid.multiply(grid.fromTpetra(*A), grid.fromTpetra(*A)), *newResult(*A)));
    }
    TEST_EQUALITY(copies, before);
  }
  MPI_Comm_free(&raw);
  MPI_Comm_free_keyval(&key);
}

/// Makes a grid on a duplicate of the world that is gone when this returns.
Grid gridOnDuplicate(const MatrixPtr& A, const Teuchos::RCP<Teuchos::ParameterList>& list) {
  MPI_Comm raw = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &raw);
  const Grid grid(Teuchos::rcp(new Teuchos::MpiComm<int>(raw)), {A->getRowMap()}, list);
  MPI_Comm_free(&raw);
  return grid;
}

TEUCHOS_UNIT_TEST(GridAlone, OutlivesItsCommunicator) {
  const MatrixPtr A = square(world());
  for (const int ranks : {1, world()->getSize()}) {
    const auto list = tridentList();
    list->sublist("Trident").set("ranks per node", ranks);
    const MatrixPtr expected = newResult(*A), C = newResult(*A), D = newResult(*A);
    Trident::Multiply(*A, *A, *expected, list);
    Grid::Matrix square;
    {
      const Grid grid = gridOnDuplicate(A, list);
      const auto a = grid.fromTpetra(*A);
      square = grid.multiply(a, a);
      TEST_NOTHROW(grid.add(1, grid.transpose(a), 2, a));
      TEST_NOTHROW(grid.multiplyWithin(a, a, a));
      TEST_ASSERT(!grid.description().empty());
      grid.toTpetra(square, *C);
      TRIDENT_TEST_OK(same(*C, *expected));
    }
    TEST_ASSERT(square.rowMap()->isSameAs(*A->getRowMap()));
  }
}

TEUCHOS_UNIT_TEST(PlanAlone, OutlivesItsCommunicator) {
  const MatrixPtr A = square(world()), C = newResult(*A), expected = newResult(*A);
  Trident::Multiply(*A, *A, *expected);
  Teuchos::RCP<Plan> plan;
  {  // a duplicate that goes with the last who holds it
    const MatrixPtr B = square(world()->duplicate()), D = newResult(*B);
    plan = Teuchos::rcp(new Plan(*B, *B, *D));
  }
  Plan(*A, *A, *C);
  TRIDENT_TEST_OK(same(*C, *expected));
  TEST_NOTHROW(plan->multiply(*A, *A, *C));
  TRIDENT_TEST_OK(same(*C, *expected));
}

TEUCHOS_UNIT_TEST(MovedFrom, HandlesThrow) {
  const MatrixPtr A = square(world()), C = newResult(*A);
  Grid grid(world(), {A->getRowMap()});
  const auto a = grid.fromTpetra(*A);
  const Grid other(std::move(grid));
  const std::vector<std::string> words{"Trident::Grid", "moved from"};
  const auto expect = [&](const auto& call) {
    TRIDENT_TEST_OK(expectThrow<Error>(*world(), words, call));
  };
  // What it was moved from is used on purpose.
  expect([&] { grid.fromTpetra(*A); });
  expect([&] { grid.fromTpetra(A->getCrsGraph()); });
  expect([&] { grid.multiply(a, a); });
  expect([&] { grid.multiplyWithin(a, a, a); });
  expect([&] { grid.multiplyOutside(a, a, a); });
  expect([&] { grid.multiplyInPieces(a, a, [](const Grid::Piece&) {}); });
  expect([&] { grid.transpose(a); });
  expect([&] { grid.add(1, a, 1, a); });
  expect([&] { grid.toTpetra(a, *C); });
  expect([&] { static_cast<void>(grid.description()); });
  other.toTpetra(a, *C);
}

/// Checks a plan that is empty on one rank, or on all. It must throw everywhere, and serve again
/// once it is made.
/// @param make returns a plan into a result; @param form forms a product by a plan into a result
template <class P, class Make, class Form>
std::string emptyThrows(const matrix_type& A, const std::string& name, const Make& make,
                        const Form& form) {
  const MatrixPtr C = newResult(A);
  const std::vector<std::string> words{"Trident::" + name, "this plan is empty", "moved"};
  P plan;
  if (plan) return "a default plan is not empty";
  std::string problem = expectThrow<Error>(*world(), words, [&] { form(plan, *newResult(A)); });
  if (problem.empty())
    problem = expectThrow<Error>(*world(), words, [&] { static_cast<void>(plan.report()); });
  plan = make(*C);
  if (problem.empty() && !plan) problem = "a plan that was made is empty";
  for (int rank = 0; rank < world()->getSize() && problem.empty(); ++rank) {
    P here = plan;
    if (world()->getRank() == rank) {
      const P moved = std::move(here);
      if (here) problem = "a plan that was moved from is not empty";
    }
    problem += expectThrow<Error>(*world(), words, [&] { form(here, *C); });
    if (problem.empty() && world()->getSize() > 1)  // who makes one instead
      problem = expectThrow<Error>(*world(), {"the function called is", "on rank "}, [&] {
        world()->getRank() == rank ? static_cast<void>(make(*newResult(A))) : form(here, *C);
      });
  }
  form(plan, *C);
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(MovedFrom, PlansAreEmpty) {
  using NO = matrix_type::node_type;
  using Galerkin = Trident::MultiplyRAPPlan<double, LO, GO, NO>;
  using Smoother = Trident::JacobiPlan<double, LO, GO, NO>;
  const MatrixPtr A = square(world());
  vector_type inverse(A->getRowMap());
  inverse.putScalar(0.5);
  for (const double timeout : {0.0, 100.0}) {  // ranks with a bound poll
    const auto list = tridentList();
    list->sublist("Trident").set("timeout", timeout);
    TRIDENT_TEST_OK(emptyThrows<Plan>(
        *A, "MultiplyPlan", [&](auto& C) { return Plan(*A, *A, C, list); },
        [&](const Plan& plan, auto& C) { plan.multiply(*A, *A, C); }));
    TRIDENT_TEST_OK(emptyThrows<Galerkin>(
        *A, "MultiplyRAPPlan",
        [&](auto& C) { return Galerkin(*A, true, *A, false, *A, false, C, list); },
        [&](const Galerkin& plan, auto& C) { plan.multiply(*A, *A, *A, C); }));
    TRIDENT_TEST_OK(emptyThrows<Smoother>(
        *A, "JacobiPlan", [&](auto& C) { return Smoother(0.5, inverse, *A, *A, C, list); },
        [&](const Smoother& plan, auto& C) { plan.multiply(0.5, inverse, *A, *A, C); }));
  }
}

// Types that Tpetra has by default need no names, also of a member.
TEUCHOS_UNIT_TEST(MovedFrom, PlansHaveDefaultTypes) {
  struct Member {
    Trident::MultiplyPlan<> product;
    Trident::MultiplyRAPPlan<> galerkin;
    Trident::JacobiPlan<> smoother;
  } member;
  TEST_ASSERT(!member.product && !member.galerkin && !member.smoother);
  using Matrix = Tpetra::CrsMatrix<>;
  static_assert(std::is_same_v<Trident::MultiplyPlan<>::crs_matrix_type, Matrix>);
  static_assert(std::is_same_v<Trident::MultiplyRAPPlan<>::crs_matrix_type, Matrix>);
  static_assert(std::is_same_v<Trident::JacobiPlan<>::crs_matrix_type, Matrix>);
  const auto map = Teuchos::rcp(new Matrix::map_type(9, 0, world()));
  Matrix A(map, 1), C(map, 0);
  for (const auto gid : Trident::Impl::localGids(*map))
    A.insertGlobalValues(gid, Teuchos::tuple(gid)(), Teuchos::tuple(Matrix::scalar_type(2))());
  A.fillComplete();
  const Trident::MultiplyPlan deduced(A, A, C, Teuchos::null, "label");
  static_assert(std::is_same_v<decltype(deduced), const Trident::MultiplyPlan<>>);
  member.product = deduced;
  member.product.multiply(A, A, C);
  TEST_ASSERT(bool(member.product));
}

}  // namespace
