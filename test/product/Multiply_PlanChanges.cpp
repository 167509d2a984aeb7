// SPDX-License-Identifier: BSD-3-Clause
// Changes of a matrix since its product was planned: a plan sees it, though the graph is the
// same object, and refuses or forms the right product; and Tpetra sees what a plan has written.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestParameters.hpp"
#include "Trident_TestStructures.hpp"
#include "Trident_Transpose.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;
using Plan = Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>;
using RAPPlan = Trident::MultiplyRAPPlan<double, LO, GO, matrix_type::node_type>;
using JacobiPlan = Trident::JacobiPlan<double, LO, GO, matrix_type::node_type>;

const std::string function = "Trident::MultiplyPlan::multiply: ";
constexpr int n = 24;
const Indices all = contiguousIndices(n);

/// Makes three diagonals, of values that grow with the row, times a factor.
Sparse banded(double factor = 1) {
  Sparse a(n, n);
  for (int i = 0; i < n; ++i)
    for (const int step : {0, 1, 5}) a.rows[i][(i + step) % n] = factor * (1 + i % 7 + step);
  return a;
}

/// Makes the banded matrix with room for one entry more in each row, storage optimized or not.
MatrixPtr withRoom(bool optimized) {
  const MapPtr map = Teuchos::rcp(new map_type(n, 0, world()));
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(map, 5));
  const Sparse a = banded();
  for (const GO gid : Trident::Impl::localGids(*map))
    for (const auto& entry : a.rows[gid])
      matrix->insertGlobalValues(gid, Teuchos::tuple<GO>(entry.first)(),
                                 Teuchos::tuple(entry.second)());
  const auto params = Teuchos::parameterList();
  params->set("Optimize Storage", optimized);
  matrix->fillComplete(map, map, params);
  return matrix;
}

/// Sets the values of another banded matrix. (Tpetra 13.2 loses what scale() does if storage is not
/// optimized.)
void setValues(matrix_type& M, double factor) {
  const Sparse a = banded(factor);
  M.resumeFill();
  for (const GO gid : Trident::Impl::localGids(*M.getRowMap()))
    for (const auto& entry : a.rows[gid])
      M.replaceGlobalValues(gid, Teuchos::tuple<GO>(entry.first)(), Teuchos::tuple(entry.second)());
  M.fillComplete(M.getDomainMap(), M.getRangeMap());
}

/// A planned product, and what a change is to do to the next one.
struct Planned {
  MatrixPtr A = makeUniform(banded(), world()), B = withRoom(true), C = newResult(*A);
  std::unique_ptr<Plan> plan;

  explicit Planned(const MatrixPtr& b = Teuchos::null,
                   const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null) {
    if (!b.is_null()) B = b;
    plan = std::make_unique<Plan>(*A, *B, *C, params);
  }
  std::string good(double factor) const {
    plan->multiply(*A, *B, *C);
    return everywhere(*world(),
                      checkEntries(*C, Expected(banded(), banded(factor)), all, all, true));
  }
  std::string refused(const matrix_type& a, const matrix_type& b, matrix_type& c,
                      const std::vector<std::string>& words) const {
    const ResultBefore before(c);
    const std::string problem =
        expectThrow<Error>(*world(), words, [&] { plan->multiply(a, b, c); });
    return problem.empty() ? everywhere(*world(), before.changes()) : problem;
  }
};

/// Gives M the columns of its column Map in the opposite order: another Map of the same indices.
void reindex(matrix_type& M) {
  Teuchos::Array<GO> turned;
  for (const GO gid : Trident::Impl::localGids(*M.getColMap())) turned.insert(turned.begin(), gid);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr map = Teuchos::rcp(new map_type(any, turned(), 0, world()));
  const auto domain = M.getDomainMap(), range = M.getRangeMap();
  M.resumeFill();
  M.reindexColumns(nullptr, map, Teuchos::null, true);
  M.fillComplete(domain, range);
}

