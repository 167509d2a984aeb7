// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies from a FactoryManager.
#include <MueLu_NoFactory.hpp>
#include <MueLu_TwoLevelFactoryBase.hpp>
#include <Xpetra_BlockedCrsMatrix.hpp>
#include <Xpetra_BlockedMap.hpp>
#include <string>
#include <vector>

#include "MueLu_TestTools.hpp"
#include "Trident_AmalgamationFactory.hpp"
#include "Trident_CoalesceDropFactory.hpp"
#include "Trident_Error.hpp"
#include "Trident_TransPFactory.hpp"

namespace Trident::Impl {
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

TEUCHOS_UNIT_TEST(MueLu_Factories, graphs_of_nodes) {
  for (const int dofs : {1, 3}) {
    const auto A = laplacian(8, dofs);
    auto theirs = byMueLu(asXpetra(A, dofs)), ours = byTrident(asXpetra(A, dofs));
    ours.manager->SetFactory("Graph", rcp(new CoalesceDropFactory<SC, LO, GO, NO>()));
    ours.manager->SetFactory("UnAmalgamationInfo", rcp(new AmalgamationFactory<SC, LO, GO, NO>()));
#ifdef TRIDENT_MUELU_DROPS_BY_KERNELS  // on hosts the manager has another one, of other order
    theirs.manager->SetFactory("Graph",
                               rcp(new MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO>()));
#endif
    theirs.setup();
    ours.setup();
    requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);
  }
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

TEUCHOS_UNIT_TEST(MueLu_Factories, floor_of_the_diagonal) {
  const auto A = laplacian(10, 1, 3);
  auto theirs = byMueLu(asXpetra(A)), ours = byTrident(asXpetra(A)),
       without = byTrident(asXpetra(A));
  for (auto* one : {&theirs, &ours})
    one->rap->SetParameter("rap: relative diagonal floor",
                           Teuchos::ParameterEntry(Teuchos::Array<double>(1, 0.9)));
  for (auto* one : {&theirs, &ours, &without}) one->setup();
  const auto norm = [](const Multigrid& one) {
    return levelMatrix(*one.hierarchy, 1, "A")->getFrobeniusNorm();
  };
  TEST_FLOATING_EQUALITY(norm(ours), norm(theirs), 1e-12);
  TEST_COMPARE(norm(ours), >, 1.001 * norm(without));
}

TEUCHOS_UNIT_TEST(MueLu_Factories, statistics_where_asked_for) {
  const auto A = laplacian(10);
  auto ours = byTrident(asXpetra(A)), quiet = byTrident(asXpetra(A));
  ours.rap->SetVerbLevel(MueLu::Statistics2);
  ours.prolongator->SetVerbLevel(MueLu::Statistics2);
  {
    const Said said;
    quiet.setup();
    TEST_EQUALITY(said.text(), std::string());
  }
  const Said said;
  ours.setup();
  const bool writes = A->getComm()->getRank() == 0;
  for (const char* part : {"Ac size", "Ac Load balancing info", "P size", "P Load balancing info"})
    TEST_EQUALITY(said.contains(part), writes);
}

// 1 / 0 is nothing to smooth by.
TEUCHOS_UNIT_TEST(MueLu_Factories, eigenvalue_of_nothing) {
  auto ours = byTrident(asXpetra(laplacian(10)));
  ours.prolongator->SetParameter("sa: max eigenvalue", Teuchos::ParameterEntry(0.0));
  TEST_THROW(ours.setup(), Error);
}

// The base forms all that Trident does not form.
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

namespace {

/// Makes a matrix of one block.
RCP<XMatrix> asBlocked(const RCP<XMatrix>& A) {
  using Map = Xpetra::Map<LO, GO, NO>;
  using BlockedMap = Xpetra::BlockedMap<LO, GO, NO>;
  const auto oneBlock = [](const RCP<const Map>& map) -> RCP<const BlockedMap> {
    return rcp(new BlockedMap(map, std::vector<RCP<const Map>>{map}));
  };
  const auto blocked = rcp(new Xpetra::BlockedCrsMatrix<SC, LO, GO, NO>(
      oneBlock(A->getRangeMap()), oneBlock(A->getDomainMap()), 7));
  blocked->setMatrix(0, 0, A);
  blocked->fillComplete();
  return blocked;
}

/// Returns the matrix that a factory makes of a level whose A, P and R are given.
/// @param needs what it asks for; @param made the name of what it makes
RCP<XMatrix> built(const RCP<MueLu::TwoLevelFactoryBase>& factory,
                   const std::vector<const char*>& needs, const char* made, const RCP<XMatrix>& A) {
  factory->SetVerbLevel(MueLu::Warnings0);
  MueLu::Level fine, coarse;
  coarse.SetPreviousLevel(Teuchos::rcpFromRef(fine));
  fine.SetLevelID(0);
  coarse.SetLevelID(1);
  const RCP<MueLu::FactoryManagerBase> manager = rcp(new FactoryManager());
  fine.SetFactoryManager(manager);
  coarse.SetFactoryManager(manager);
  for (const char* name : needs) factory->SetFactory(name, MueLu::NoFactory::getRCP());
  fine.Set("A", A);
  coarse.Set("P", A);
  coarse.Set("R", A);
  coarse.Request(made, factory.get());
  factory->Build(fine, coarse);
  return coarse.Get<RCP<XMatrix>>(made, factory.get());
}

/// Forms A³ as R·A·P.
RCP<XMatrix> cube(const RCP<MueLu::RAPFactory<SC, LO, GO, NO>>& rap, const RCP<XMatrix>& A) {
  return built(rap, {"A", "P", "R"}, "A", A);
}

/// Returns true if R is Pᵀ as MueLu's factory makes it: entries, Maps and block sizes. Collective.
bool isTransposed(const RCP<XMatrix>& R, const RCP<XMatrix>& P) {
  const auto theirs = built(rcp(new MueLu::TransPFactory<SC, LO, GO, NO>()), {"P"}, "R", P);
  const auto a = tpetraMatrix(R), b = tpetraMatrix(theirs);
  const bool maps = a->getRowMap()->isSameAs(*b->getRowMap()) &&
                    a->getDomainMap()->isSameAs(*b->getDomainMap()) &&
                    a->getRangeMap()->isSameAs(*b->getRangeMap()) &&
                    a->getColMap()->isSameAs(*b->getColMap());
  const TVector v = someVector(a->getDomainMap());
  TVector x(a->getRangeMap()), y(a->getRangeMap());
  a->apply(v, x);
  b->apply(v, y);
  return maps && entries(*a) == entries(*b) && difference(x, y) < 1e-15 &&
         R->IsView("stridedMaps") == theirs->IsView("stridedMaps");
}

}  // namespace

// The base refuses blocked matrices: MueLu has another factory for these.
TEUCHOS_UNIT_TEST(MueLu_Factories, blocked_matrices_are_left_to_the_base) {
  using Theirs = MueLu::RAPFactory<SC, LO, GO, NO>;
  using Ours = RAPFactory<SC, LO, GO, NO>;
  MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None);
  const auto A = asXpetra(laplacian(6));
  const bool writes = A->getRowMap()->getComm()->getRank() == 0;
  const std::string words = "left to MueLu::RAPFactory";
  {
    const Said said;
    TEST_FLOATING_EQUALITY(cube(rcp(new Ours()), A)->getFrobeniusNorm(),
                           cube(rcp(new Theirs()), A)->getFrobeniusNorm(), 1e-12);
    TEST_ASSERT(!said.contains(words));
  }
  const Said said;
  TEST_THROW(cube(rcp(new Theirs()), asBlocked(A)), Xpetra::Exceptions::BadCast);
  TEST_ASSERT(!said.contains(words));
  TEST_THROW(cube(rcp(new Ours()), asBlocked(A)), Xpetra::Exceptions::BadCast);
  TEST_EQUALITY(said.contains(words), writes);
}

