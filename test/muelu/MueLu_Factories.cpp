// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies from a FactoryManager.
#include <MueLu_TwoLevelFactoryBase.hpp>

#include "MueLu_TestTools.hpp"
#include "Trident_Error.hpp"

namespace Trident {
namespace Test {

namespace {

/// A transfer factory that counts the levels it was called for.
class Counter : public MueLu::TwoLevelFactoryBase {
 public:
  void DeclareInput(MueLu::Level&, MueLu::Level&) const override {}
  void Build(MueLu::Level&, MueLu::Level&) const override { ++calls; }
  mutable int calls = 0;
};

void sameAsMueLu(int dofs, bool implicit, Teuchos::FancyOStream& out, bool& success) {
  const auto A = laplacian(10, dofs);
  auto theirs = byMueLu(asXpetra(A, dofs), implicit), ours = byTrident(asXpetra(A, dofs), implicit);
  theirs.setup();
  ours.setup();
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Factories, implicit_transpose) { sameAsMueLu(1, true, out, success); }
TEUCHOS_UNIT_TEST(MueLu_Factories, explicit_transpose) { sameAsMueLu(1, false, out, success); }
TEUCHOS_UNIT_TEST(MueLu_Factories, several_unknowns_of_a_point) {
  sameAsMueLu(2, true, out, success);
  sameAsMueLu(2, false, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, only_the_coarse_matrix) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A));
  Multigrid ours(asXpetra(A), rcp(new RAPFactory<SC, LO, GO, NO>()),
                 rcp(new MueLu::SaPFactory<SC, LO, GO, NO>()), true);
  theirs.setup();
  ours.setup();
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, parameters_of_the_base) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A)), ours = byTrident(asXpetra(A));
  for (auto* one : {&theirs, &ours}) {
    one->prolongator->SetParameter("sa: damping factor", Teuchos::ParameterEntry(1.1));
    one->prolongator->SetParameter("sa: max eigenvalue", Teuchos::ParameterEntry(1.9));
    one->rap->SetParameter("rap: fix zero diagonals", Teuchos::ParameterEntry(true));
    // Far above the coarse diagonals, so that the repair must be seen.
    one->rap->SetParameter("rap: fix zero diagonals threshold", Teuchos::ParameterEntry(1e3));
    one->rap->SetParameter("rap: fix zero diagonals replacement", Teuchos::ParameterEntry(7.0));
    one->setup();
  }
  TEST_EQUALITY(ours.hierarchy->GetNumLevels(), theirs.hierarchy->GetNumLevels());
  TVector diagonal(levelMatrix(*ours.hierarchy, 1, "A")->getRowMap());
  levelMatrix(*ours.hierarchy, 1, "A")->getLocalDiagCopy(diagonal);
  for (const auto value : diagonal.getData()) TEST_COMPARE(value, >=, 7.0);
  for (int level = 1; level < theirs.hierarchy->GetNumLevels(); ++level)
    TEST_FLOATING_EQUALITY(levelMatrix(*ours.hierarchy, level, "A")->getFrobeniusNorm(),
                           levelMatrix(*theirs.hierarchy, level, "A")->getFrobeniusNorm(), 1e-12);
}

// What Trident does not form, the base does.
TEUCHOS_UNIT_TEST(MueLu_Factories, left_to_the_base) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A)), ours = byTrident(asXpetra(A));
  for (auto* one : {&theirs, &ours}) {
    one->prolongator->SetParameter("sa: use rowsumabs diagonal scaling",
                                   Teuchos::ParameterEntry(true));
    one->setup();
  }
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, unsmoothed) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A)), ours = byTrident(asXpetra(A));
  for (auto* one : {&theirs, &ours}) {
    one->prolongator->SetParameter("sa: damping factor", Teuchos::ParameterEntry(0.0));
    one->setup();
  }
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, parameters_of_trident) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A)), ours = byTrident(asXpetra(A));
  Teuchos::ParameterList list;
  list.set("transpose: use implicit", true);
  list.sublist("Trident").set("ranks per node", 1);
  ours.rap->SetParameterList(list);
  theirs.setup();
  ours.setup();
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);

  list.sublist("Trident").set("no such parameter", 1);
  auto wrong = byTrident(asXpetra(A));
  wrong.rap->SetParameterList(list);
  TEST_THROW(wrong.setup(), Teuchos::Exceptions::InvalidParameterName);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, transfer_factories) {
  const auto A = laplacian(10);
  const auto rap = rcp(new RAPFactory<SC, LO, GO, NO>());
  const auto counter = rcp(new Counter());
  rap->AddTransferFactory(counter);
  Multigrid ours(asXpetra(A), rap, rcp(new SaPFactory<SC, LO, GO, NO>()), true);
  ours.setup();
  TEST_EQUALITY(counter->calls, ours.hierarchy->GetNumLevels() - 1);

  const RCP<MueLu::RAPFactory<SC, LO, GO, NO>> hidden = rcp(new RAPFactory<SC, LO, GO, NO>());
  hidden->AddTransferFactory(counter);
  Multigrid wrong(asXpetra(A), hidden, rcp(new SaPFactory<SC, LO, GO, NO>()), true);
  TEST_THROW(wrong.setup(), Error);
}

}  // namespace Test
}  // namespace Trident
