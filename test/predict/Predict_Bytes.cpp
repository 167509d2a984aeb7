// SPDX-License-Identifier: BSD-3-Clause
// Counts of a prediction for each rank, against what the rank counted in a product.
#include <mpi.h>

#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_Core.hpp>
#include <string>
#include <vector>

#include "TridentDriver_Run.hpp"
#include "TridentDriver_TpetraTraffic.hpp"
#include "TridentPredict_Product.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_Nodes.hpp"
#include "Trident_TestOracle.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace {

using namespace Trident;
using Driver::CommandLine;
using Teuchos::RCP;
using Teuchos::rcp;

constexpr long long allRows = 1ll << 40;

std::string differs(const std::string& what, const Traffic& predicted, const Traffic& counted) {
  const auto text = [](const Traffic& t) {
    return std::to_string(t.internodeBytes) + " + " + std::to_string(t.intranodeBytes) +
           " bytes in " + std::to_string(t.internodeMessages) + " + " +
           std::to_string(t.intranodeMessages) + " messages";
  };
  if (text(predicted) == text(counted)) return "";
  return what + ": predicted " + text(predicted) + ", counted " + text(counted) + "; ";
}

/// Clears messages: a report counts a collective of the set-up as one message, and a prediction
/// counts who is heard of.
Traffic bytesAlone(Traffic traffic) {
  traffic.internodeMessages = traffic.intranodeMessages = 0;
  return traffic;
}

std::string differences(const TrafficByPart& predicted, const TrafficByPart& counted) {
  return differs("import", predicted.import, counted.import) +
         differs("rounds", predicted.rounds, counted.rounds) +
         differs("export", predicted.export_, counted.export_) +
         differs("setup", bytesAlone(predicted.setup), bytesAlone(counted.setup));
}

/// One problem: on these ranks, and whole on each of them.
class Problems {
 public:
  Problems(const CommandLine& line, const RCP<const Teuchos::Comm<int>>& comm)
      : line_(line),
        comm_(comm),
        spread_(Driver::makeProblem(line, comm)),
        whole_(Predict::readProblem(line.A, line.B, line.permute, line.seed,
                                    rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF)))) {}

  /// Forms the product by Trident or SUMMA on a grid. Collective.
  std::string check(const std::string& algorithm, const GridShape& shape, int nodeSize) const {
    CommandLine line = line_;
    line.algorithm = algorithm;
    line.ranksPerNode = nodeSize;
    line.grid = std::to_string(shape.nodeRows) + "x" + std::to_string(shape.nodeCols);
    const auto parameters = Driver::tridentParameters(line);
    Driver::matrix_type C(spread_.A->getRowMap(), 0);
    const Report report = Multiply(*spread_.A, false, *spread_.B, false, C, true, "", parameters);
    const Impl::Options options = Impl::readParameters(parameters);
    Predict::ProductCounter counter(whole_, options.grid, allRows);
    const Predict::Counted counted =
        counter.count({algorithm, shape, nodeSize, options.rounds.fetch});
    const int me = comm_->getRank();
    std::string problem = differences(counted.traffic.received[me], report.traffic);
    const Predict::RankLoad& load = counted.loads[me];
    if (static_cast<long long>(load.multiplyAdds) != report.multiplyAdds)
      problem += "predicted " + std::to_string(load.multiplyAdds) + " multiply-adds of " +
                 std::to_string(report.multiplyAdds) + "; ";
    if (static_cast<long long>(load.entriesC) != report.entriesC)
      problem += "predicted " + std::to_string(load.entriesC) + " entries of C of " +
                 std::to_string(report.entriesC) + "; ";
    if (counted.neededRows != (report.fetch == "needed-rows"))
      problem += "fetched " + report.fetch + "; ";
    if (problem.empty()) return "";
    return algorithm + " of " + line.A + " and " + line.B + " on " + shape.name() + ", fetch " +
           line.fetch + ", " + line.partition + (line.permute ? ", permuted" : "") + ": " + problem;
  }

  std::string checkTpetra(int nodeSize) const {
    Predict::ProductCounter counter(whole_, Impl::GridOptions(), allRows);
    const Predict::Counted counted =
        counter.count({"tpetra", {comm_->getSize(), 1, 1}, nodeSize, Impl::FetchKind::Auto});
    return differs("tpetra of " + line_.A + " and " + line_.B,
                   counted.traffic.received[comm_->getRank()].import,
                   Driver::tpetraTraffic(*spread_.A, *spread_.B, nodesOfRanks(*comm_, nodeSize)));
  }

 private:
  CommandLine line_;
  RCP<const Teuchos::Comm<int>> comm_;
  Driver::Problem spread_;
  Predict::Problem whole_;
};

