// SPDX-License-Identifier: BSD-3-Clause
// Contract: the parameter list. "sort entries", global constants, "importer", and all that belongs
// to others.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using List = Teuchos::RCP<Teuchos::ParameterList>;
using Import = Tpetra::Import<LO, GO, matrix_type::node_type>;
using ImportPtr = Teuchos::RCP<const Import>;

std::string checkProductOf(const Operands& o, const matrix_type& C) {
  const std::string problem =
      everywhere(*world(), checkEntries(C, o.expected(), o.rows, o.cols, true));
  return problem.empty() ? checkColumns(C) : problem;
}

// Rows are sorted whether that is asked for or not.
TEUCHOS_UNIT_TEST(Parameters, SortEntries) {
  for (int seed = 1; seed <= 8; ++seed)
    for (const bool sort : {true, false}) {
      const Operands o(seed, false, false);
      o.params->set("sort entries", sort);
      matrix_type C(o.rowMap, 0);
      o.multiply(C, true);
      TRIDENT_TEST_OK(o.verdict(seed, checkProductOf(o, C)));
      TEST_ASSERT(C.getCrsGraph()->isSorted());
    }
}

MatrixPtr withoutConstants(const Sparse& a, const Indices& rows, const Indices& cols,
                           const MapPtr& rowMap, const MapPtr& domainMap) {
  const MatrixPtr M = makeMatrix(a, rows, cols, rowMap, domainMap, rowMap);
  const List none = Teuchos::parameterList();
  none->set("compute global constants", false);
  M->resumeFill();  // which forgets what was computed
  M->fillComplete(domainMap, rowMap, none);
  return M;
}

// Factors of MueLu's A·P lack global constants; the product has them unless the list says no.
TEUCHOS_UNIT_TEST(Parameters, FactorsWithoutGlobalConstants) {
  for (int seed = 1; seed <= 6; ++seed)
    for (const bool transA : {false, true})
      for (const bool wanted : {true, false}) {
        Operands o(seed, transA, false);
        o.A = transA ? withoutConstants(o.a.transpose(), o.inner, o.rows, o.innerMap, o.rowMap)
                     : withoutConstants(o.a, o.rows, o.inner, o.rowMap, o.innerMap);
        o.B = withoutConstants(o.b, o.inner, o.cols, o.innerMap, o.colMap);
        TEST_ASSERT(!o.A->getCrsGraph()->haveGlobalConstants());
        if (!wanted) o.params->set("compute global constants", false);
        o.params->set("compute global constants: temporaries", !wanted);
        matrix_type C(o.rowMap, 0);
        o.multiply(C, true);
        TRIDENT_TEST_OK(o.verdict(seed, checkProductOf(o, C)));
        TEST_EQUALITY(C.getCrsGraph()->haveGlobalConstants(), wanted);
      }
}

// MueLu passes its own lists whole. Nothing but the sublist "Trident" is read that closely.
TEUCHOS_UNIT_TEST(Parameters, OfOthersStay) {
  const Fixture f(world());
  const auto fill = [](Teuchos::ParameterList& list) {
    list.set("no such parameter", 3).set("openmp: algorithm", "none that exists");
    list.set("MM_TAFC_OptimizationCoreCount", 3000);
    Teuchos::ParameterList& kernel = list.sublist("matrixmatrix: kernel params");
    kernel.set("serial: algorithm", 17).set("no such parameter", std::string("of another type"));
    kernel.sublist("another").set("deep", true);
    list.sublist("Trident").sublist("expert").set("synchronize", true);
  };
  const List list = Teuchos::parameterList("caller");
  fill(*list);
  Teuchos::ParameterList before("caller");
  fill(before);
  const MatrixPtr C = newResult(*f.A);
  Trident::Multiply(*f.A, false, *f.B, false, *C, true, "label", list);
  TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, true)));
  TEST_ASSERT(haveSameValues(*list, before));
  list->sublist("Trident").set("no such parameter", 3);
  TRIDENT_TEST_OK(expectThrow<Teuchos::Exceptions::InvalidParameterName>(
      *world(), {"no such parameter"},
      [&] { Trident::Multiply(*f.A, false, *f.B, false, *newResult(*f.A), true, "label", list); }));
}

ImportPtr importerOf(const List& list) {
  return list->isParameter("importer") ? list->get<ImportPtr>("importer") : Teuchos::null;
}

