// SPDX-License-Identifier: BSD-3-Clause
// Setups that keep data of the one before: by what MueLu's reuse types "RP" and "tP" keep.
#include "MueLu_TestTools.hpp"

namespace Trident::Impl {
namespace Test {

namespace {

/// Does a second setup, of another matrix.
void setupAgain(Multigrid& grid, const RCP<TMatrix>& A) {
  grid.hierarchy->GetLevel(0)->Set("A", asXpetra(A));
  grid.hierarchy->SetupRe();
}

/// Keeps prolongators, as "RP" does, which also keeps R. (With R kept by Hierarchy::Keep(), ranks
/// of MueLu 13.2 disagree on whether a second setup forms it, and hang, with its own factories
/// too.)
void keepProlongators(Multigrid& grid) {
  grid.hierarchy->Keep("P", grid.prolongator.get());
  grid.hierarchy->Keep("Nullspace", grid.manager->GetFactory("Nullspace").get());
  grid.hierarchy->Keep("AP reuse data", grid.rap.get());
  grid.hierarchy->Keep("RAP reuse data", grid.rap.get());
}

/// Keeps tentative prolongators and all patterns, as "tP" does.
void keepTentatives(Multigrid& grid) {
  grid.hierarchy->Keep("P", grid.tentative.get());
  grid.hierarchy->Keep("Nullspace", grid.tentative.get());
  grid.hierarchy->Keep("AP reuse data", grid.prolongator.get());
  grid.hierarchy->Keep("AP reuse data", grid.rap.get());
  grid.hierarchy->Keep("RAP reuse data", grid.rap.get());
}

bool hasPlan(Multigrid& grid, int level) {
  return grid.hierarchy->GetLevel(level)
      ->Get<RCP<Teuchos::ParameterList>>("RAP reuse data", grid.rap.get())
      ->isParameter("Trident plan");
}

void prolongatorsKept(bool implicit, Teuchos::FancyOStream& out, bool& success) {
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A), implicit), ours = byTrident(asXpetra(A), implicit);
  for (auto* one : {&theirs, &ours}) {
    keepProlongators(*one);
    one->setup();
  }
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
  TEST_ASSERT(hasPlan(ours, 1));
  const auto P = levelMatrix(*ours.hierarchy, 1, "P"), Ac = levelMatrix(*ours.hierarchy, 1, "A");
  for (const int seed : {1, 2}) {
    const auto changed = laplacian(10, 1, seed);
    setupAgain(theirs, changed);
    setupAgain(ours, changed);
    requireSame(*changed, *theirs.hierarchy, *ours.hierarchy, out, success);
    TEST_EQUALITY(levelMatrix(*ours.hierarchy, 1, "P"), P);
    TEST_EQUALITY(levelMatrix(*ours.hierarchy, 1, "A"), Ac);
    TEST_ASSERT(hasPlan(ours, 1));
  }
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Reuse, prolongators_kept) {
  prolongatorsKept(true, out, success);
  prolongatorsKept(false, out, success);
}

// New values in the very matrix, and a structure that is a part of the old one.
TEUCHOS_UNIT_TEST(MueLu_Reuse, other_structure) {
  const auto A = laplacian(10);
  auto ours = byTrident(asXpetra(A));
  keepProlongators(ours);
  ours.setup();
  A->resumeFill();
  A->scale(3.0);
  A->fillComplete();
  setupAgain(ours, A);
  TEST_COMPARE(galerkinError(*ours.hierarchy), <, 1e-12);
  setupAgain(ours, laplacian(10, 1, 0, true));
  TEST_COMPARE(galerkinError(*ours.hierarchy), <, 1e-12);
  setupAgain(ours, A);
  TEST_COMPARE(galerkinError(*ours.hierarchy), <, 1e-12);
}

// Prolongators are smoothed anew, so that nothing of the old values may be left.
TEUCHOS_UNIT_TEST(MueLu_Reuse, equals_a_fresh_setup) {
  auto ours = byTrident(asXpetra(laplacian(10)));
  keepTentatives(ours);
  ours.setup();
  for (const int seed : {1, 2}) {
    // Tentative prolongators and aggregates are those of both: they do not depend on values.
    const auto changed = laplacian(10, 1, seed);
    setupAgain(ours, changed);
    auto fresh = byMueLu(asXpetra(changed));
    fresh.setup();
    requireSame(*changed, *fresh.hierarchy, *ours.hierarchy, out, success);
  }
}

TEUCHOS_UNIT_TEST(MueLu_Reuse, nothing_kept) {
  auto ours = byTrident(asXpetra(laplacian(10)));
  ours.setup();
  const auto changed = laplacian(10, 1, 1);
  auto again = byTrident(asXpetra(changed)), fresh = byMueLu(asXpetra(changed));
  again.setup();
  fresh.setup();
  requireSame(*changed, *fresh.hierarchy, *again.hierarchy, out, success);
}

}  // namespace Test

}  // namespace Trident::Impl