TEUCHOS_UNIT_TEST(MueLu_Factories, transposes) {
  const auto ours = rcp(new TransPFactory<SC, LO, GO, NO>());
  const auto transposed = [&](const RCP<XMatrix>& P) { return built(ours, {"P"}, "R", P); };
  for (const int dofs : {1, 2}) {
    const auto A = asXpetra(laplacian(6, dofs, 1), dofs), B = asXpetra(laplacian(6, dofs, 2), dofs);
    const auto first = transposed(A), second = transposed(B);
    TEST_ASSERT(isTransposed(first, A) && isTransposed(second, B));
  }
  {
    const Said said;
    TEST_THROW(transposed(asBlocked(asXpetra(laplacian(6)))), std::exception);
    TEST_EQUALITY(said.contains("left to MueLu::TransPFactory"),
                  Tpetra::getDefaultComm()->getRank() == 0);
  }
  const auto A = laplacian(10);
  auto theirs = byMueLu(asXpetra(A), false), mine = byTrident(asXpetra(A), false);
  mine.manager->SetFactory("R", ours);
  theirs.setup();
  mine.setup();
  requireSame(*A, *theirs.hierarchy, *mine.hierarchy, out, success);
  const auto P = mine.hierarchy->GetLevel(1)->Get<RCP<XMatrix>>("P");
  TEST_ASSERT(isTransposed(mine.hierarchy->GetLevel(1)->Get<RCP<XMatrix>>("R"), P));
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
  list.sublist("Trident").set("ranks per node", 1).sublist("expert").set("fuse rounds", 1);
  ours.rap->SetParameterList(list);
  theirs.setup();
  ours.setup();
  requireSame(*A, *theirs.hierarchy, *ours.hierarchy, out, success);

  Teuchos::ParameterList bad(list), badExpert(list);
  bad.sublist("Trident").set("no such parameter", 1);
  badExpert.sublist("Trident").sublist("expert").set("no such parameter", 1);
  for (const auto& each : {bad, badExpert}) {
    auto wrong = byTrident(asXpetra(A));
    wrong.rap->SetParameterList(each);
    TEST_THROW(wrong.setup(), Teuchos::Exceptions::InvalidParameterName);
  }
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

}  // namespace Trident::Impl