TEUCHOS_UNIT_TEST(PlanChanges, ColumnsReindexed) {
  for (const bool first : {true, false}) {
    const Planned p;
    const MatrixPtr changed = first ? p.A : p.B;
    const auto graph = changed->getCrsGraph();
    reindex(*changed);
    TEST_EQUALITY(changed->getCrsGraph().get(), graph.get());
    TRIDENT_TEST_OK(p.refused(
        *p.A, *p.B, *p.C,
        {function, first ? "A has other entries" : "B has other entries", "make a new plan"}));
    const MatrixPtr C = newResult(*p.A);  // which it is for
    const Plan plan(*p.A, *p.B, *C);
    TRIDENT_TEST_OK(
        everywhere(*world(), checkEntries(*C, Expected(banded(), banded()), all, all, true)));
  }
}

// Rows have as many entries, in other columns: only the column Map tells if the local ones agree.
TEUCHOS_UNIT_TEST(PlanChanges, ColumnMapReplaced) {
  const Planned p;
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  Teuchos::Array<GO> turned;
  const auto gids = Trident::Impl::localGids(*p.B->getColMap());
  for (const GO gid : gids) turned.push_back(n - 1 - gid);
  const MapPtr map = Teuchos::rcp(new map_type(any, turned(), 0, world()));
  const auto local = p.B->getLocalMatrixDevice();
  const MatrixPtr other =
      Teuchos::rcp(new matrix_type(local, p.B->getRowMap(), map, p.B->getDomainMap(),
                                   p.B->getRangeMap(), Teuchos::parameterList()));
  TRIDENT_TEST_OK(p.refused(*p.A, *other, *p.C, {function, "B has another column Map"}));
  TRIDENT_TEST_OK(p.good(1));
}

TEUCHOS_UNIT_TEST(PlanChanges, EntryInserted) {
  for (const bool optimized : {false, true}) {
    const Planned p(withRoom(optimized));
    TRIDENT_TEST_OK(p.good(1));
    const auto params = Teuchos::parameterList();
    params->set("Optimize Storage", optimized);
    setValues(*p.B, 2);
    TRIDENT_TEST_OK(p.good(2));
    if (optimized) continue;  // then Tpetra has no room left
    const MatrixPtr B = withRoom(false);
    const Planned q(B);
    const auto graph = B->getCrsGraph();
    B->resumeFill();
    if (Trident::Impl::localSize(*B->getRowMap()) > 0) {
      // A column that the first row lacks: the last one of the column Map's that is not its own.
      const LO columns = static_cast<LO>(Trident::Impl::localSize(*B->getColMap()));
      std::vector<bool> has(columns, false);
      const GO row = B->getRowMap()->getGlobalElement(0);
      const Sparse a = banded();
      for (const auto& entry : a.rows[row])
        has[B->getColMap()->getLocalElement(entry.first)] = true;
      LO column = 0;
      while (has[column]) ++column;
      B->insertLocalValues(0, Teuchos::tuple(column)(), Teuchos::tuple(1.0)());
    }
    B->fillComplete(B->getDomainMap(), B->getRangeMap(), params);
    TEST_EQUALITY(B->getCrsGraph().get(), graph.get());
    TRIDENT_TEST_OK(
        q.refused(*q.A, *B, *q.C, {function, "B has other entries", "make a new plan"}));
  }
}

// Structure that changed and came back is the planned one.
TEUCHOS_UNIT_TEST(PlanChanges, ThereAndBack) {
  const Planned p;
  const MapPtr before = p.B->getColMap();
  reindex(*p.B);
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *p.C, {"B has other entries"}));
  reindex(*p.B);
  TEST_ASSERT(p.B->getColMap() != before);
  TRIDENT_TEST_OK(p.good(1));
}

