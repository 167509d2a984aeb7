// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of easy lists, against those that MueLu makes of the same.
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <typeinfo>
#include <vector>

#include "MueLu_TestTools.hpp"
#include "Trident_AmalgamationFactory.hpp"
#include "Trident_Error.hpp"
#include "Trident_Preconditioner.hpp"

namespace Trident::Impl {
namespace Test {

namespace {

using List = Teuchos::ParameterList;
using Operator = Tpetra::Operator<SC, LO, GO, NO>;
using TVectors = Tpetra::MultiVector<SC, LO, GO, NO>;
using MueLuOperator = MueLu::TpetraOperator<SC, LO, GO, NO>;
using FactoryPtr = RCP<const MueLu::FactoryBase>;

List easyList() {
  List list;
  list.set("verbosity", "none");
  list.set("coarse: max size", 20);
  list.set("coarse: type", "RELAXATION");  // a direct solver fails on several ranks in 13.2
  return list;
}

List repartitioned(const std::string& reuse) {
  List list = easyList();
  list.set("repartition: enable", true);
  list.set("repartition: partitioner", "zoltan2");
  list.set("repartition: start level", 1);
  list.set("repartition: min rows per proc", 30);
  list.set("repartition: rebalance P and R", reuse == "none");
  list.set("reuse: type", reuse);
  return list;
}

/// Makes lists whose hierarchies have other factories, or keep other data.
std::map<std::string, List> someLists() {
  std::map<std::string, List> lists;
  for (const char* reuse : {"none", "tP", "RP", "RAP"}) {
    lists[reuse] = easyList();
    lists[reuse].set("reuse: type", reuse);
  }
  lists["implicit"] = easyList();
  lists["implicit"].set("transpose: use implicit", true);
  lists["kokkos"] = easyList();
  lists["kokkos"].set("use kokkos refactor", true);
  lists["dropped"] = easyList();
  lists["dropped"].set("aggregation: drop tol", 0.02);
  lists["emin"] = easyList();
  lists["emin"].set("multigrid algorithm", "emin");
  lists["pg"] = easyList();
  lists["pg"].set("multigrid algorithm", "pg");
  lists["pg"].set("problem: symmetric", false);
  lists["unsymmetric"] = easyList();
  lists["unsymmetric"].set("problem: symmetric", false);
  for (const char* reuse : {"none", "RP", "tP"})
    lists[std::string("repartitioned ") + reuse] = repartitioned(reuse);
  return lists;
}

RCP<TVectors> coordinatesOf(const TMatrix& A, GO side) {
  const auto coordinates = rcp(new TVectors(A.getRowMap(), 3));
  const auto rows = localGids(*A.getRowMap());
  for (LO l = 0; l < static_cast<LO>(rows.size()); ++l) {
    GO place = rows[l];
    for (std::size_t axis = 0; axis < 3; ++axis, place /= side)
      coordinates->replaceLocalValue(l, axis, static_cast<SC>(place % side));
  }
  return coordinates;
}

RCP<MueLuOperator> byMueLuOf(const RCP<TMatrix>& A, List list, const RCP<TVectors>& coordinates) {
  if (!coordinates.is_null()) list.sublist("user data").set("Coordinates", coordinates);
  const RCP<Operator> matrix = A;
  return MueLu::CreateTpetraPreconditioner<SC, LO, GO, NO>(matrix, list);
}

/// Returns the entries of a level's matrix on this rank, by rows and columns; none if the level is
/// not of this rank.
std::map<std::pair<GO, GO>, SC> entriesOf(Hierarchy& hierarchy, int level) {
  if (level >= hierarchy.GetNumLevels()) return {};
  using XOperator = Xpetra::Operator<SC, LO, GO, NO>;
  const auto matrix = tpetraMatrix(
      Teuchos::rcp_dynamic_cast<XMatrix>(hierarchy.GetLevel(level)->Get<RCP<XOperator>>("A")));
  std::map<std::pair<GO, GO>, SC> entries;
  if (matrix.is_null()) return entries;
  typename TMatrix::local_inds_host_view_type columns;
  typename TMatrix::values_host_view_type values;
  const auto rows = localGids(*matrix->getRowMap());
  for (LO l = 0; l < static_cast<LO>(rows.size()); ++l) {
    matrix->getLocalRowView(l, columns, values);
    for (std::size_t e = 0; e < columns.extent(0); ++e)
      entries[{rows[l], matrix->getColMap()->getGlobalElement(columns(e))}] = values(e);
  }
  return entries;
}

/// Returns the largest difference of entries of a level's matrices, over the largest entry. What
/// one of them lacks is zero: Tpetra passes over stored zeros. Collective.
double entryDifference(Hierarchy& expected, Hierarchy& actual, int level) {
  auto all = entriesOf(expected, level);
  double worst[] = {0, 0}, most[2];
  for (const auto& [place, value] : all) worst[1] = std::max(worst[1], std::abs(value));
  for (const auto& [place, value] : entriesOf(actual, level)) all[place] -= value;
  for (const auto& [place, value] : all) worst[0] = std::max(worst[0], std::abs(value));
  Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MAX, 2, worst, most);
  return most[0] / most[1];
}

/// Requires the same levels, complexity up to stored zeros, coarse matrices entry by entry, and
/// what a cycle makes of a vector.
void requireEqual(const MueLuOperator& expected, const MueLuOperator& actual,
                  Teuchos::FancyOStream& out, bool& success) {
  Hierarchy& theirs = *expected.GetHierarchy();
  Hierarchy& ours = *actual.GetHierarchy();
  const int levels = ours.GetGlobalNumLevels();
  TEST_EQUALITY(levels, theirs.GetGlobalNumLevels());
  TEST_COMPARE(levels, >, 2);
  TEST_FLOATING_EQUALITY(ours.GetOperatorComplexity(), theirs.GetOperatorComplexity(), 0.01);
  for (int level = 1; level < levels; ++level)
    TEST_COMPARE(entryDifference(theirs, ours, level), <, 1e-12);
  const TVector r = someVector(expected.getRangeMap());
  TVector one(expected.getDomainMap()), other(expected.getDomainMap());
  expected.apply(r, one);
  actual.apply(r, other);
  TEST_COMPARE(difference(one, other), <, 1e-10);
}

/// Requires equal preconditioners, and as many iterations of conjugate gradients with both.
void requireEqual(const TMatrix& A, const MueLuOperator& expected, const MueLuOperator& actual,
                  Teuchos::FancyOStream& out, bool& success) {
  requireEqual(expected, actual, out, success);
  const Solution one = solve(A, *expected.GetHierarchy());
  const Solution other = solve(A, *actual.GetHierarchy());
  TEST_EQUALITY(other.iterations, one.iterations);
  TEST_COMPARE(one.iterations, <, 100);
  TEST_COMPARE(difference(one.x, other.x), <, 1e-10);
}

/// Collects all factories from which a level gets data.
void collect(const FactoryPtr& factory, std::set<const MueLu::FactoryBase*>& found) {
  const auto one = Teuchos::rcp_dynamic_cast<const MueLu::Factory>(factory);
  if (one.is_null() || !found.insert(factory.get()).second) return;
  const List& list = one->GetParameterList();
  for (auto p = list.begin(); p != list.end(); ++p)
    if (list.entry(p).isType<FactoryPtr>())
      collect(Teuchos::getValue<FactoryPtr>(list.entry(p)), found);
}

/// Returns the classes of those factories that are of a class that Trident replaces.
std::set<std::string> replaceable(const Preconditioner<SC, LO, GO, NO>& preconditioner) {
  std::set<const MueLu::FactoryBase*> found;
  for (int level = 0; level < preconditioner.GetHierarchy()->GetNumLevels(); ++level) {
    const auto manager = preconditioner.manager(level);
    for (const char* name : {"A", "P", "R", "Ptent", "Graph", "UnAmalgamationInfo", "Aggregates",
                             "CoarseMap", "Nullspace", "Coordinates", "Importer", "Partition",
                             "DofsPerNode", "Filtering", "PreSmoother", "CoarseSolver"})
      if (manager->hasFactory(name) || std::string(name) == "UnAmalgamationInfo")
        collect(manager->GetFactory(name), found);
  }
  std::set<std::string> classes;
  for (const auto* one : found)
    if (typeid(*one) == typeid(MueLu::RAPFactory<SC, LO, GO, NO>) ||
        typeid(*one) == typeid(MueLu::SaPFactory<SC, LO, GO, NO>) ||
        typeid(*one) == typeid(MueLu::TransPFactory<SC, LO, GO, NO>) ||
#ifdef TRIDENT_MUELU_DROPS_BY_KERNELS
        typeid(*one) == typeid(MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO>) ||
#endif
        typeid(*one) == typeid(MueLu::AmalgamationFactory<SC, LO, GO, NO>))
      classes.insert(one->ShortClassName());
  return classes;
}

bool has(const Preconditioner<SC, LO, GO, NO>& preconditioner, const std::string& line) {
  const auto& lines = preconditioner.factories();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& l) { return l.rfind(line, 0) == 0; });
}