std::vector<int> nodeSizes(int ranks) {
  std::vector<int> sizes;
  for (int size = 1; size <= ranks; ++size)
    if (ranks % size == 0) sizes.push_back(size);
  return sizes;
}

const char* const matrices[] = {"er:n=300,d=4", "rmat:scale=7,d=4", "laplace2d:n=12", "er:n=5,d=2"};

/// Checks every shape of every node size by Trident and SUMMA. Collective.
std::string checkAllShapes(const CommandLine& line) {
  const auto comm = Tpetra::getDefaultComm();
  const Problems problems(line, comm);
  for (const int nodeSize : nodeSizes(comm->getSize())) {
    const int nodes = comm->getSize() / nodeSize;
    for (const GridShape& shape : allShapes(nodes, nodeSize)) {
      if (line.fetch == "needed-rows" && !shape.canFetchRows()) continue;
      const std::string problem =
          TridentTest::everywhere(*comm, problems.check("trident", shape, nodeSize));
      if (!problem.empty()) return problem;
    }
    if (line.fetch != "auto") continue;
    const GridShape square = squareShape(comm->getSize(), 1);
    const std::string problem = TridentTest::everywhere(
        *comm, problems.check("summa", summaShape(square.nodeRows, square.nodeCols), nodeSize) +
                   problems.checkTpetra(nodeSize));
    if (!problem.empty()) return problem;
  }
  return "";
}

CommandLine lineOf(const std::string& A, const std::string& B) {
  CommandLine line;
  line.A = A;
  line.B = B;
  line.gather = "shared";
  return line;
}

TEUCHOS_UNIT_TEST(Bytes, Tiles) {
  for (const char* A : matrices)
    for (const char* B : {"A", "restriction"}) {
      CommandLine line = lineOf(A, B);
      line.fetch = "tiles";
      TRIDENT_TEST_OK(checkAllShapes(line));
    }
}

TEUCHOS_UNIT_TEST(Bytes, NeededRows) {
  for (const char* A : matrices)
    for (const char* B : {"A", "restriction"}) {
      CommandLine line = lineOf(A, B);
      line.fetch = "needed-rows";
      TRIDENT_TEST_OK(checkAllShapes(line));
    }
}

TEUCHOS_UNIT_TEST(Bytes, Auto) {
  for (const char* A : matrices) TRIDENT_TEST_OK(checkAllShapes(lineOf(A, "A")));
  // These are large enough for rows to be asked for.
  TRIDENT_TEST_OK(checkAllShapes(lineOf("laplace3d:n=16", "A")));
  TRIDENT_TEST_OK(checkAllShapes(lineOf("er:n=2000,d=8", "A")));
}

TEUCHOS_UNIT_TEST(Bytes, Partitions) {
  for (const char* partition : {"uniform", "balanced", "work"})
    for (const bool permute : {false, true}) {
      CommandLine line = lineOf("rmat:scale=7,d=4", "restriction");
      line.partition = partition;
      line.permute = permute;
      for (const char* fetch : {"tiles", "needed-rows"}) {
        line.fetch = fetch;
        TRIDENT_TEST_OK(checkAllShapes(line));
      }
    }
}

TEUCHOS_UNIT_TEST(Bytes, AlignedThatYields) {
  CommandLine line = lineOf("rmat:scale=7,d=4", "A");
  line.partitionImbalance = 1.2;
  TRIDENT_TEST_OK(checkAllShapes(line));
}

TEUCHOS_UNIT_TEST(Bytes, Files) {
  CommandLine line = lineOf(TRIDENT_DATA "/rap-A.mtx.gz", TRIDENT_DATA "/rap-P.mtx.gz");
  TRIDENT_TEST_OK(checkAllShapes(line));
  line.fetch = "needed-rows";
  TRIDENT_TEST_OK(checkAllShapes(line));
}

TEUCHOS_UNIT_TEST(Bytes, FactorsThatDoNotFit) {
  const auto self = rcp(new Teuchos::MpiComm<int>(MPI_COMM_SELF));
  TEST_THROW(Predict::readProblem(TRIDENT_DATA "/lp_afiro.mtx.gz", "A", false, 1, self),
             std::runtime_error);
}

}  // namespace