// Differences are named, as far as they can be told.
TEUCHOS_UNIT_TEST(PlanChanges, OtherMapsSizesAndOrder) {
  const Planned p;
  const MapPtr narrow = Teuchos::rcp(new map_type(n / 2, 0, world()));
  Sparse half(n, n / 2);
  for (int i = 0; i < n; ++i) half.rows[i][i / 2] = 1;
  const MatrixPtr P =
      makeMatrix(half, all, contiguousIndices(n / 2), p.A->getRowMap(), narrow, p.A->getRowMap());
  const MatrixPtr Ac = Teuchos::rcp(new matrix_type(narrow, 0));
  const RAPPlan rap(*P, true, *p.A, false, *P, false, *Ac);
  const auto refuses = [&](const std::vector<std::string>& words, const auto& call) {
    const Snapshot before(*Ac);
    const std::string problem = expectThrow<Error>(*world(), words, call);
    return problem.empty() ? everywhere(*world(), before.changes()) : problem;
  };
  TRIDENT_TEST_OK(refuses({"R is like the planned A; pass the factors in the planned order"},
                          [&] { rap.multiply(*p.A, *P, *P, *Ac); }));
  TRIDENT_TEST_OK(refuses({"A is like the planned R; pass the factors in the planned order"},
                          [&] { rap.multiply(*P, *P, *p.A, *Ac); }));
  const MatrixPtr small = makeUniform(Sparse(n - 1, n - 1), world());
  TRIDENT_TEST_OK(refuses({"A is 23 x 23, and the planned one 24 x 24; make a new plan"},
                          [&] { rap.multiply(*P, *small, *P, *Ac); }));
  if (world()->getSize() == 1) return;
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  Teuchos::Array<GO> cyclic;
  for (GO i = world()->getRank(); i < n; i += world()->getSize()) cyclic.push_back(i);
  const MapPtr dealt = Teuchos::rcp(new map_type(any, cyclic(), 0, world()));
  const MatrixPtr A = makeMatrix(banded(), all, all, dealt, dealt, dealt);
  TRIDENT_TEST_OK(p.refused(*A, *p.B, *p.C, {function, "A has another row Map than the planned"}));
}

// Values change, and the graphs stay: no graph is read, also if other matrices are on them.
TEUCHOS_UNIT_TEST(PlanChanges, ReadsNoGraphAgain) {
  const Planned p;
  setValues(*p.B, 2);
  const MatrixPtr onGraph = Teuchos::rcp(new matrix_type(p.A->getCrsGraph()));
  onGraph->fillComplete(p.A->getDomainMap(), p.A->getRangeMap());
  const GraphsRead read;
  TRIDENT_TEST_OK(p.good(2));
  p.plan->multiply(*onGraph, *p.B, *p.C);
  TEST_EQUALITY(read.soFar(), 0);
  const MatrixPtr fresh = makeUniform(banded(), world());
  p.plan->multiply(*fresh, *p.B, *p.C);
  TEST_EQUALITY(read.soFar(), 1);
  TRIDENT_TEST_OK(p.good(2));
  p.plan->multiply(*fresh, *p.B, *p.C);
  TEST_EQUALITY(read.soFar(), 1);
}

// A change on the last rank alone, by which no array comes to another address.
TEUCHOS_UNIT_TEST(PlanChanges, EntriesMovedInPlace) {
  ChangingMatrix changing(banded(), world());
  const Planned p(changing.matrix);
  const Trident::TransposePlan transposes(*p.B);
  const auto columns = [&] { return p.B->getCrsGraph()->getLocalGraphDevice().entries.data(); };
  const auto before = columns();
  TRIDENT_TEST_OK(p.good(1));
  changing.moveEntry(1);
  TEST_EQUALITY(columns(), before);
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *p.C, {function, "B has other entries", "a new plan"}));
  TRIDENT_TEST_OK(
      expectThrow<Error>(*world(), {"A has other entries"}, [&] { transposes.transpose(*p.B); }));
  changing.moveEntry(-1);
  TRIDENT_TEST_OK(p.good(1));
  transposes.transpose(*p.B);
}