// An importer that Tpetra left in a list stays while it fits, and Trident leaves none.
TEUCHOS_UNIT_TEST(Importer, ListGoesBetweenTridentAndTpetra) {
  int used = 0;
  for (int seed = 1; seed <= 8; ++seed)
    for (const bool transB : {false, true}) {
      const Operands o(seed, false, transB);
      const List tpetras = Teuchos::parameterList();
      matrix_type C(o.rowMap, 0), D(o.rowMap, 0), T(o.rowMap, 0), U(o.rowMap, 0);
      o.multiply(C, true);
      Tpetra::MatrixMatrix::Multiply(*o.A, false, *o.B, transB, T, true, "", tpetras);
      TEST_ASSERT(!o.params->isParameter("importer"));
      const ImportPtr theirs = importerOf(tpetras);
      used += !theirs.is_null();
      Trident::Multiply(*o.A, false, *o.B, transB, D, true, "", tpetras);
      TEST_ASSERT(importerOf(tpetras).get() == theirs.get());
      TRIDENT_TEST_OK(o.verdict(seed, checkProductOf(o, D)));
      Tpetra::MatrixMatrix::Multiply(*o.A, false, *o.B, transB, U, true, "", o.params);
      TRIDENT_TEST_OK(o.verdict(seed, entriesOf(U) == entriesOf(T) ? "" : "Tpetra's product"));
    }
  TEST_EQUALITY(used > 0, world()->getSize() > 1);
}

// A list that has served another product of Tpetra's serves its next one.
TEUCHOS_UNIT_TEST(Importer, OfAnotherProductIsRemoved) {
  int removed = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const Operands o(seed, false, false), other(seed + 100, false, false);
    const List list = Teuchos::parameterList();
    matrix_type before(other.rowMap, 0), C(o.rowMap, 0), T(o.rowMap, 0), U(o.rowMap, 0);
    Tpetra::MatrixMatrix::Multiply(*other.A, false, *other.B, false, before, true, "", list);
    const ImportPtr stranger = importerOf(list);
    Trident::Multiply(*o.A, false, *o.B, false, C, true, "", list);
    TRIDENT_TEST_OK(o.verdict(seed, checkProductOf(o, C)));
    removed += !stranger.is_null() && !list->isParameter("importer");
    Tpetra::MatrixMatrix::Multiply(*o.A, false, *o.B, false, T, true, "", list);
    Tpetra::MatrixMatrix::Multiply(*o.A, false, *o.B, false, U);
    TRIDENT_TEST_OK(o.verdict(seed, entriesOf(T) == entriesOf(U) ? "" : "Tpetra's product"));
  }
  TEST_EQUALITY(removed > 0, world()->getSize() > 1);
}

// One that some ranks have goes too.
TEUCHOS_UNIT_TEST(Importer, OnSomeRanksIsRemoved) {
  const Operands o(1, false, false);
  const List list = Teuchos::parameterList(), tpetras = Teuchos::parameterList();
  matrix_type T(o.rowMap, 0), C(o.rowMap, 0);
  Tpetra::MatrixMatrix::Multiply(*o.A, false, *o.B, false, T, true, "", tpetras);
  if (world()->getRank() > 0) list->set("importer", importerOf(tpetras));
  Trident::Multiply(*o.A, false, *o.B, false, C, true, "", list);
  TRIDENT_TEST_OK(checkProductOf(o, C));
  TEST_ASSERT(!list->isParameter("importer"));
}

// Tpetra takes -1 for an index that is not there. Where a Map has it, the call ends alike on all
// ranks, with the product or with C as it was, also where there is a list for an Import.
TEUCHOS_UNIT_TEST(Importer, MapsWithMinusOne) {
  const GO n = 4 * world()->getSize() + 1;
  for (const GO first : {-1, 0})
    for (const bool scattered : {false, true}) {
      Indices indices;
      for (GO i = 0; i < n; ++i)
        indices.gids.push_back(scattered ? 2 * i * (first + 2) + first : i + first);
      indices.base = first;
      indices.contiguous = false;
      Random random(3);
      const Sparse a = randomSparse(random, static_cast<int>(n), static_cast<int>(n), true);
      MatrixPtr A;
      std::string tpetra;
      try {
        const MapPtr map = makeMap(random, indices, Layout::Scattered, world());
        A = makeMatrix(a, indices, indices, map, map, map);
      } catch (const std::exception& error) {
        tpetra = error.what();
      }
      tpetra = everywhere(*world(), tpetra);
      out << "first index " << first << ": Tpetra " << (tpetra.empty() ? "makes A" : tpetra)
          << "\n";
      if (!tpetra.empty()) continue;
      const auto list = tridentList();
      const MatrixPtr C = newResult(*A);
      const Snapshot before(*A);
      std::string thrown;
      try {
        Trident::Multiply(*A, false, *A, false, *C, true, "", list);
        Trident::Multiply(*A, false, *A, false, *C, true, "", list);  // into its pattern
      } catch (const Trident::Error& error) {
        thrown = error.what();
      }
      out << "Trident: " << (thrown.empty() ? "a product" : thrown) << "\n";
      TEST_ASSERT(onAll(*world(), thrown.empty()) || onAll(*world(), !thrown.empty()));
      TRIDENT_TEST_OK(everywhere(*world(), before.changes()));
      TEST_ASSERT(onAll(*world(), C->isFillComplete() == thrown.empty()));
      if (thrown.empty())
        TRIDENT_TEST_OK(
            everywhere(*world(), checkEntries(*C, Expected(a, a), indices, indices, true)));
      else
        TEST_ASSERT(onAll(*world(), !C->isLocallyIndexed() && !C->isGloballyIndexed()));
    }
}

}  // namespace
