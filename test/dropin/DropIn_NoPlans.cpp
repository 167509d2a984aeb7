// SPDX-License-Identifier: BSD-3-Clause
// Products that get no plan: into a C that lacks some of their entries, which the caller wants
// dropped. Products that do not use a plan: of factors with zeros at other places, or on a graph
// that has changed, which is read again for it.
#include <Teuchos_UnitTestHarness.hpp>

#include "DropIn_PlanCacheTools.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_TestStructures.hpp"
#include "dropin/Trident_StoredZeros.hpp"

namespace {

using namespace TridentTest;

/// Makes a matrix with every second entry of each row of another, all of value 9.
MatrixPtr halfOf(const matrix_type& M) {
  const auto local = M.getLocalMatrixHost();
  const MatrixPtr half =
      Teuchos::rcp(new matrix_type(M.getRowMap(), M.getColMap(), M.getGlobalMaxNumRowEntries()));
  const double nine = 9;
  for (LO r = 0; r < local.numRows(); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); e += 2)
      half->insertLocalValues(r, 1, &nine, &local.graph.entries(e));
  half->fillComplete(M.getDomainMap(), M.getRangeMap());
  return half;
}

/// Compares the values of the half with the whole's. Collective.
std::string checkHalf(const matrix_type& half, const matrix_type& whole) {
  std::string problem;
  for (const GO gid : Trident::Impl::localGids(*whole.getRowMap())) {
    const auto mine = rowOf(half, gid), all = rowOf(whole, gid);
    if (mine.size() != (all.size() + 1) / 2) problem = say("row ", gid, " has other entries");
    for (const auto& [column, value] : mine)
      if (!all.count(column) || value != all.at(column)) problem = say("C(", gid, ",", column, ")");
  }
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(NoPlans, DroppedEntries) {
  const auto drops = Teuchos::parameterList();
  drops->set("MM Throw For Non-Existent Entries", false);
  for (const bool unasked : {false, true})
    for (std::uint64_t seed = 90; seed < 94; ++seed) {
      PlanLimit limit = plans(100);
      limit.unasked = unasked;
      Cached cached(limit);
      Pair pair(seed, world(), seed % 2 == 0);
      pair.renew();
      const MatrixPtr whole = pair.newC();
      Trident::Multiply(*pair.A, seed % 2 == 0, *pair.B, false, *whole);
      const MatrixPtr half = halfOf(*whole);
      for (int time = 0; time < 2; ++time) {
        half->resumeFill();
        half->setAllToScalar(9);
        pair.formInto(cached.cache, *half, drops);
        TRIDENT_TEST_OK(cached.did(plain));
        TRIDENT_TEST_OK(checkHalf(*half, *whole));
      }
      TEST_EQUALITY(cached.cache.counts().plans, 0u);
      if (unasked) continue;
      for (const auto what : {made, reused}) {  // new Cs drop nothing
        TRIDENT_TEST_OK(pair.form(cached.cache, drops));
        TRIDENT_TEST_OK(cached.did(what));
      }
    }
}

/// Zeros that are passed over are structure.
TEUCHOS_UNIT_TEST(NoPlans, PlacesOfZeros) {
  Cached cached;
  Pair pair(64, world());
  const ListPtr none;
  const auto form = [&](std::size_t zero) {  // in a rank's first row of two entries
    pair.renew();
    const auto local = pair.A->getLocalMatrixHost();
    const auto& offsets = local.graph.row_map;
    LO r = 0;
    while (r < local.numRows() && offsets(r) + 2 > offsets(r + 1)) ++r;
    const double value = 0;
    pair.A->resumeFill();
    if (r < local.numRows())
      pair.A->replaceLocalValues(r, 1, &value, &local.graph.entries(offsets(r) + zero));
    pair.A->fillComplete(pair.A->getDomainMap(), pair.A->getRangeMap());
    const MatrixPtr C = pair.newC();
    cached.cache.form(Trident::Impl::passingZeros(
        multiplyCall(*pair.A, false, *pair.B, false, *C, true, "", none)));
    TRIDENT_TEST_OK(pair.check(*C));  // Tpetra passes over zeros, too
  };
  form(0);
  TRIDENT_TEST_OK(cached.did(made));
  form(0);
  TRIDENT_TEST_OK(cached.did(reused));
  form(1);
  TRIDENT_TEST_OK(cached.did(made));
  form(0);
  TRIDENT_TEST_OK(cached.did(reused));
}

// Graphs that live, and that nobody can have changed, are read once.
TEUCHOS_UNIT_TEST(NoPlans, ReadsNoGraphAgain) {
  Cached cached;
  Pair pair(65, world());
  pair.renew();
  const MatrixPtr C = pair.newC();
  pair.formInto(cached.cache, *C);
  pair.formInto(cached.cache, *C);
  cached.before = cached.cache.counts();
  const GraphsRead read;
  for (const MatrixPtr& into : {C, pair.newC()}) {
    pair.formInto(cached.cache, *into);
    TRIDENT_TEST_OK(cached.did(reused));
    const auto hasRows = [](const MatrixPtr& M) {  // else Tpetra does not call storage optimized
      return Trident::Impl::localSize(*M->getRowMap()) > 0;
    };
    if (hasRows(pair.A) && hasRows(pair.B) && hasRows(into)) TEST_EQUALITY(read.soFar(), 0);
    TRIDENT_TEST_OK(pair.check(*into));
  }
}

// A change on the last rank alone, by which no array comes to another address.
TEUCHOS_UNIT_TEST(NoPlans, EntriesMovedInPlace) {
  Cached cached;
  Sparse a(24, 24);
  for (int i = 0; i < 24; ++i)
    for (const int step : {0, 1, 5}) a.rows[i][(i + step) % 24] = 1 + i % 7 + step;
  ChangingMatrix A(a, world());
  for (const int by : {0, 0, 1, 0, -1}) {
    if (by != 0) A.moveEntry(by);
    const MatrixPtr C = newResult(*A.matrix), expected = newResult(*A.matrix);
    cached->multiply(*A.matrix, false, *A.matrix, false, *C);
    Trident::Multiply(*A.matrix, *A.matrix, *expected);
    TRIDENT_TEST_OK(compared(*C, *expected));
  }
  TEST_EQUALITY(cached.cache.counts().made, 2);
  TEST_EQUALITY(cached.cache.counts().reused, 3);
}

}  // namespace
