// SPDX-License-Identifier: BSD-3-Clause
// A rank that has failed before Tpetra ends the fill of a matrix, where Tpetra compares Maps that
// are equal and different objects, by a reduction: all ranks throw, and none waits for the failed
// one.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::LocalFailure;
using NO = matrix_type::node_type;

/// Lists of indices with gaps, which no rank can compare alone.
MapPtr listedMap() {
  Teuchos::Array<GO> mine;
  for (GO i = 0; i < 5; ++i) mine.push_back(3 * (i * world()->getSize() + world()->getRank()));
  return Teuchos::rcp(
      new map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), mine(), 0, world()));
}

/// Makes a diagonal matrix whose column Map is its row Map once more.
matrix_type diagonal(const MapPtr& rows) {
  matrix_type C(rows, listedMap(), 1);
  for (const GO gid : Trident::Impl::localGids(*rows))
    C.insertGlobalValues(gid, Teuchos::tuple<GO>(gid)(), Teuchos::tuple(7.0)());
  C.fillComplete(rows, rows);
  return C;
}

/// Makes a failure of this rank if it is the victim.
LocalFailure failureOn(int victim) {
  LocalFailure failure;
  failure.guard([&] {
    if (world()->getRank() == victim) throw Trident::Error("injected failure");
  });
  return failure;
}

/// Requires `work`, which is to make C again, to fail and to leave C as it was. Collective.
template <class Work>
std::string expectFailure(const matrix_type& C, const Work& work) {
  const ResultBefore before(C);
  const std::string thrown = expectThrow<Trident::Error>(*world(), {"injected failure"}, work);
  return thrown + everywhere(*world(), before.changes());
}

TEUCHOS_UNIT_TEST(Failure, BeforeFillEndsAgain) {
  matrix_type C = diagonal(listedMap());
  TEST_ASSERT(Trident::Impl::endOfFillReduces(C));
  for (int victim = 0; victim < world()->getSize(); ++victim)
    TRIDENT_TEST_OK(expectFailure(C, [&] { Trident::Impl::completeAgain(C, failureOn(victim)); }));
  Trident::Impl::completeAgain(C);
  TEST_ASSERT(C.isFillComplete());
  TEST_FLOATING_EQUALITY(C.getFrobeniusNorm(), 7 * std::sqrt(5.0 * world()->getSize()), 1e-14);
}

TEUCHOS_UNIT_TEST(Failure, BeforeLocalConstantsAreFoundByPublicFunctions) {
  const MapPtr rows = listedMap();
  const matrix_type A = diagonal(rows);
  const auto local = A.getLocalMatrixDevice();
  Trident::Impl::ExportedMatrix<double, LO, GO, NO> result;
  result.local.offsets = local.graph.row_map;
  result.local.columns = decltype(result.local.columns)("columns", local.nnz());
  result.local.values = decltype(result.local.values)("values", local.nnz());
  Kokkos::deep_copy(result.local.columns, local.graph.entries);
  Kokkos::deep_copy(result.local.values, local.values);
  result.columns.map = A.getColMap();
  result.entries = 5 * world()->getSize();
  matrix_type C(rows, 0);
  const auto commit = [&](int victim) {
    Trident::Impl::commitResult<double, LO, GO, NO, Trident::Impl::GraphReductions<matrix_type>>(
        result, rows, listedMap(), Teuchos::null, true, C, failureOn(victim));
  };
  for (int victim = 0; victim < world()->getSize(); ++victim)
    TRIDENT_TEST_OK(expectFailure(C, [&] { commit(victim); }));
  commit(-1);
  result.local = {};  // C has its arrays now; Tpetra's norm may want them on the host
  TEST_ASSERT(C.isFillComplete());
  TEST_FLOATING_EQUALITY(C.getFrobeniusNorm(), 7 * std::sqrt(5.0 * world()->getSize()), 1e-14);
}

}  // namespace
