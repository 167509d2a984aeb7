// SPDX-License-Identifier: BSD-3-Clause
// C with a pattern: the product is formed in it, Maps and structure stay, and an entry outside is
// an error, or is dropped where the caller asks for that.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <limits>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;

/// Makes the product's pattern and more entries, all of value 9.
Sparse widerPattern(Random& random, const Expected& product) {
  Sparse wide = product.sparse();
  for (auto& row : wide.rows) {
    for (int j = 0; j < product.n; ++j)
      if (random.chance(0.15)) row[j] = 0;
    for (auto& entry : row) entry.second = 9;
  }
  return wide;
}

/// Compares the entries of C with those of `pattern`: sums of `base` and the product's value.
std::string checkInPattern(const matrix_type& C, const Sparse& pattern, const Operands& o,
                           double base = 0) {
  const Expected product = o.expected();
  const auto rowPlace = o.rows.places(), colPlace = o.cols.places();
  const auto entries = entriesOf(C);
  std::size_t wanted = 0;
  for (const GO gid : Trident::Impl::localGids(*C.getRowMap()))
    wanted += pattern.rows[rowPlace.at(gid)].size();
  if (entries.size() != wanted || Trident::Impl::localEntries(C) != wanted)
    return "another pattern";
  for (const auto& entry : entries) {
    const int i = rowPlace.at(entry.first.first), j = colPlace.at(entry.first.second);
    if (!pattern.rows[i].count(j)) return say("C(", i, ",", j, ") should not be there");
    const double value = base + product.value[i * product.n + j];
    if (entry.second != value) return say("C(", i, ",", j, ") = ", entry.second, " not ", value);
  }
  return "";
}

std::vector<const void*> partsOf(const matrix_type& C) {
  return {C.getCrsGraph().get(),  C.getRowMap().get(),   C.getColMap().get(),
          C.getDomainMap().get(), C.getRangeMap().get(), C.getGraph()->getImporter().get()};
}

/// The states in which a matrix with a pattern may come.
enum class State { Complete, Resumed, ConstantGraph };

/// Makes a matrix of that pattern, whose domain Map deals columns in another way than the
/// product's.
MatrixPtr patterned(Operands& o, const Sparse& pattern, State state) {
  const MapPtr domain = makeMap(o.random, o.cols, randomLayout(o.random), world());
  const MatrixPtr C = makeMatrix(pattern, o.rows, o.cols, o.rowMap, domain, o.rowMap);
  if (state == State::Resumed) C->resumeFill();
  return state == State::ConstantGraph ? Teuchos::rcp(new matrix_type(C->getCrsGraph())) : C;
}