/// Counts the builds of each class of factories in a setup, by MueLu's lines at the verbosity
/// "extreme": "Build (MueLu::X)" or "(Trident::X)". Ranks but the first one write nothing.
template <class Setup>
std::map<std::string, int> builds(const Setup& setup) {
  const Said said;
  setup();
  MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None);
  std::map<std::string, int> counts;
  std::istringstream lines(said.text());
  for (std::string line; std::getline(lines, line);)
    for (const std::string scope : {"(MueLu::", "(Trident::"}) {
      const std::size_t at = line.find(scope);
      if (at == std::string::npos) continue;
      const std::string name = line.substr(at + scope.size());
      const std::size_t end = name.find_first_of("<)");
      const std::size_t kind = name.find("Factory");  // "SaPFactory_kokkos" is a SaPFactory
      if (kind < end) ++counts[name.substr(0, kind)];
    }
  return counts;
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, of_easy_lists) {
  const auto A = laplacian(10);
  for (auto [name, list] : someLists()) {
    out << name << std::endl;
    list.set("verbosity", "extreme");
    const bool moves = list.isParameter("repartition: enable");
    const auto coordinates = moves ? coordinatesOf(*A, 10) : RCP<TVectors>();
    RCP<MueLuOperator> theirs;
    RCP<Preconditioner<SC, LO, GO, NO>> ours;
    const auto expected = builds([&] { theirs = byMueLuOf(A, list, coordinates); });
    const auto actual = builds([&] { ours = CreatePreconditioner(A, list, coordinates); });
    // A factory that still asked a replaced one would build what is there already.
    TEST_ASSERT(actual == expected);
    TEST_ASSERT(A->getComm()->getRank() > 0 || expected.at("RAP") > 0);
    TEST_ASSERT(replaceable(*ours).empty());
    TEST_ASSERT(has(*ours, "RAPFactory: Trident's"));
    TEST_EQUALITY(has(*ours, "SaPFactory"), name != "pg" && name != "emin");
    if (name == "pg") continue;  // P has stored zeros, which MueLu's products leave out: see pg
    if (name == "none" || name == "emin" || name == "repartitioned RP")
      requireEqual(*A, *theirs, *ours, out, success);
    else
      requireEqual(*theirs, *ours, out, success);
    if (!list.isParameter("reuse: type")) continue;
    const auto changed = laplacian(10, 1, 1);
    const auto again =
        builds([&] { MueLu::ReuseTpetraPreconditioner<SC, LO, GO, NO>(changed, *theirs); });
    TEST_ASSERT(builds([&] { ReusePreconditioner(changed, *ours); }) == again);
    requireEqual(*theirs, *ours, out, success);
  }
}

