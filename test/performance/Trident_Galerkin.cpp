// SPDX-License-Identifier: BSD-3-Clause
// The Galerkin product PᵀAP of a smoothed aggregation hierarchy's first level, in several ways. One
// JSON object a line, of rank 0.
//
//   Trident_Galerkin.exe --A=<matrix> [--by=one-call,two-calls,tpetra,plan] [--repeat=5]
//                        [--slow=1e9] [--ranks-per-node=0] [--grid=auto]
//
// A matrix is what the driver takes. P is (I - 2/3 D⁻¹ A) P0, P0 constant on aggregates around an
// independent set of distance 2. The ways:
//
//   one-call    Trident::MultiplyRAP(P', A, P): A·P stays on the grid
//   two-calls   Trident::Multiply(A, P), then of P' and that
//   tpetra      Tpetra::TripleMatrixMultiply::MultiplyRAP(P', A, P)
//   plan        Trident::MultiplyRAPPlan::multiply, values alone
//
// They take turns, after one turn to warm up; a way that takes longer than --slow seconds takes no
// more than three. "seconds" is the median of a way's turns, of the slowest rank each; "phases" are
// Trident's alone: median rank, summed over the calls of a turn, median of the turns.
// "internode_bytes" is what all ranks received from other nodes in one turn, by the library's own
// count (Tpetra does not count; the ports of the two-level network do, see `galerkin`).
// "difference" is that of the result from the first way's, largest over largest entry.

#include <Teuchos_CommandLineProcessor.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MeasuredPhases.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_RunProgram.hpp"

namespace {

using namespace Trident::Measured;
using matrix_type = Trident::Problems::matrix_type;
using vector_type = Tpetra::Vector<>;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using Plan = Trident::MultiplyRAPPlan<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                                      matrix_type::global_ordinal_type, matrix_type::node_type>;

/// One way: its product, which returns the reports of Trident's calls.
struct Way {
  std::string name;
  std::function<std::vector<Trident::Report>(MatrixPtr&)> product;
  std::vector<double> seconds = {};
  std::vector<Phases> phases = {};
  long long bytes = 0;  ///< between nodes, as Trident counted them on this rank in the last turn
  MatrixPtr Ac = {};
};

long long internodeBytes(const std::vector<Trident::Report>& calls) {
  long long bytes = 0;
  for (const Trident::Report& call : calls) {
    const auto& t = call.traffic;
    bytes += t.setup.internodeBytes + t.import.internodeBytes + t.rounds.internodeBytes +
             t.export_.internodeBytes;
  }
  return bytes;
}

vector_type inverseDiagonal(const matrix_type& A) {
  vector_type diagonal(A.getRowMap()), inverse(A.getRowMap());
  A.getLocalDiagCopy(diagonal);
  inverse.reciprocal(diagonal);
  return inverse;
}

/// (I - 2/3 D⁻¹ A) P0.
MatrixPtr prolongator(const matrix_type& A) {
  const auto tentative = Trident::Problems::restriction(A, 1);
  const MatrixPtr P = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  Trident::Jacobi(2.0 / 3, inverseDiagonal(A), A, *tentative, *P);
  return P;
}

/// The largest difference of A·x from B·x over the largest of A·x, for one random x. Collective.
double difference(const matrix_type& A, const matrix_type& B) {
  vector_type x(A.getDomainMap()), ax(A.getRangeMap()), bx(A.getRangeMap());
  x.randomize();
  A.apply(x, ax);
  B.apply(x, bx);
  bx.update(1, ax, -1);
  return bx.normInf() / ax.normInf();
}

/// Ends what the way before left: kernels, and values that are on the host alone. (Tpetra forms
/// R·A·P there, and the next one who takes them to the device would pay for it.)
void clearUp(const matrix_type& A, const matrix_type& P) {
  A.getLocalMatrixDevice();
  P.getLocalMatrixDevice();
  Kokkos::fence();
}

void takeTurn(Way& way, bool warmUp, const Teuchos::Comm<int>& comm) {
  std::vector<Trident::Report> calls;
  const double seconds = timed(comm, [&] { calls = way.product(way.Ac); });
  way.bytes = internodeBytes(calls);
  if (warmUp) return;
  way.seconds.push_back(seconds);
  if (!calls.empty()) way.phases.push_back(phasesOf(calls, comm));
}

std::vector<Way> waysOf(const MatrixPtr& A, const MatrixPtr& P,
                        const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Reports = std::vector<Trident::Report>;
  const auto empty = [P] { return Teuchos::rcp(new matrix_type(P->getDomainMap(), 0)); };
  const auto plan = std::make_shared<std::unique_ptr<Plan>>();
  return {{"one-call",
           [=](MatrixPtr& Ac) {
             Ac = empty();
             return Reports{
                 Trident::MultiplyRAP(*P, true, *A, false, *P, false, *Ac, true, "", params)};
           }},
          {"two-calls",
           [=](MatrixPtr& Ac) {
             Ac = empty();
             matrix_type AP(A->getRowMap(), 0);
             const auto first = Trident::Multiply(*A, *P, AP, params);
             return Reports{first, Trident::Multiply(*P, true, AP, false, *Ac, true, "", params)};
           }},
          {"tpetra",
           [=](MatrixPtr& Ac) {
             Ac = empty();
             Tpetra::TripleMatrixMultiply::MultiplyRAP(*P, true, *A, false, *P, false, *Ac);
             return Reports{};
           }},
          {"plan", [=](MatrixPtr& Ac) {
             if (*plan) return Reports{(*plan)->multiply(*P, *A, *P, *Ac)};
             Ac = empty();
             *plan = std::make_unique<Plan>(*P, true, *A, false, *P, false, *Ac, params);
             return Reports{(*plan)->report()};
           }}};
}

void print(Way& way, const Way& first, const std::string& spec, const Teuchos::Comm<int>& comm) {
  long long bytes = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_SUM, way.bytes, Teuchos::outArg(bytes));
  const double differs = difference(*first.Ac, *way.Ac);
  if (comm.getRank() != 0) return;
  std::printf(
      "{\"A\": \"%s\", \"by\": \"%s\", \"ranks\": %d, \"seconds\": %.6g, \"repeat\": %zu, "
      "\"phases\": %s, \"internode_bytes\": %lld, \"difference\": %.3g}\n",
      spec.c_str(), way.name.c_str(), comm.getSize(), median(way.seconds), way.seconds.size(),
      json(way.phases).c_str(), bytes, differs);
}