TEUCHOS_UNIT_TEST(Pattern, ProductInWiderPattern) {
  for (int seed = 1; seed <= 5; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        for (State state : {State::Complete, State::Resumed, State::ConstantGraph}) {
          Operands o(seed, transA, transB);
          const Sparse pattern = widerPattern(o.random, o.expected());
          const MatrixPtr C = patterned(o, pattern, state);
          const auto parts = partsOf(*C);
          const Snapshot beforeA(*o.A), beforeB(*o.B);
          o.multiply(*C, true);
          std::string problem = checkInPattern(*C, pattern, o);
          if (!C->isFillComplete()) problem = "C is not fill-complete";
          if (partsOf(*C) != parts) problem = "C's graph or a Map was replaced";
          if (problem.empty()) problem = beforeA.changes() + beforeB.changes();
          TRIDENT_TEST_OK(o.verdict(seed, problem));
        }
}

// The first product makes C, as in Tpetra; further ones with other values go into it.
TEUCHOS_UNIT_TEST(Pattern, AgainWithOtherValues) {
  for (int seed = 1; seed <= 12; ++seed)
    for (bool transA : {false, true}) {
      Operands o(seed, transA, false);
      const MatrixPtr C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
      o.multiply(*C, true);
      const auto parts = partsOf(*C);
      const Sparse pattern = o.expected().sparse();
      std::string problem;
      for (int time = 0; time < 2 && problem.empty(); ++time) {
        for (auto* M : {&o.a, &o.b})
          for (auto& row : M->rows)
            for (auto& entry : row) entry.second = o.random.between(-4, 4);
        o.form();
        const MatrixPtr T = Teuchos::rcp(new matrix_type(C->getCrsGraph()));
        T->setAllToScalar(5);
        T->fillComplete();
        o.multiply(*C, true);
        problem = checkInPattern(*C, pattern, o);
        if (partsOf(*C) != parts) problem = "C's graph or a Map was replaced";
        // Tpetra 13.2 goes through C's Import where it has fetched rows of B, even if there is
        // none.
        const bool tpetraCan = world()->getSize() == 1 || !T->getGraph()->getImporter().is_null();
        if (tpetraCan) Tpetra::MatrixMatrix::Multiply(*o.A, transA, *o.B, false, *T);
        if (problem.empty() && tpetraCan && entriesOf(*T) != entriesOf(*C))
          problem = "Tpetra has other values";
        problem = everywhere(*world(), problem);
      }
      TRIDENT_TEST_OK(o.verdict(seed, problem));
    }
}

TEUCHOS_UNIT_TEST(Pattern, LeftOpenIsAddedTo) {
  for (int seed = 1; seed <= 8; ++seed)
    for (State state : {State::Complete, State::Resumed}) {
      Operands o(seed, false, false);
      const Sparse pattern = widerPattern(o.random, o.expected());
      const MatrixPtr C = patterned(o, pattern, state);
      const auto parts = partsOf(*C);
      o.multiply(*C, false);
      std::string problem = C->isFillComplete() || !C->isFillActive() ? "C is not open" : "";
      C->fillComplete(C->getDomainMap(), C->getRangeMap());
      if (partsOf(*C) != parts) problem = "C's graph or a Map was replaced";
      if (problem.empty()) problem = checkInPattern(*C, pattern, o, 9);
      TRIDENT_TEST_OK(o.verdict(seed, problem));
    }
}

// One entry is missing, on one rank; its column is elsewhere in the pattern, or nowhere.
TEUCHOS_UNIT_TEST(Pattern, EntryOutside) {
  for (int seed = 1; seed <= 20; ++seed)
    for (State state : {State::Complete, State::Resumed})
      for (bool nowhere : {false, true}) {
        Operands o(seed, false, false);
        const Sparse product = o.expected().sparse();
        int i = 0;
        while (i < product.numRows() && product.rows[i].empty()) ++i;
        if (i == product.numRows()) continue;
        const int j = product.rows[i].rbegin()->first;
        Sparse pattern = product;
        for (int r = 0; r < product.numRows(); ++r)
          if (r == i || nowhere) pattern.rows[r].erase(j);
        const MatrixPtr C = patterned(o, pattern, state);
        const Snapshot before(*C);
        const bool open = C->isFillActive();
        std::vector<std::string> words{"Trident::Multiply", "C's pattern lacks"};
        if (!nowhere) words.push_back(say("(", o.rows.gids[i], ", ", o.cols.gids[j], ")"));
        for (bool complete : {true, false})
          TRIDENT_TEST_OK(o.verdict(
              seed, expectThrow<Error>(*world(), words, [&] { o.multiply(*C, complete); })));
        TRIDENT_TEST_OK(o.verdict(seed, before.changes()));
        TEST_EQUALITY(C->isFillActive(), open);
        TEST_EQUALITY(C->isFillComplete(), !open);
      }
}

// Entries that were inserted since fillComplete() are in no pattern yet.
TEUCHOS_UNIT_TEST(Pattern, EntriesSinceComplete) {
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A);
  const auto params = Teuchos::parameterList();
  params->set("Optimize Storage", false);
  Teuchos::Array<std::size_t> room(Trident::Impl::localSize(*f.A->getRowMap()), 9);
  const MatrixPtr D = Teuchos::rcp(new matrix_type(f.A->getRowMap(), room()));
  for (const GO gid : Trident::Impl::localGids(*f.A->getRowMap()))
    D->insertGlobalValues(gid, Teuchos::tuple<GO>(0)(), Teuchos::tuple(1.0)());
  D->fillComplete(f.B->getDomainMap(), f.A->getRangeMap(), params);
  TRIDENT_TEST_OK(expectFailure<Error>(
      *f.A, *f.B, D, {"without optimized storage", "C.resumeFill() and C.fillComplete()", "new"}));
  D->resumeFill();
  TRIDENT_TEST_OK(
      expectFailure<Error>(*f.A, *f.B, D, {"room for entries", "C.fillComplete()", "new"}));
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

const char* const throwsOutside = "MM Throw For Non-Existent Entries";

/// Makes some of the product's entries, and others, all of value 9. It stores infinities and
/// numbers that are none in B, and leaves out every entry that they reach.
Sparse narrowPattern(Operands& o) {
  Sparse pattern = o.expected().sparse();
  for (auto& row : pattern.rows) {
    for (int j = 0; j < pattern.cols; ++j)
      if (o.random.chance(0.4))
        row.erase(j);
      else if (o.random.chance(0.15))
        row[j] = 9;
    for (auto& entry : row) entry.second = 9;
  }
  for (int k = 0; k < o.b.numRows(); ++k)
    for (auto& entry : o.b.rows[k]) {
      if (!o.random.chance(0.1)) continue;
      entry.second = o.random.chance(0.5) ? std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
      for (int i = 0; i < o.a.numRows(); ++i)
        if (o.a.rows[i].count(k)) pattern.rows[i].erase(entry.first);
    }
  o.form();
  return pattern;
}

// The product's entries in the pattern are there, whole; the others have left no trace, not even in
// the norm.
TEUCHOS_UNIT_TEST(Pattern, DropsOutside) {
  for (int seed = 1; seed <= 8; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true})
        for (State state : {State::Complete, State::Resumed, State::ConstantGraph}) {
          Operands o(seed, transA, transB);
          const Sparse pattern = narrowPattern(o);
          const MatrixPtr C = patterned(o, pattern, state);
          const auto parts = partsOf(*C);
          if (C->isFillComplete()) C->getFrobeniusNorm();
          o.params->set(throwsOutside, false);
          o.multiply(*C, true);
          std::string problem = checkInPattern(*C, pattern, o);
          if (!C->isFillComplete()) problem = "C is not fill-complete";
          if (partsOf(*C) != parts) problem = "C's graph or a Map was replaced";
          const double norm = C->getFrobeniusNorm();
          if (problem.empty() && !(norm < 1e100)) problem = say("norm ", norm);
          TRIDENT_TEST_OK(o.verdict(seed, problem));
        }
}

