// SPDX-License-Identifier: BSD-3-Clause
// Sets up smoothed aggregation for a square's Laplacian by MueLu's factories, and by Trident's in
// C++ and from XML; the levels must be the same.

#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Trident_FactoryFactory.hpp>
#include <Trident_RAPFactory.hpp>
#include <Trident_SaPFactory.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <iostream>
#include <string>
#include <vector>

using Teuchos::RCP;
using Teuchos::rcp;
using TpetraMatrix = Tpetra::CrsMatrix<>;
using SC = TpetraMatrix::scalar_type;
using LO = TpetraMatrix::local_ordinal_type;
using GO = TpetraMatrix::global_ordinal_type;
using NO = TpetraMatrix::node_type;
using Matrix = Xpetra::Matrix<SC, LO, GO, NO>;
using Hierarchy = MueLu::Hierarchy<SC, LO, GO, NO>;
using FactoryFactory = MueLu::FactoryFactory<SC, LO, GO, NO>;

constexpr int maxLevels = 5, coarseSize = 20;

/// Makes the Laplacian of five points, on a square of `side` times `side`.
static RCP<Matrix> laplacian(GO side) {
  const auto map = rcp(new TpetraMatrix::map_type(static_cast<Tpetra::global_size_t>(side * side),
                                                  0, Tpetra::getDefaultComm()));
  const auto A = rcp(new TpetraMatrix(map, 5));
  for (GO row = map->getMinGlobalIndex(); row <= map->getMaxGlobalIndex(); ++row) {
    std::vector<GO> columns{row};
    for (const GO stride : {GO(1), side}) {
      const GO place = row / stride % side;
      if (place > 0) columns.push_back(row - stride);
      if (place < side - 1) columns.push_back(row + stride);
    }
    std::vector<SC> values(columns.size(), -1.0);
    values[0] = 4.0;
    A->insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns),
                          Teuchos::ArrayView<const SC>(values));
  }
  A->fillComplete();
  const RCP<Xpetra::CrsMatrix<SC, LO, GO, NO>> inner =
      rcp(new Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>(A));
  return rcp(new Xpetra::CrsMatrixWrap<SC, LO, GO, NO>(inner));
}

static RCP<Hierarchy> inCxx(const RCP<Matrix>& A) {
  MueLu::FactoryManager<SC, LO, GO, NO> manager;
  manager.SetFactory("P", rcp(new Trident::SaPFactory<SC, LO, GO, NO>()));
  manager.SetFactory("A", rcp(new Trident::RAPFactory<SC, LO, GO, NO>()));
  const auto hierarchy = rcp(new Hierarchy(A));
  hierarchy->SetMaxCoarseSize(coarseSize);
  hierarchy->Setup(manager, 0, maxLevels);
  return hierarchy;
}

/// @param prefix of the factories' names: "" or "Trident"
static RCP<Hierarchy> fromXml(const RCP<Matrix>& A, const std::string& prefix) {
  const std::string xml = R"(<ParameterList name="MueLu">
    <ParameterList name="Factories">
      <ParameterList name="prolongator">
        <Parameter name="factory" type="string" value=")" +
                          prefix + R"(SaPFactory"/>
      </ParameterList>
      <ParameterList name="coarse">
        <Parameter name="factory" type="string" value=")" +
                          prefix + R"(RAPFactory"/>
      </ParameterList>
    </ParameterList>
    <ParameterList name="Hierarchy">
      <Parameter name="max levels" type="int" value=")" +
                          std::to_string(maxLevels) + R"("/>
      <Parameter name="coarse: max size" type="int" value=")" +
                          std::to_string(coarseSize) + R"("/>
      <Parameter name="verbosity" type="string" value="None"/>
      <ParameterList name="All">
        <Parameter name="P" type="string" value="prolongator"/>
        <Parameter name="A" type="string" value="coarse"/>
      </ParameterList>
    </ParameterList>
  </ParameterList>)";
  const auto list = Teuchos::getParametersFromXmlString(xml);
  RCP<FactoryFactory> factories = rcp(new FactoryFactory());
  if (!prefix.empty()) factories = rcp(new Trident::FactoryFactory<SC, LO, GO, NO>(*list));
  MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(*list, Tpetra::getDefaultComm(),
                                                              factories);
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", A);
  interpreter.SetupHierarchy(*hierarchy);
  return hierarchy;
}

/// Counts rows and entries of each level's matrix, finest first.
static std::vector<std::size_t> levelsOf(Hierarchy& hierarchy, const std::string& by) {
  std::vector<std::size_t> levels;
  for (int level = 0; level < hierarchy.GetNumLevels(); ++level) {
    const auto A = hierarchy.GetLevel(level)->Get<RCP<Matrix>>("A");
    levels.push_back(A->getGlobalNumRows());
    levels.push_back(A->getGlobalNumEntries());
  }
  if (Tpetra::getDefaultComm()->getRank() == 0) {
    std::cout << by << ": rows and entries";
    for (const std::size_t number : levels) std::cout << " " << number;
    std::cout << std::endl;
  }
  return levels;
}

int main(int argc, char* argv[]) {
  Tpetra::ScopeGuard scope(&argc, &argv);
  MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::None);
  const auto A = laplacian(30);
  const auto expected = levelsOf(*fromXml(A, ""), "MueLu's factories");
  const auto cxx = levelsOf(*inCxx(A), "Trident's in C++");
  const auto xml = levelsOf(*fromXml(A, "Trident"), "Trident's from XML");
  return expected.size() > 4 && cxx == expected && xml == expected ? 0 : 1;
}
