// SPDX-License-Identifier: BSD-3-Clause
// Graphs of nodes and filtered matrices, entry by entry against MueLu's.
// clang-format off
#include "muelu/Trident_MueLuMatrix.hpp"  // first: AmalgamationInfo lacks its names
#include <MueLu_AmalgamationFactory.hpp>
// clang-format on
#include <MueLu_AmalgamationInfo.hpp>
#include <MueLu_FactoryManager.hpp>
#include <MueLu_Level.hpp>
#include <MueLu_NoFactory.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "Trident_TestNeeds.hpp"
#include "matrix/Trident_Device.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"
#ifdef TRIDENT_TEST_MUELU_CUDA  // no library has them for this MueLu
#include <Xpetra_StridedMap_def.hpp>

#include "muelu/Trident_AmalgamationFactory_def.hpp"
#include "muelu/Trident_CoalesceDropFactory_def.hpp"
#else
#include "Trident_AmalgamationFactory.hpp"
#include "Trident_CoalesceDropFactory.hpp"
#endif

namespace Trident::Impl {
namespace Test {

namespace {

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<>;
using SC = Matrix::scalar_type;
using LO = Matrix::local_ordinal_type;
using GO = Matrix::global_ordinal_type;
using NO = Matrix::node_type;
using OnLevel = RCP<MueLuMatrix<SC, LO, GO, NO>>;
using Info = MueLu::AmalgamationInfo<LO, GO, NO>;
using Ours = AmalgamationFactory<SC, LO, GO, NO>;
using Theirs = MueLu::AmalgamationFactory<SC, LO, GO, NO>;

/// Traits of a random matrix.
struct Kind {
  int block = 2, nodes = 30;
  bool shuffled = false;   ///< a rank's nodes come in any order
  bool closable = false;   ///< a row with weak entries alone has a node of such rows
  bool scattered = false;  ///< the unknowns of a node do not follow each other
  GO first = 0;            ///< the least unknown
};

/// Makes a matrix of nodes, which belong to any ranks but the last of several. Rows have their
/// diagonal and any other entries; some are Dirichlet's, of these some with entries of zero.
OnLevel randomMatrix(const Kind& kind, int seed) {
  const auto comm = Tpetra::getDefaultComm();
  std::mt19937 random(seed);  // the same on all ranks
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  const int owners = std::max(1, comm->getSize() - 1);
  std::vector<GO> order(kind.nodes), mine;
  std::vector<int> owner(kind.nodes);
  std::iota(order.begin(), order.end(), 0);
  if (kind.shuffled) std::shuffle(order.begin(), order.end(), random);
  for (int& rank : owner) rank = static_cast<int>(random() % owners);
  for (const GO node : order)
    for (int d = 0; d < kind.block; ++d)
      if (owner[node] == comm->getRank()) mine.push_back(kind.first + node * kind.block + d);
  if (kind.scattered) std::shuffle(mine.begin(), mine.end(), random);
  const auto map =
      rcp(new Matrix::map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                               Teuchos::ArrayView<const GO>(mine), 0, comm));
  const auto A = rcp(new Matrix(map, 12 * kind.block));
  const auto add = [&](GO row, GO column, double value) {
    if (map->isNodeGlobalElement(kind.first + row))
      A->insertGlobalValues(kind.first + row, Teuchos::tuple<GO>(kind.first + column),
                            Teuchos::tuple<SC>(value));
  };
  const GO all = static_cast<GO>(kind.nodes) * kind.block;
  for (GO node = 0; node < kind.nodes; ++node) {
    const double what = number(0, 1);
    for (int d = 0; d < kind.block; ++d) {
      const GO row = node * kind.block + d, next = node * kind.block + (d + 1) % kind.block;
      add(row, row, number(1, 3));
      const bool alone = what < 0.1 || (!kind.closable && number(0, 1) < 0.1);
      const bool weak = what > 0.9;
      // Kept by all tolerances, as 4 > 1.2 * 3, and by measures with a sign.
      if (!alone) add(row, next, weak ? 1e-3 : -4);
      for (int e = 0; e < 4 * kind.block; ++e) {
        const GO column = static_cast<GO>(random() % all);
        const double value = alone ? 0.0 : weak ? 1e-3 : number(-1, 1);
        if (column != row && column != next && number(0, 1) < 0.7) add(row, column, value);
      }
    }
  }
  A->fillComplete();
  const OnLevel result = mueLuMatrix(A);
  result->SetFixedBlockSize(kind.block);
  return result;
}

/// A level with A, for single factories.
struct OneLevel : MueLu::Level {
  explicit OneLevel(const OnLevel& A, int number = 0) {
    SetLevelID(number);
    SetFactoryManager(rcp(new MueLu::FactoryManager<SC, LO, GO, NO>()));
    Set("A", A);
  }
};

template <class Factory>
RCP<Info> amalgamate(const OnLevel& A) {
  const auto factory = rcp(new Factory());
  factory->SetFactory("A", MueLu::NoFactory::getRCP());
  factory->SetVerbLevel(MueLu::None);
  OneLevel level(A);
  level.Request("UnAmalgamationInfo", factory.get());
  return level.Get<RCP<Info>>("UnAmalgamationInfo", factory.get());
}

void compareInfo(const OnLevel& A, Teuchos::FancyOStream& out, bool& success) {
  const auto mine = amalgamate<Ours>(A), theirs = amalgamate<Theirs>(A);
  TEST_ASSERT(mine->getNodeRowMap()->isSameAs(*theirs->getNodeRowMap()));
  TEST_ASSERT(mine->getNodeColMap()->isSameAs(*theirs->getNodeColMap()));
  TEST_EQUALITY(mine->getNodeRowMap()->getIndexBase(), theirs->getNodeRowMap()->getIndexBase());
  TEST_EQUALITY(mine->getRowTranslation().is_null(), theirs->getRowTranslation().is_null());
  if (!mine->getRowTranslation().is_null()) {
    TEST_ASSERT(*mine->getRowTranslation() == *theirs->getRowTranslation());
    TEST_ASSERT(*mine->getColTranslation() == *theirs->getColTranslation());
  }
  TEST_EQUALITY(mine->GlobalOffset(), theirs->GlobalOffset());
  LO numbers[2][4];
  GO base[2];
  mine->GetStridingInformation(numbers[0][0], numbers[0][1], numbers[0][2], numbers[0][3], base[0]);
  theirs->GetStridingInformation(numbers[1][0], numbers[1][1], numbers[1][2], numbers[1][3],
                                 base[1]);
  for (int i = 0; i < 4; ++i) TEST_EQUALITY(numbers[0][i], numbers[1][i]);
  TEST_EQUALITY(base[0], base[1]);
}

/// Returns true if nothing has failed on any rank: else some would go on alone. Collective.
bool onAllRanks(bool success) {
  int mine = success, all = 0;
  Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MIN, mine, Teuchos::outArg(all));
  return all != 0;
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Amalgamation, as_mueLu) {
  for (int round = 0; round < 40 && onAllRanks(success); ++round)
    compareInfo(randomMatrix({1 + round % 6, 1 + 7 * (round % 5), round % 3 == 0, false,
                              round % 4 == 3, 5 * (round % 2)},
                             round),
                out, success);
}

#ifdef TRIDENT_MUELU_DROPS_BY_KERNELS

namespace {

using Graph = MueLu::LWGraph_kokkos<LO, GO, NO>;

/// Copies an array to the host.
template <class View>
auto list(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<typename View::non_const_value_type> result;
  for (std::size_t i = 0; i < host.extent(0); ++i) result.push_back(host(i));
  return result;
}

struct Dropped {
  RCP<Graph> graph;
  OnLevel filtered;
  LO unknowns;
};

template <class Factory>
Dropped drop(const OnLevel& A, const Teuchos::ParameterList& parameters) {
  const auto factory = rcp(new Factory());
  const auto nodes = rcp(new Theirs());
  for (const RCP<MueLu::Factory>& each : {RCP<MueLu::Factory>(factory), RCP<MueLu::Factory>(nodes)})
    each->SetFactory("A", MueLu::NoFactory::getRCP()), each->SetVerbLevel(MueLu::None);
  factory->SetFactory("UnAmalgamationInfo", nodes);
  factory->SetParameterList(parameters);
  OneLevel level(A, 1);
  for (const char* name : {"Graph", "A", "DofsPerNode"}) level.Request(name, factory.get());
  const auto graph = level.Get<RCP<Graph>>("Graph", factory.get());
  return {graph, level.Get<OnLevel>("A", factory.get()),
          level.Get<LO>("DofsPerNode", factory.get())};
}

void compare(const OnLevel& A, const Teuchos::ParameterList& parameters, Teuchos::FancyOStream& out,
             bool& success) {
  const Dropped mine = drop<CoalesceDropFactory<SC, LO, GO, NO>>(A, parameters);
  const Dropped theirs = drop<MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO>>(A, parameters);
  TEST_EQUALITY(mine.unknowns, theirs.unknowns);
  TEST_ASSERT(mine.graph->GetDomainMap()->isSameAs(*theirs.graph->GetDomainMap()));
  TEST_ASSERT(mine.graph->GetImportMap()->isSameAs(*theirs.graph->GetImportMap()));
  TEST_ASSERT(list(mine.graph->getRowPtrs()) == list(theirs.graph->getRowPtrs()));
  TEST_ASSERT(list(mine.graph->getEntries()) == list(theirs.graph->getEntries()));
  TEST_ASSERT(list(mine.graph->GetBoundaryNodeMap()) == list(theirs.graph->GetBoundaryNodeMap()));
  TEST_EQUALITY(mine.graph->getLocalMaxNumRowEntries(), theirs.graph->getLocalMaxNumRowEntries());

  const auto a = localMatrixOf(*tpetraMatrix(mine.filtered));
  const auto b = localMatrixOf(*tpetraMatrix(theirs.filtered));
  TEST_ASSERT(list(a.graph.row_map) == list(b.graph.row_map));
  TEST_ASSERT(list(a.graph.entries) == list(b.graph.entries));
  TEST_ASSERT(list(a.values) == list(b.values));
  for (const auto& matrix : {mine.filtered, theirs.filtered}) {
    TEST_EQUALITY(matrix->GetFixedBlockSize(), A->GetFixedBlockSize());
    TEST_ASSERT(matrix->getColMap()->isSameAs(*A->getColMap()));
  }
  TEST_EQUALITY(mine.filtered->GetMaxEigenvalueEstimate(),
                theirs.filtered->GetMaxEigenvalueEstimate());
  TEST_EQUALITY(mine.filtered->getGlobalNumEntries(), theirs.filtered->getGlobalNumEntries());
}

Teuchos::ParameterList randomParameters(std::mt19937& random, bool closes) {
  const double tolerances[] = {0.0, 0.05, 0.2, 0.4, 0.6, 1.2};
  Teuchos::ParameterList list;
  list.set("aggregation: drop tol", tolerances[random() % 6]);
  list.set("aggregation: dropping may create Dirichlet", closes);
  list.set("aggregation: greedy Dirichlet", random() % 3 == 0);
  list.set("aggregation: use ml scaling of drop tol", random() % 4 == 0);
  list.set("filtered matrix: use lumping", random() % 2 == 0);
  list.set("filtered matrix: reuse graph", random() % 2 == 0);
  list.set("filtered matrix: reuse eigenvalue", random() % 2 == 0);
  list.set("filtered matrix: Dirichlet threshold", random() % 2 == 0 ? -1.0 : 0.5);
  return list;
}

}  // namespace

TEUCHOS_UNIT_TEST(MueLu_Dropping, as_mueLu) {
  TRIDENT_TEST_NEEDS(!isHost<NO::device_type>, "MueLu 17.0's own factory crashes on hosts");
  std::mt19937 random(1);
  for (int round = 0; round < 120 && onAllRanks(success); ++round) {
    const bool closes = round % 2 == 0;
    const Kind kind{2 + static_cast<int>(random() % 5),
                    1 + static_cast<int>(random() % 80),
                    round % 3 == 0,
                    closes,
                    false,
                    7 * (round % 2)};
    const OnLevel A = randomMatrix(kind, round);
    A->SetMaxEigenvalueEstimate(1.75);
    const auto parameters = randomParameters(random, closes);
    out << "round " << round << ", block " << kind.block << ", nodes " << kind.nodes << "\n"
        << parameters;
    compare(A, parameters, out, success);
  }
}

// A filtered matrix for nobody is not formed.
TEUCHOS_UNIT_TEST(MueLu_Dropping, graph_alone) {
  TRIDENT_TEST_NEEDS(!isHost<NO::device_type>, "MueLu 17.0's own factory crashes on hosts");
  const OnLevel A = randomMatrix({3, 20, false, true, false, 0}, 7);
  const auto factory = rcp(new CoalesceDropFactory<SC, LO, GO, NO>());
  const auto nodes = rcp(new Ours());
  factory->SetFactory("A", MueLu::NoFactory::getRCP());
  factory->SetFactory("UnAmalgamationInfo", nodes);
  nodes->SetFactory("A", MueLu::NoFactory::getRCP());
  OneLevel level(A);
  level.Request("Graph", factory.get());
  const auto graph = level.Get<RCP<Graph>>("Graph", factory.get());
  const auto expected =
      drop<MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO>>(A, Teuchos::ParameterList());
  TEST_ASSERT(list(graph->getEntries()) == list(expected.graph->getEntries()));
  TEST_ASSERT(!level.IsAvailable("A", factory.get()));
}

TEUCHOS_UNIT_TEST(MueLu_Dropping, left_to_the_base) {
  TRIDENT_TEST_NEEDS(!isHost<NO::device_type>, "MueLu 17.0's own factory crashes on hosts");
  const OnLevel A = randomMatrix({3, 20, false, true, false}, 7);
  const auto with = [&](const std::string& name, const auto& value) {
    Teuchos::ParameterList list;
    list.set("aggregation: drop tol", 0.2);
    list.set(name, value);
    out << name << std::endl;  // where MueLu's own kernels end the program
    try {
      compare(A, list, out, success);
    } catch (const MueLu::Exceptions::RuntimeError& error) {  // by a MueLu that was cut short
      if (std::string(error.what()).find("was built with") == std::string::npos) throw;
      out << "left out, as MueLu's own factory throws: " << error.what() << "\n";
    }
  };
  with("aggregation: drop scheme", std::string("signed classical sa"));
  with("aggregation: classical algo", std::string("scaled cut"));
  with("aggregation: symmetrize graph after dropping", true);
  with("filtered matrix: lumping choice", std::string("distributed lumping"));
  compare(randomMatrix({3, 20, false, true, true}, 9), Teuchos::ParameterList(), out, success);
  compare(randomMatrix({1, 40, false, true, false}, 8), Teuchos::ParameterList(), out, success);
}

#else

TEUCHOS_UNIT_TEST(MueLu_Dropping, as_mueLu) {
  TRIDENT_TEST_NEEDS(false, "this MueLu does not drop by kernels");
}

#endif

}  // namespace Test

}  // namespace Trident::Impl