TEUCHOS_UNIT_TEST(Pattern, DropsOutsideAndAdds) {
  for (int seed = 1; seed <= 8; ++seed)
    for (State state : {State::Complete, State::Resumed}) {
      Operands o(seed, seed % 2 == 0, false);
      const Sparse pattern = narrowPattern(o);
      const MatrixPtr C = patterned(o, pattern, state);
      o.params->set(throwsOutside, false);
      o.multiply(*C, false);
      std::string problem = C->isFillComplete() || !C->isFillActive() ? "C is not open" : "";
      C->fillComplete(C->getDomainMap(), C->getRangeMap());
      if (problem.empty()) problem = checkInPattern(*C, pattern, o, 9);
      TRIDENT_TEST_OK(o.verdict(seed, problem));
    }
}

/// Returns a matrix of M's entries, each stored in two parts side by side. Collective.
MatrixPtr inTwoParts(const matrix_type& M) {
  using Local = matrix_type::local_matrix_device_type;
  const auto local = M.getLocalMatrixHost();
  const std::size_t entries = Trident::Impl::localEntries(M);
  Local::row_map_type::non_const_type offsets("offsets", local.graph.row_map.extent(0));
  Local::index_type::non_const_type columns("columns", 2 * entries);
  Local::values_type::non_const_type values("values", 2 * entries);
  const auto o = Kokkos::create_mirror_view(offsets);
  const auto c = Kokkos::create_mirror_view(columns);
  const auto v = Kokkos::create_mirror_view(values);
  for (std::size_t r = 0; r < o.extent(0); ++r) o(r) = 2 * local.graph.row_map(r);
  for (std::size_t e = 0; e < 2 * entries; ++e) {
    c(e) = local.graph.entries(e / 2);
    v(e) = e % 2 == 0 ? local.values(e / 2) - 3 : 3;
  }
  Kokkos::deep_copy(offsets, o);
  Kokkos::deep_copy(columns, c);
  Kokkos::deep_copy(values, v);
  const MatrixPtr made =
      Teuchos::rcp(new matrix_type(M.getRowMap(), M.getColMap(), offsets, columns, values));
  made->fillComplete(M.getDomainMap(), M.getRangeMap());
  return made;
}

TEUCHOS_UNIT_TEST(Pattern, DropsOutsideOfRepeatedEntries) {
  for (int seed = 1; seed <= 8; ++seed)
    for (bool transA : {false, true}) {
      Operands o(seed, transA, seed % 2 == 0);
      Sparse pattern = o.expected().sparse();
      for (auto& row : pattern.rows)
        for (int j = 0; j < pattern.cols; ++j)
          if (o.random.chance(0.4)) row.erase(j);
      o.A = inTwoParts(*o.A);
      o.B = inTwoParts(*o.B);
      const MatrixPtr C = patterned(o, pattern, State::Resumed);
      o.params->set(throwsOutside, false);
      o.multiply(*C, true);
      TRIDENT_TEST_OK(o.verdict(seed, checkInPattern(*C, pattern, o)));
    }
}