// Trident keeps zeros that come from cancellation in P. They are edges of the next level's graph.
TEUCHOS_UNIT_TEST(MueLu_Preconditioner, pg) {
  const auto A = laplacian(10);
  const List list = someLists().at("pg");
  const auto theirs = byMueLuOf(A, list, Teuchos::null);
  const auto ours = CreatePreconditioner(A, list);
  Hierarchy &expected = *theirs->GetHierarchy(), &actual = *ours->GetHierarchy();
  TEST_EQUALITY(actual.GetGlobalNumLevels(), expected.GetGlobalNumLevels());
  TEST_COMPARE(entryDifference(expected, actual, 1), <, 1e-12);
  const int iterations = solve(*A, expected).iterations;
  TEST_COMPARE(std::abs(solve(*A, actual).iterations - iterations), <=, 1);
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, of_several_unknowns) {
  const auto A = laplacian(6, 3);
  const auto nullSpace = rcp(new TVectors(A->getRowMap(), 3));
  for (std::size_t l = 0; l < localSize(*A->getRowMap()); ++l)
    nullSpace->replaceLocalValue(static_cast<LO>(l), l % 3, 1.0);
  List list = easyList();
  list.set("number of equations", 3);
  List expected = list;
  expected.sublist("user data").set("Nullspace", nullSpace);
  list.sublist("Trident").set("ranks per node", 1).set("eigenvalue estimate", "MueLu");
  const auto ours = CreatePreconditioner(A, list, Teuchos::null, nullSpace);
  requireEqual(*A, *byMueLuOf(A, expected, Teuchos::null), *ours, out, success);
  requireEqual(*ours, *CreatePreconditioner(A, expected), out, success);
  TEST_ASSERT(list.isSublist("Trident"));  // the caller's list stays
  const auto rap = Teuchos::rcp_dynamic_cast<const RAPFactory<SC, LO, GO, NO>>(
      ours->manager(1)->GetFactory("A"), true);
  TEST_EQUALITY(rap->reports().at(1).grid.lambda, 1);
  TEST_THROW(ours->manager(-1), Error);
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, plans_are_used_again) {
  for (const char* reuse : {"RP", "tP"}) {
    List list = easyList();
    list.set("reuse: type", reuse);
    const auto ours = CreatePreconditioner(laplacian(10), list);
    for (const int seed : {1, 2}) {
      ReusePreconditioner(laplacian(10, 1, seed), *ours);
      for (int level = 1; level < ours->GetHierarchy()->GetNumLevels(); ++level) {
        const auto rap = Teuchos::rcp_dynamic_cast<const RAPFactory<SC, LO, GO, NO>>(
            ours->manager(level)->GetFactory("A"), true);
        TEST_EQUALITY(rap->reports().at(level).kernel, "numeric");
      }
    }
  }
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, what_stays_mue_lus) {
  const auto A = laplacian(10);
  List scaled = easyList();
  scaled.set("sa: use rowsumabs diagonal scaling", true);
  const auto one = CreatePreconditioner(A, scaled);
  requireEqual(*byMueLuOf(A, scaled, Teuchos::null), *one, out, success);
  TEST_ASSERT(has(*one, "SaPFactory: MueLu's, for \"sa: use rowsumabs diagonal scaling\""));
  TEST_ASSERT(has(*one, "RAPFactory: Trident's"));

  if (A->getComm()->getSize() > 1) return;  // ranks would cut lines
  List lines = easyList();
  lines.set("semicoarsen: number of levels", 1);
  lines.set("linedetection: orientation", "coordinates");
  const auto ones = rcp(new TVectors(A->getRowMap(), 1));
  ones->putScalar(1.0);
  lines.sublist("user data").set("Coordinates", coordinatesOf(*A, 10)).set("Nullspace", ones);
  const auto two = CreatePreconditioner(A, lines);
  requireEqual(*byMueLuOf(A, lines, Teuchos::null), *two, out, success);
  TEST_EQUALITY(two->factories().size(), 1u);
  TEST_ASSERT(has(*two, "all factories: MueLu's, as line coarsening"));
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, parameters_of_ml) {
  const auto A = laplacian(10);
  List list;
  list.set("parameterlist: syntax", "ml");
  list.set("ML output", 0);
  list.set("coarse: type", "Jacobi");
  const auto ours = CreatePreconditioner(A, list);
  TEST_ASSERT(has(*ours, "all factories: MueLu's, as the list has parameters of ML"));
  TEST_COMPARE(solve(*A, *ours->GetHierarchy()).iterations, <, 100);
  TEST_THROW(ours->manager(0), Error);
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, of_a_file) {
  const auto A = laplacian(10);
  List list;
  list.set("xml parameter file", EASY_FILE);
  const auto ours = CreatePreconditioner(A, list);
  TEST_ASSERT(has(*ours, "RAPFactory, SaPFactory: Trident's"));
  TEST_COMPARE(galerkinError(*ours->GetHierarchy()), <, 1e-12);
  list.sublist("Trident").set("ranks per node", 1);  // belongs in the factories of that list
  TEST_THROW(CreatePreconditioner(A, list), Error);
  list = easyList();
  list.set("xml parameter file", "no such file");
  TEST_THROW(CreatePreconditioner(A, list), Error);
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, bad_arguments) {
  const auto A = laplacian(10);
  const auto refused = [&](const char* name, const auto& value) {
    List list = easyList();
    list.set(name, value);
    TEST_THROW(CreatePreconditioner(A, list), Error);
  };
  refused("smoothe: type", std::string("RELAXATION"));
  refused("multigrid algorithm", std::string("none of these"));
  refused("reuse: type", std::string("all"));
  refused("keep largest", 3.0);  // beside the sublist
  List list = easyList();
  list.sublist("Trident").set("no such", 1);
  TEST_THROW(CreatePreconditioner(A, list), Error);
  list = easyList();
  list.sublist("Trident").set("eigenvalue estimate", "gpu");
  TEST_THROW(CreatePreconditioner(A, list), Error);

  const auto open = rcp(new TMatrix(A->getRowMap(), 1));
  const auto other = rcp(new TVectors(A->getDomainMap(), 1)),
             one = rcp(new TVectors(
                 rcp(new TMatrix::map_type(1 + A->getGlobalNumRows(), 0, A->getComm())), 1));
  TEST_THROW(CreatePreconditioner(open, easyList()), Error);
  TEST_THROW(CreatePreconditioner(RCP<TMatrix>(), easyList()), Error);
  TEST_THROW(CreatePreconditioner(A, easyList(), Teuchos::null, one), Error);
  TEST_THROW(CreatePreconditioner(A, easyList(), one), Error);
  const auto ours = CreatePreconditioner(A, easyList());
  TEST_THROW(ReusePreconditioner(RCP<TMatrix>(), *ours), Error);
  TEST_THROW(ReusePreconditioner(open, *ours), Error);
  TEST_THROW(ReusePreconditioner(laplacian(9), *ours), Error);
}