int run(int argc, char* argv[]) {
  std::string spec, by = "one-call,two-calls,tpetra,plan", grid = "auto";
  int repeat = 5, ranksPerNode = 0;
  double slow = 1e9;
  Teuchos::CommandLineProcessor line(false);
  line.setOption("A", &spec, "matrix, as the driver takes it", true);
  line.setOption("by", &by, "ways, separated by commas");
  line.setOption("repeat", &repeat, "measured turns");
  line.setOption("slow", &slow, "a way that takes more seconds takes three turns");
  line.setOption("ranks-per-node", &ranksPerNode, "as Trident's parameter; 0: as the machine has");
  line.setOption("grid", &grid, "as Trident's parameter");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const auto params = Teuchos::parameterList();
  if (ranksPerNode > 0) params->sublist("Trident").set("ranks per node", ranksPerNode);
  params->sublist("Trident").set("grid", grid);
  const MatrixPtr A = Trident::Problems::readMatrix(spec, comm).matrix, P = prolongator(*A);
  std::vector<Way> ways;
  for (Way& way : waysOf(A, P, params))
    if (("," + by + ",").find("," + way.name + ",") != std::string::npos) ways.push_back(way);
  for (int turn = 0; turn <= repeat; ++turn)
    for (Way& way : ways) {
      if (!needsMore(way.seconds, repeat, slow)) continue;
      clearUp(*A, *P);
      takeTurn(way, turn == 0, *comm);
    }
  for (Way& way : ways) print(way, ways[0], spec, *comm);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_Galerkin", run, argc, argv);
}
