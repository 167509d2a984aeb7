// SPDX-License-Identifier: BSD-3-Clause
// Contract: signature; throws std::runtime_error; documented preconditions; a "new" C; fill state.
// Each call goes to Tpetra::MatrixMatrix::Multiply and to Trident::Multiply alike.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using List = Teuchos::RCP<Teuchos::ParameterList>;
using SC = matrix_type::scalar_type;
using NO = matrix_type::node_type;

// Arguments and their types are Tpetra's; only the result differs, which Tpetra has none of.
template <class Result>
using Function = Result (*)(const matrix_type&, bool, const matrix_type&, bool, matrix_type&, bool,
                            const std::string&, const List&);
const Function<void> tpetras = &Tpetra::MatrixMatrix::Multiply<SC, LO, GO, NO>;
const Function<Trident::Report> tridents = &Trident::Multiply<SC, LO, GO, NO>;

// Arguments by default mean the same: fill-complete, no label, no list.
TEUCHOS_UNIT_TEST(Signature, FiveToEightArguments) {
  const Fixture f(world());
  for (int arguments = 5; arguments <= 8; ++arguments) {
    const MatrixPtr C = newResult(*f.A), T = newResult(*f.A);
    const auto call = [&](auto&& function, matrix_type& result) {
      if (arguments == 5) function(*f.A, false, *f.B, false, result);
      if (arguments == 6) function(*f.A, false, *f.B, false, result, true);
      if (arguments == 7) function(*f.A, false, *f.B, false, result, true, "label");
      if (arguments == 8)
        function(*f.A, false, *f.B, false, result, true, "label", Teuchos::parameterList());
    };
    call([](auto&&... all) { Trident::Multiply(all...); }, *C);
    call([](auto&&... all) { Tpetra::MatrixMatrix::Multiply(all...); }, *T);
    TEST_ASSERT(C->isFillComplete() && T->isFillComplete());
    std::string problem = checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, true);
    for (const auto& entry : entriesOf(*T))
      if (!entriesOf(*C).count(entry.first)) problem = "an entry of Tpetra's is missing";
    TRIDENT_TEST_OK(everywhere(*world(), problem));
  }
  TEST_ASSERT(tpetras != nullptr && tridents != nullptr);
}

/// Requires both calls to throw a std::runtime_error on every rank.
std::string bothThrow(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                      const MapPtr& rows) {
  matrix_type C(rows, 0), T(rows, 0);
  const auto& comm = *world();
  const std::string mine = expectThrow<std::runtime_error>(
      comm, {"Multiply"}, [&] { tridents(A, transA, B, transB, C, true, "", Teuchos::null); });
  const std::string theirs = expectThrow<std::runtime_error>(
      comm, {"Multiply"}, [&] { tpetras(A, transA, B, transB, T, true, "", Teuchos::null); });
  return mine + (theirs.empty() ? "" : "; Tpetra: " + theirs);
}

TEUCHOS_UNIT_TEST(Throws, NotFillComplete) {
  const Fixture f(world());
  const MapPtr rows = f.A->getRowMap();
  const matrix_type open(rows, 4), openB(f.B->getRowMap(), 4);
  TRIDENT_TEST_OK(bothThrow(open, false, *f.B, false, rows));
  TRIDENT_TEST_OK(bothThrow(*f.A, false, openB, false, rows));
}

TEUCHOS_UNIT_TEST(Throws, InnerSizesDiffer) {
  const Fixture f(world());  // A is 12 x 10, B 10 x 9
  TRIDENT_TEST_OK(bothThrow(*f.A, false, *f.A, false, f.A->getRowMap()));
  TRIDENT_TEST_OK(bothThrow(*f.A, true, *f.B, false, f.A->getDomainMap()));
  TRIDENT_TEST_OK(bothThrow(*f.A, false, *f.B, true, f.A->getRowMap()));
  TRIDENT_TEST_OK(bothThrow(*f.A, true, *f.B, true, f.A->getDomainMap()));
}

TEUCHOS_UNIT_TEST(Throws, TooFewRows) {
  const Fixture f(world());
  TRIDENT_TEST_OK(bothThrow(*f.A, false, *f.B, false, f.B->getRowMap()));  // 10 for 12
  TRIDENT_TEST_OK(bothThrow(*f.B, true, *f.B, false, Teuchos::rcp(new map_type(8, 0, world()))));
}

/// Makes a C without entries in each way that Tpetra has for it.
std::vector<MatrixPtr> newMatrices(const MapPtr& rows, const MapPtr& columns) {
  const Teuchos::Array<std::size_t> room(Trident::Impl::localSize(*rows), 41);
  return {Teuchos::rcp(new matrix_type(rows, 0)), Teuchos::rcp(new matrix_type(rows, 41)),
          Teuchos::rcp(new matrix_type(rows, room())),
          Teuchos::rcp(new matrix_type(rows, columns, 41))};
}

TEUCHOS_UNIT_TEST(NewResult, MadeInAnyWay) {
  for (int seed = 1; seed <= 6; ++seed) {
    const Operands o(seed, false, false);
    for (const bool complete : {true, false})
      for (const MatrixPtr& C : newMatrices(o.rowMap, o.colMap)) {
        TEST_ASSERT(!C->isLocallyIndexed() && !C->isGloballyIndexed());
        o.multiply(*C, complete);
        TEST_EQUALITY(C->isFillComplete(), complete);
        if (!complete) C->fillComplete(o.colMap, o.rowMap);
        const std::string problem =
            everywhere(*world(), checkEntries(*C, o.expected(), o.rows, o.cols, true));
        // The column Map of a C that was left open is made by Tpetra.
        TRIDENT_TEST_OK(o.verdict(seed, problem + (complete ? checkColumns(*C) : "")));
      }
  }
}

// A fill-complete C is no error, nor one that the caller has resumed: both end fill-complete.
TEUCHOS_UNIT_TEST(FillState, CompleteOrResumed) {
  const Fixture f(world());
  for (const bool resumed : {false, true}) {
    const MatrixPtr C = newResult(*f.A), T = newResult(*f.A);
    Trident::Multiply(*f.A, false, *f.B, false, *C);
    Tpetra::MatrixMatrix::Multiply(*f.A, false, *f.B, false, *T);
    for (const MatrixPtr& M : {C, T}) {
      M->resumeFill();
      M->setAllToScalar(7);
      if (!resumed) M->fillComplete(M->getDomainMap(), M->getRangeMap());
    }
    Trident::Multiply(*f.A, false, *f.B, false, *C);
    Tpetra::MatrixMatrix::Multiply(*f.A, false, *f.B, false, *T);
    TEST_ASSERT(C->isFillComplete() && T->isFillComplete());
    TRIDENT_TEST_OK(
        everywhere(*world(), checkEntries(*C, Expected(f.a, f.b), f.rows, f.cols, true)));
  }
}

}  // namespace