// Another graph where one was that is gone, with its offsets, Maps, and columns at its address. And
// the same object, with the columns of another graph.
TEUCHOS_UNIT_TEST(PlanChanges, AddressesComeAgain) {
  using Graph = matrix_type::crs_graph_type;
  using Columns = Graph::local_graph_device_type::entries_type::non_const_type;
  const MatrixPtr first = makeUniform(banded(), world());
  const auto local = first->getLocalMatrixDevice();
  const std::size_t entries = local.nnz();
  const Columns room("room", 2 * entries),
      here = Kokkos::subview(room, std::make_pair(std::size_t(0), entries)),
      there = Kokkos::subview(room, std::make_pair(entries, 2 * entries));
  const auto columns = Kokkos::create_mirror(local.graph.entries);
  Kokkos::deep_copy(columns, local.graph.entries);
  const auto turnFirstRow = [&] { std::swap(columns(0), columns(2)); };
  const auto graphOf = [&](const Columns& of) {
    Kokkos::deep_copy(of, columns);
    const auto graph =
        Teuchos::rcp(new Graph(first->getRowMap(), first->getColMap(), local.graph.row_map, of));
    graph->expertStaticFillComplete(first->getDomainMap(), first->getRangeMap());
    return graph;
  };
  const auto matrixOn = [&](const Teuchos::RCP<const Graph>& graph) {
    const MatrixPtr matrix = Teuchos::rcp(new matrix_type(graph, local.values));
    matrix->fillComplete(first->getDomainMap(), first->getRangeMap());
    return matrix;
  };
  Planned p(matrixOn(graphOf(here)));
  TRIDENT_TEST_OK(p.good(1));
  const std::vector<std::string> words{function, "B has other entries"};
  p.B = Teuchos::null;
  turnFirstRow();
  p.B = matrixOn(graphOf(here));
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *p.C, words));
  p.B = Teuchos::null;
  turnFirstRow();
  const Teuchos::RCP<Graph> graph = graphOf(here);
  p.B = matrixOn(graph);
  TRIDENT_TEST_OK(p.good(1));
  turnFirstRow();
  *graph = *graphOf(there);
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *p.C, words));
}

// Nobody but the program knows of what it writes itself.
TEUCHOS_UNIT_TEST(PlanChanges, WrittenByTheProgram) {
  const auto params = tridentList();
  params->sublist("Trident").sublist("expert").set("reread structures", true);
  const Planned p(Teuchos::null, params);
  const auto turnFirstRow = [&] {
    const auto columns = p.B->getLocalMatrixHost().graph.entries;
    std::swap(columns(0), columns(1));
  };
  const Trident::TransposePlan transposes(*p.B, params);
  turnFirstRow();
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *p.C, {function, "B has other entries"}));
  TRIDENT_TEST_OK(
      expectThrow<Error>(*world(), {"A has other entries"}, [&] { transposes.transpose(*p.B); }));
  turnFirstRow();
  TRIDENT_TEST_OK(p.good(1));
}

// The result's structure can change, too.
TEUCHOS_UNIT_TEST(PlanChanges, OfTheResult) {
  const Planned p;
  reindex(*p.C);
  TRIDENT_TEST_OK(
      p.refused(*p.A, *p.B, *p.C, {function, "C has other entries", "pass the planned C"}));
}

TEUCHOS_UNIT_TEST(PlanChanges, OpenMatrices) {
  const Planned p;
  const MatrixPtr fresh = newResult(*p.A);
  TRIDENT_TEST_OK(p.refused(*p.A, *p.B, *fresh,
                            {function, "C is new; pass the planned C, or a matrix on its graph"}));
  p.C->resumeFill();  // as one that Multiply() takes
  TRIDENT_TEST_OK(p.good(1));
  TEST_ASSERT(p.C->isFillComplete());
  p.A->resumeFill();
  TRIDENT_TEST_OK(
      p.refused(*p.A, *p.B, *p.C,
                {function, "A is not fill-complete; call A.fillComplete() after its values"}));
}