TEUCHOS_UNIT_TEST(MueLu_Preconditioner, ranks_that_differ) {
  const auto A = laplacian(10);
  const int rank = A->getComm()->getRank(), last = A->getComm()->getSize() - 1;
  if (last == 0) return;
  const auto differ = [&](const char* name, const auto& value, const auto& other) {
    List list = easyList();
    list.set(name, rank == last ? other : value);
    TEST_THROW(CreatePreconditioner(A, list), Error);
  };
  differ("max levels", 10, 3);
  differ("sa: damping factor", 1.33, 1.33 + 1e-15);
  differ("transpose: use implicit", true, false);
  differ("aggregation: type", std::string("uncoupled"), std::string("no such"));
  List list = easyList();
  list.sublist("Trident").set("eigenvalue estimate", rank == last ? "device" : "MueLu");
  TEST_THROW(CreatePreconditioner(A, list), Error);
  list = easyList();
  if (rank == last) list.set("coarse: max size", 100, "the only one");
  if (rank == last) list.remove("coarse: type");
  TEST_THROW(CreatePreconditioner(A, list), Error);
  const auto nullSpace = rcp(new TVectors(A->getRowMap(), 1));
  TEST_THROW(CreatePreconditioner(A, easyList(), Teuchos::null,
                                  rank == last ? nullSpace : RCP<TVectors>()),
             Error);
  const auto ours = CreatePreconditioner(A, easyList());
  TEST_THROW(ReusePreconditioner(rank == last ? RCP<TMatrix>() : A, *ours), Error);

  list = easyList();  // a smoother may be of a rank
  list.sublist("smoother: params").set("relaxation: sweeps", rank == last ? 2 : 1);
  TEST_NOTHROW(CreatePreconditioner(A, list));
}

}  // namespace Test

}  // namespace Trident::Impl
