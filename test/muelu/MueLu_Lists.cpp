// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies from XML that names its factories.
#include <MueLu_ParameterListInterpreter.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <string>

#include "MueLu_TestTools.hpp"
#include "Trident_FactoryFactory.hpp"

namespace Trident {
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

RCP<Hierarchy> hierarchyOf(const RCP<TMatrix>& A, const std::string& xml,
                           const RCP<MueLuFactories>& factories) {
  const auto params = Teuchos::getParametersFromXmlString(xml);
  MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(*params, A->getComm(), factories);
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", asXpetra(A));
  interpreter.SetupHierarchy(*hierarchy);
  return hierarchy;
}

const char* const sublist = R"(
  <ParameterList name="Trident">
    <Parameter name="ranks per node" type="int" value="1"/>
  </ParameterList>)";

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Lists, names_of_trident) {
  const auto A = laplacian(10);
  const auto expected = hierarchyOf(A, list("", ""), rcp(new MueLuFactories()));
  const auto actual = hierarchyOf(A, list("Trident", sublist), rcp(new Factories()));
  requireSame(*A, *expected, *actual, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Lists, a_file_as_it_is) {
  const auto A = laplacian(10);
  const auto expected = hierarchyOf(A, list("", ""), rcp(new Factories()));
  const auto actual = hierarchyOf(A, list("", sublist), rcp(new Factories(Factories::Names::Also)));
  requireSame(*A, *expected, *actual, out, success);
}

TEUCHOS_UNIT_TEST(MueLu_Lists, which_class) {
  const Factories some, also(Factories::Names::Also);
  const auto build = [](const Factories& factories, const std::string& name) {
    return factories.BuildFactory(Teuchos::ParameterEntry(name), {}, {});
  };
  using Rap = RAPFactory<SC, LO, GO, NO>;
  using Sap = SaPFactory<SC, LO, GO, NO>;
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Rap>(build(some, "TridentRAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Sap>(build(some, "TridentSaPFactory")).is_null());
  TEST_ASSERT(Teuchos::rcp_dynamic_cast<const Rap>(build(some, "RAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Rap>(build(also, "RAPFactory")).is_null());
  TEST_ASSERT(!Teuchos::rcp_dynamic_cast<const Sap>(build(also, "SaPFactory")).is_null());
}

}  // namespace Test
}  // namespace Trident