/// Makes a matrix with C's structure whose storage Tpetra has not optimized.
MatrixPtr unoptimized(const matrix_type& C) {
  const auto rows = C.getRowMap(), cols = C.getColMap();
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(rows, cols, n + 1));
  for (const auto& entry : entriesOf(C))
    matrix->insertGlobalValues(entry.first.first, Teuchos::tuple(entry.first.second)(),
                               Teuchos::tuple(entry.second)());
  const auto params = Teuchos::parameterList();
  params->set("Optimize Storage", false);
  matrix->fillComplete(C.getDomainMap(), C.getRangeMap(), params);
  return matrix;
}

// There Tpetra keeps values twice.
TEUCHOS_UNIT_TEST(PlanChanges, ResultWithoutOptimizedStorage) {
  const Planned p;
  const MatrixPtr C = unoptimized(*p.C);
  TRIDENT_TEST_OK(p.refused(
      *p.A, *p.B, *C,
      {function, "C is fill-complete without optimized storage", "or pass the planned C"}));
}

/// Checks the Frobenius norms of this product and of those before it that Tpetra has cached.
std::string checkNorm(const matrix_type& C) {
  matrix_type copy(C, Teuchos::Copy);
  const double cached = C.getFrobeniusNorm(), norm = copy.getFrobeniusNorm();
  return everywhere(*world(), std::abs(cached - norm) <= 1e-14 * norm
                                  ? ""
                                  : say("the norm is ", norm, ", and Tpetra says ", cached));
}

/// Checks products of growing values, the norm asked for after each; C's constants as they were.
std::string checkNorms(matrix_type& M, const matrix_type& C, const std::function<void()>& again) {
  const bool constants = C.getCrsGraph()->haveGlobalConstants();
  std::string problem = checkNorm(C);
  for (int time = 1; time <= 3 && problem.empty(); ++time) {
    setValues(M, time + 1);
    again();
    problem = checkNorm(C);
    if (!C.isFillComplete()) problem += "C is open";
    if (C.getCrsGraph()->haveGlobalConstants() != constants) problem += "global constants";
    if (constants && C.getGlobalNumEntries() == 0) problem += "no entries";
  }
  return problem;
}

TEUCHOS_UNIT_TEST(PlanChanges, NormOfTheProduct) {
  for (const bool constants : {true, false}) {
    const auto params = Teuchos::parameterList();
    params->set("compute global constants", constants);
    const MatrixPtr A = makeUniform(banded(), world()), B = makeUniform(banded(), world());
    const MatrixPtr C = newResult(*A), D = newResult(*A), E = newResult(*A);
    const Plan plan(*A, *B, *C, params);
    TRIDENT_TEST_OK(checkNorms(*B, *C, [&] { plan.multiply(*A, *B, *C); }));
    // A matrix on the planned one's graph.
    const MatrixPtr other = Teuchos::rcp(new matrix_type(C->getCrsGraph()));
    other->fillComplete(C->getDomainMap(), C->getRangeMap());
    TRIDENT_TEST_OK(checkNorms(*B, *other, [&] { plan.multiply(*A, *B, *other); }));
    TEST_ASSERT(C->getCrsGraph()->isFillComplete());

    const RAPPlan rap(*A, false, *B, false, *A, true, *D, params);
    TRIDENT_TEST_OK(checkNorms(*B, *D, [&] { rap.multiply(*A, *B, *A, *D); }));
    vector_type inverse(A->getRowMap());
    inverse.putScalar(0.5);
    const JacobiPlan jacobi(0.5, inverse, *A, *B, *E, params);
    TRIDENT_TEST_OK(checkNorms(*B, *E, [&] { jacobi.multiply(0.5, inverse, *A, *B, *E); }));
  }
}

// A product without a plan goes into the pattern of the product before.
TEUCHOS_UNIT_TEST(PlanChanges, NormInAPattern) {
  const MatrixPtr A = makeUniform(banded(), world()), B = makeUniform(banded(), world());
  const MatrixPtr C = newResult(*A);
  Trident::Multiply(*A, *B, *C);
  TRIDENT_TEST_OK(checkNorms(*B, *C, [&] { Trident::Multiply(*A, *B, *C); }));
}

}  // namespace
