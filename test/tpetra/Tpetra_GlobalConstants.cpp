// SPDX-License-Identifier: BSD-3-Clause
// Both ways to give a graph its constants: by what Tpetra protects, and by public functions alone.
// The library takes one of them, as the configuration found; here both run.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>

#include "Trident_TestCollectives.hpp"
#include "Trident_TestErrors.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::GlobalConstants;
using Trident::Impl::GraphReductions;

/// The constants as they must be, counted row by row.
struct Counted {
  long long entries = 0, longestHere = 0, longestRow = 0;

  explicit Counted(const matrix_type& C) {
    long long here = 0;
    const auto rows = Trident::Impl::localSize(*C.getRowMap());
    for (std::size_t r = 0; r < rows; ++r) {
      const auto length = static_cast<long long>(
          C.getNumEntriesInLocalRow(static_cast<matrix_type::local_ordinal_type>(r)));
      here += length;
      longestHere = std::max(longestHere, length);
    }
    Teuchos::reduceAll(*C.getComm(), Teuchos::REDUCE_SUM, here, Teuchos::outArg(entries));
    Teuchos::reduceAll(*C.getComm(), Teuchos::REDUCE_MAX, longestHere, Teuchos::outArg(longestRow));
  }
};

/// Makes C once more, as the last step of a product makes its result. Its values are its own: what
/// holds another's device view keeps that one's host away.
matrix_type bare(const matrix_type& C) {
  const auto params = Teuchos::parameterList();
  params->set("compute global constants", false);
  const auto local = C.getLocalMatrixDevice();
  const typename matrix_type::local_matrix_device_type::values_type values("values", local.nnz());
  Kokkos::deep_copy(values, local.values);
  return matrix_type({"own", local.numCols(), values, local.graph}, C.getRowMap(), C.getColMap(),
                     C.getDomainMap(), C.getRangeMap(), C.getCrsGraph()->getImporter(),
                     C.getCrsGraph()->getExporter(), params);
}

void requireConstants(const matrix_type& C, const Counted& counted, Teuchos::FancyOStream& out,
                      bool& success) {
  const auto graph = C.getCrsGraph();
  TEST_ASSERT(C.isFillComplete());
  TEST_ASSERT(graph->haveGlobalConstants());
  TEST_EQUALITY(static_cast<long long>(graph->getGlobalNumEntries()), counted.entries);
  TEST_EQUALITY(static_cast<long long>(graph->getGlobalMaxNumRowEntries()), counted.longestRow);
  TEST_EQUALITY(Trident::Impl::longestLocalRow(C), counted.longestHere);
}

/// @param reductions that setting global constants makes on several ranks
template <class Way>
void checkWay(int reductions, Teuchos::FancyOStream& out, bool& success) {
  const Fixture f(world());
  const int expected = world()->getSize() > 1 ? reductions : 0;
  const Counted counted(*f.A);
  const auto requireCalls = [&](int wanted, const auto& work) {
    collectives().clear();
    work();
    const auto made = static_cast<int>(collectives().size());
    TEST_EQUALITY(made, wanted);
  };

  // As the result of a product.
  matrix_type C = bare(*f.A);
  TEST_ASSERT(!C.getCrsGraph()->haveGlobalConstants());
  requireCalls(0, [&] { Way::computeLocal(C); });
  TEST_ASSERT(C.isFillComplete());
  TEST_ASSERT(!C.getCrsGraph()->haveGlobalConstants());
  TEST_EQUALITY(Trident::Impl::longestLocalRow(C), counted.longestHere);
  const GlobalConstants<matrix_type, Way> given(counted.entries, counted.longestRow);
  requireCalls(expected, [&] { given.restore(C); });
  requireConstants(C, counted, out, success);
  TEST_FLOATING_EQUALITY(C.getFrobeniusNorm(), f.A->getFrobeniusNorm(), 1e-14);

  // As a plan, which ends fill again.
  const GlobalConstants<matrix_type, Way> known(C);
  TEST_ASSERT(known.known());
  C.resumeFill();
  Trident::Impl::fillCompleteHere(C);
  TEST_ASSERT(!C.getCrsGraph()->haveGlobalConstants());
  requireCalls(expected, [&] { known.restore(C); });
  requireConstants(C, counted, out, success);

  // On a graph that is another matrix's too, which keeps what it has.
  matrix_type D(C.getCrsGraph());
  D.fillComplete(C.getDomainMap(), C.getRangeMap());
  GlobalConstants<matrix_type, Way>(D).restore(D);
  requireConstants(D, counted, out, success);

  // Nothing is known, nothing is given.
  matrix_type without = bare(*f.A);
  const GlobalConstants<matrix_type, Way> none(without);
  TEST_ASSERT(!none.known());
  requireCalls(0, [&] { none.restore(without); });
  TEST_ASSERT(!without.getCrsGraph()->haveGlobalConstants());
}

TEUCHOS_UNIT_TEST(GlobalConstants, ByPublicFunctions) {
  checkWay<GraphReductions<matrix_type>>(2, out, success);
}

TEUCHOS_UNIT_TEST(GlobalConstants, ByAccess) {
#if TRIDENT_HAVE_GRAPH_ACCESS
  checkWay<Trident::Impl::GraphAccess<matrix_type>>(0, out, success);
#else
  out << "this Tpetra does not have what that takes, or it was switched off\n";
#endif
}

}  // namespace