// Every function drops entries outside of a pattern with every second diagonal. Where the parameter
// is true, or the result is new, all is as without it.
TEUCHOS_UNIT_TEST(Pattern, DropsOutsideOfEveryFunction) {
  Random random(7);
  Sparse a = randomSparse(random, 30, 30, true);
  for (int i = 0; i < 30; ++i) a.rows[i][i] = 2;
  const MatrixPtr A = makeUniform(a, world());
  vector_type D(A->getRowMap());
  D.putScalar(1);
  const auto drops = Teuchos::parameterList(), throws = Teuchos::parameterList();
  drops->set(throwsOutside, false);
  throws->set(throwsOutside, true);
  using List = Teuchos::RCP<Teuchos::ParameterList>;
  const std::vector<std::function<void(matrix_type&, const List&)>> functions{
      [&](matrix_type& C, const List& list) { Trident::Multiply(*A, *A, C, list); },
      [&](matrix_type& C, const List& list) { Trident::Jacobi(0.5, D, *A, *A, C, true, "", list); },
      [&](matrix_type& C, const List& list) {
        Trident::MultiplyRAP(*A, true, *A, false, *A, false, C, true, "", list);
      }};
  Sparse narrow(30, 30);
  for (int i = 0; i < 30; ++i)
    for (int j = i % 2; j < 30; j += 2) narrow.rows[i][j] = 9;
  for (const auto& form : functions) {
    const MatrixPtr whole = newResult(*A), again = newResult(*A);
    form(*whole, Teuchos::null);
    form(*again, drops);
    std::string problem = entriesOf(*again) != entriesOf(*whole) ? "a new C lacks entries" : "";
    const MatrixPtr C = makeUniform(narrow, world());
    C->resumeFill();
    form(*C, drops);
    const auto all = entriesOf(*whole);
    for (const auto& [place, value] : entriesOf(*C))
      if (value != (all.count(place) ? all.at(place) : 0))
        problem = say("C(", place.first, ",", place.second, ") = ", value);
    if (Trident::Impl::localEntries(*C) != 15 * Trident::Impl::localSize(*C->getRowMap()))
      problem = "another pattern";
    TRIDENT_TEST_OK(everywhere(*world(), problem));
    C->resumeFill();
    for (const List& list : {throws, List()})
      TRIDENT_TEST_OK(expectThrow<Error>(*world(), {"C's pattern lacks", throwsOutside},
                                         [&] { form(*C, list); }));
  }
}

// Nothing of the product is in the pattern, which has no entry. Over another semiring a C with a
// pattern is refused as ever.
TEUCHOS_UNIT_TEST(Pattern, DropsAll) {
  const Fixture f(world());
  const auto list = tridentList();
  list->set(throwsOutside, false);
  const MatrixPtr C = newResult(*f.A);
  C->fillComplete(f.B->getDomainMap(), f.A->getRangeMap());
  Trident::Multiply(*f.A, *f.B, *C, list);
  TEST_EQUALITY(C->getGlobalNumEntries(), 0u);
  list->sublist("Trident").set("semiring", "min-plus");
  TRIDENT_TEST_OK(expectThrow<Error>(*world(),
                                     {"C already has a pattern", "\"semiring\" = \"min-plus\""},
                                     [&] { Trident::Multiply(*f.A, *f.B, *C, list); }));
}

TEUCHOS_UNIT_TEST(Pattern, PlanNeedsNew) {
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A);
  Trident::Multiply(*f.A, *f.B, *C);
  const Snapshot before(*C);
  TRIDENT_TEST_OK(expectThrow<Error>(*world(), {"C already has a pattern", "new CrsMatrix"}, [&] {
    Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>(*f.A, *f.B, *C);
  }));
  TRIDENT_TEST_OK(everywhere(*world(), before.changes()));
}

// A C that is fill-complete has a pattern, also one without entries; or was, and is open again.
TEUCHOS_UNIT_TEST(Pattern, WithoutEntries) {
  const Fixture f(world());
  const std::vector<std::string> words{"Trident::Multiply: ", "which C's pattern lacks",
                                       "a new one"};
  for (const bool reopened : {false, true}) {
    const MatrixPtr C = newResult(*f.A);
    C->fillComplete(f.B->getDomainMap(), f.A->getRangeMap());
    if (reopened) C->resumeFill();
    TRIDENT_TEST_OK(expectFailure<Trident::Error>(*f.A, *f.B, C, words));
  }
}

// Stored zeros and cancelled sums count: structure does not depend on values.
TEUCHOS_UNIT_TEST(Pattern, StoredZeroOutside) {
  Sparse a(6, 6), b(6, 6), pattern(6, 6);
  for (int i = 0; i < 6; ++i) {
    a.rows[i] = {{i, i == 3 ? 0.0 : 1.0}};
    b.rows[i] = {{5 - i, 2.0}};
    pattern.rows[i] = {{i == 3 ? 3 : 5 - i, 1.0}};
  }
  const MatrixPtr A = makeUniform(a, world()), B = makeUniform(b, world());
  TRIDENT_TEST_OK(expectFailure<Error>(*A, *B, makeUniform(pattern, world()), {"(3, 2)"}));
}

}  // namespace
