// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies from XML that names its factories.
#include <MueLu_ParameterListInterpreter.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <string>

#include "MueLu_TestTools.hpp"
#include "Trident_AmalgamationFactory.hpp"
#include "Trident_CoalesceDropFactory.hpp"
#include "Trident_Error.hpp"
#include "Trident_FactoryFactory.hpp"

namespace Trident::Impl {
namespace Test {

namespace {

using Factories = FactoryFactory<SC, LO, GO, NO>;
using MueLuFactories = MueLu::FactoryFactory<SC, LO, GO, NO>;

/// @param prefix of the names of the two factories that Trident has too
/// @param more parameters of the coarse matrix's factory
std::string list(const std::string& prefix, const std::string& more) {
  return R"(<ParameterList name="MueLu">
    <ParameterList name="Factories">
      <ParameterList name="tentative">
        <Parameter name="factory" type="string" value="TentativePFactory"/>
      </ParameterList>
      <ParameterList name="smoothed">
        <Parameter name="factory" type="string" value=")" +
         prefix + R"(SaPFactory"/>
        <Parameter name="P" type="string" value="tentative"/>
        <Parameter name="sa: damping factor" type="double" value="1.2"/>
      </ParameterList>
      <ParameterList name="transposed">
        <Parameter name="factory" type="string" value="TransPFactory"/>
        <Parameter name="P" type="string" value="smoothed"/>
      </ParameterList>
      <ParameterList name="coarse">
        <Parameter name="factory" type="string" value=")" +
         prefix + R"(RAPFactory"/>
        <Parameter name="P" type="string" value="smoothed"/>
        <Parameter name="R" type="string" value="transposed"/>)" +
         more + R"(
      </ParameterList>
    </ParameterList>
    <ParameterList name="Hierarchy">
      <Parameter name="max levels" type="int" value="10"/>
      <Parameter name="coarse: max size" type="int" value="20"/>
      <Parameter name="verbosity" type="string" value="None"/>
      <ParameterList name="All">
        <Parameter name="Ptent" type="string" value="tentative"/>
        <Parameter name="P" type="string" value="smoothed"/>
        <Parameter name="R" type="string" value="transposed"/>
        <Parameter name="A" type="string" value="coarse"/>
      </ParameterList>
    </ParameterList>
  </ParameterList>)";
}

RCP<Hierarchy> hierarchyOf(const RCP<TMatrix>& A, const RCP<Teuchos::ParameterList>& params,
                           const RCP<MueLuFactories>& factories = Teuchos::null) {
  MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(*params, A->getComm(), factories);
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", asXpetra(A));
  interpreter.SetupHierarchy(*hierarchy);
  return hierarchy;
}

/// Makes a hierarchy by MueLu's own factories.
RCP<Hierarchy> expectedOf(const RCP<TMatrix>& A) {
  return hierarchyOf(A, Teuchos::getParametersFromXmlString(list("", "")));
}

/// Makes a hierarchy by those factories that the names mean to Trident.
RCP<Hierarchy> actualOf(const RCP<TMatrix>& A, const std::string& xml, Factories::Names names) {
  const auto params = Teuchos::getParametersFromXmlString(xml);
  return hierarchyOf(A, params, rcp(new Factories(*params, names)));
}

const char* const sublist = R"(
  <ParameterList name="Trident">
    <Parameter name="ranks per node" type="int" value="1"/>
  </ParameterList>)";

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Lists, names_of_trident) {
  const auto A = laplacian(10);
  const auto actual = actualOf(A, list("Trident", sublist), Factories::Names::Trident);
  requireSame(*A, *expectedOf(A), *actual, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Lists, a_file_as_it_is) {
  const auto A = laplacian(10);
  const auto actual = actualOf(A, list("", sublist), Factories::Names::Also);
  requireSame(*A, *expectedOf(A), *actual, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Lists, which_class) {
  const auto params = Teuchos::getParametersFromXmlString(list("Trident", ""));
  const auto theirs = Teuchos::getParametersFromXmlString(list("", ""));
  const Factories some(*params), also(*theirs, Factories::Names::Also);
  const auto build = [](const Factories& factories, const std::string& name) {
    return factories.BuildFactory(Teuchos::ParameterEntry(name), {}, {});
  };
  using Rap = RAPFactory<SC, LO, GO, NO>;
  using Sap = SaPFactory<SC, LO, GO, NO>;
  using Drop = CoalesceDropFactory<SC, LO, GO, NO>;
  using Nodes = AmalgamationFactory<SC, LO, GO, NO>;
  const auto drop = build(some, "TridentCoalesceDropFactory");
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Drop>(drop).is_null());
  const auto nodes = build(some, "TridentAmalgamationFactory");
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Nodes>(nodes).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Rap>(build(some, "TridentRAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Sap>(build(some, "TridentSaPFactory")).is_null());
  TEST_ASSERT(Teuchos::rcp_dynamic_cast<const Rap>(build(some, "RAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Rap>(build(also, "RAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Sap>(build(also, "SaPFactory")).is_null());
}

// MueLu would make its own factories of these lists and say nothing.
TEUCHOS_UNIT_TEST(MueLu_Lists, would_be_mue_lus_own) {
  Teuchos::ParameterList easy;
  easy.set("multigrid algorithm", "sa");
  for (const auto names : {Factories::Names::Trident, Factories::Names::Also})
    TEST_THROW(Factories(easy, names), Error);

  TEST_THROW(Factories(*Teuchos::getParametersFromXmlString(list("", ""))), Error);

  for (const char* matrix : {"A", "P"}) {
    const auto params = Teuchos::getParametersFromXmlString(list("Trident", ""));
    params->sublist("Hierarchy").sublist("All").remove(matrix);
    TEST_THROW(Factories(*params, Factories::Names::Also), Error);
  }
}

// Parameters for Trident have one place in a factory's list: MueLu ignores those it does not know.
TEUCHOS_UNIT_TEST(MueLu_Lists, parameters_beside_the_sublist) {
  const auto A = laplacian(10);
  using Bad = Teuchos::Exceptions::InvalidParameterName;
  const std::string beside = R"(<Parameter name="keep largest" type="double" value="3"/>)";
  const std::string other =
      "<ParameterList name=\"Trident options\">" + beside + "</ParameterList>";
  for (const std::string& more : {beside, other}) {
    TEST_THROW(actualOf(A, list("Trident", more), Factories::Names::Trident), Bad);
    TEST_THROW(actualOf(A, list("", more), Factories::Names::Also), Bad);
  }
  // A list that a program gives to a factory is validated by MueLu.
  RAPFactory<SC, LO, GO, NO> coarse;
  SaPFactory<SC, LO, GO, NO> smoothed;
  Teuchos::ParameterList few;
  few.set("keep largest", 3.0);
  TEST_THROW(coarse.SetParameterList(few), Bad);
  TEST_THROW(smoothed.SetParameterList(few), Bad);
  TEST_THROW(coarse.SetParameter("keep largest", Teuchos::ParameterEntry(3.0)), Bad);
}

// The lesson's list with factories is what "sa" with MueLu's defaults makes.
TEUCHOS_UNIT_TEST(MueLu_Lists, in_the_place_of_an_easy_one) {
  const auto A = laplacian(10);
  const auto easy = Teuchos::parameterList();
  easy->set("verbosity", "none");
  easy->set("multigrid algorithm", "sa");
  easy->set("coarse: max size", 20);
  const auto params = Teuchos::getParametersFromXmlFile(EASY_FILE);
  params->sublist("Hierarchy").set("coarse: max size", 20);
  const auto actual = hierarchyOf(A, params, rcp(new Factories(*params)));
  requireSame(*A, *hierarchyOf(A, easy), *actual, out, success);
}

// The interpreter's levels inherit nothing from level 0: see keepFromXml() in example/05_muelu.
TEUCHOS_UNIT_TEST(MueLu_Lists, what_levels_keep_is_used) {
  const auto params = Teuchos::getParametersFromXmlString(list("Trident", ""));
  MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(*params, Tpetra::getDefaultComm(),
                                                              rcp(new Factories(*params)));
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", asXpetra(laplacian(10)));
  interpreter.SetupHierarchy(*hierarchy);
  TEST_COMPARE(hierarchy->GetNumLevels(), >, 2);

  using Rap = RAPFactory<SC, LO, GO, NO>;
  const auto rap =
      Teuchos::rcp_dynamic_cast<const Rap>(interpreter.GetFactoryManager(1)->GetFactory("A"), true);
  for (int level = 1; level < hierarchy->GetNumLevels(); ++level) {
    const auto manager = interpreter.GetFactoryManager(level);
    hierarchy->GetLevel(level)->Keep("P", manager->GetFactory("P").get());
    hierarchy->GetLevel(level)->Keep("RAP reuse data", manager->GetFactory("A").get());
  }
  for (const int setup : {1, 2, 3}) {  // the first one plans
    hierarchy->GetLevel(0)->Set("A", asXpetra(laplacian(10, 1, setup)));
    hierarchy->SetupRe();
    TEST_COMPARE(galerkinError(*hierarchy), <, 1e-12);
    for (int level = 1; level < hierarchy->GetNumLevels(); ++level)
      TEST_EQUALITY(rap->reports().at(level).kernel == "numeric", setup > 1);
  }
}

TEUCHOS_UNIT_TEST(MueLu_Lists, a_report_of_each_level) {
  const auto A = laplacian(10);
  const auto params = Teuchos::getParametersFromXmlString(list("Trident", ""));
  MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(*params, A->getComm(),
                                                              rcp(new Factories(*params)));
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", asXpetra(A));
  interpreter.SetupHierarchy(*hierarchy);
  TEST_COMPARE(hierarchy->GetNumLevels(), >, 2);
  for (int level = 1; level < hierarchy->GetNumLevels(); ++level) {
    const auto manager = interpreter.GetFactoryManager(level);
    const auto rap =
        Teuchos::rcp_dynamic_cast<const RAPFactory<SC, LO, GO, NO>>(manager->GetFactory("A"), true);
    const auto sap =
        Teuchos::rcp_dynamic_cast<const SaPFactory<SC, LO, GO, NO>>(manager->GetFactory("P"), true);
    const auto coarse = summarize(rap->reports().at(level), *A->getComm());
    const auto smoothed = summarize(sap->reports().at(level), *A->getComm());
    TEST_EQUALITY(coarse.entriesC, entries(*levelMatrix(*hierarchy, level, "A")));
    TEST_EQUALITY(smoothed.entriesC, entries(*levelMatrix(*hierarchy, level, "P")));
    TEST_EQUALITY(coarse.operands.size(), 3u);
  }
}

}  // namespace Test

}  // namespace Trident::Impl
