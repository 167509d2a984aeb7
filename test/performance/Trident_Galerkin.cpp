// SPDX-License-Identifier: BSD-3-Clause
// The Galerkin product PᵀAP of a smoothed aggregation hierarchy's first level, in several ways. One
// JSON object a line, of rank 0.
//
//   Trident_Galerkin.exe --A=<matrix> [--by=<ways, separated by commas>] [--repeat=5]
//                        [--slow=1e9] [--ranks-per-node=0] [--grid=auto]
//   Trident_Galerkin.exe --A=<matrix> --write-A=<file> [--write-P=<file>]
//
// A matrix is what the driver takes. P is (I - 2/3 D⁻¹ A) P0, P0 constant on aggregates around an
// independent set of distance 2. The ways:
//
//   one-call          Trident::MultiplyRAP(P', A, P): A·P stays on the grid
//   two-calls         Trident::Multiply(A, P), then of P' and that
//   plan              Trident::MultiplyRAPPlan::multiply, values alone
//   tpetra-triple     Tpetra::TripleMatrixMultiply::MultiplyRAP(P', A, P), which works on the host
//   tpetra-two-calls  Tpetra::MatrixMatrix::Multiply(A, P), then of P' and that
//   tpetra-transpose  the same, but Tpetra::RowMatrixTransposer forms R = P' first. So does MueLu
//                     where no parameter says otherwise, with the parameters that are taken here
//   one-call-given    Trident::MultiplyRAP(R, A, P), where R = P' was formed before any turn
//   tpetra-given      Tpetra::MatrixMatrix::Multiply(A, P), then of that R and A·P
//
// They take turns, after one turn to warm up; a way that takes longer than --slow seconds takes no
// more than three. "seconds" is the median of a way's "turns", of the slowest rank each; "phases"
// are Trident's alone: median rank, summed over the calls of a turn, median of the turns.
// "internode_bytes" is what all ranks received from other nodes in one turn, by the library's own
// count (Tpetra does not count; the ports of the two-level network do, see `measure galerkin`).
// "difference" is that of the result from the first way's, largest over largest entry. "checksum"
// is that of the driver.
//
// With --write-A or --write-P these matrices are written, as NAME.csr by rows (doc/driver.md) for
// programs of other libraries, and nothing is multiplied but for P.

#include <Teuchos_CommandLineProcessor.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "TridentProblems_ChecksumOf.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "TridentProblems_WriteMatrix.hpp"
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
  long long bytes = 0;  ///< bytes between nodes that Trident counted on this rank in the last turn
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

/// Forms (I - 2/3 D⁻¹ A) P0.
MatrixPtr prolongator(const matrix_type& A) {
  const auto tentative = Trident::Problems::restriction(A, 1);
  const MatrixPtr P = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  Trident::Jacobi(2.0 / 3, inverseDiagonal(A), A, *tentative, *P);
  return P;
}

/// Returns the largest difference of A·x from B·x over the largest of A·x, for one random x.
/// Collective.
double difference(const matrix_type& A, const matrix_type& B) {
  vector_type x(A.getDomainMap()), ax(A.getRangeMap()), bx(A.getRangeMap());
  x.randomize();
  A.apply(x, ax);
  B.apply(x, bx);
  bx.update(1, ax, -1);
  return bx.normInf() / ax.normInf();
}

/// Ends the leftovers of the way before: kernels, and values that are on the host alone. (Tpetra's
/// triple product works there, and the next way that takes them to the device would pay for it.)
void clearUp(const matrix_type& A, const matrix_type& P, const matrix_type& R) {
  for (const matrix_type* factor : {&A, &P, &R}) factor->getLocalMatrixDevice();
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

/// Makes parameters for what is needed only to form R·A·P, as MueLu::RAPFactory sets them.
Teuchos::RCP<Teuchos::ParameterList> ofTemporary() {
  const auto params = Teuchos::parameterList();
  params->set("compute global constants: temporaries", false);
  params->set("compute global constants", false);
  return params;
}

/// Forms P' with the parameters that MueLu::TransPFactory sets.
MatrixPtr transposedAsInMueLu(const MatrixPtr& P) {
  const auto params = ofTemporary();
  params->set("sort", false);
  return Tpetra::RowMatrixTransposer<>(P).createTranspose(params);
}

/// Forms C = R·(A·P), R transposed or not, by Tpetra's calls and in the Maps that Trident's has.
MatrixPtr twoCallsOfTpetra(const MatrixPtr& R, bool transposeR, const MatrixPtr& A,
                           const MatrixPtr& P) {
  namespace Product = Tpetra::MatrixMatrix;
  matrix_type AP(A->getRowMap(), 0);
  Product::Multiply(*A, false, *P, false, AP, true, "", ofTemporary());
  const MatrixPtr C = Teuchos::rcp(new matrix_type(P->getDomainMap(), 0));
  Product::Multiply(*R, transposeR, AP, false, *C);
  return C;
}

std::vector<Way> waysOfTpetra(const MatrixPtr& A, const MatrixPtr& P, const MatrixPtr& R) {
  using Reports = std::vector<Trident::Report>;
  return {{"tpetra-triple",
           [=](MatrixPtr& Ac) {
             Ac = Teuchos::rcp(new matrix_type(P->getDomainMap(), 0));
             Tpetra::TripleMatrixMultiply::MultiplyRAP(*P, true, *A, false, *P, false, *Ac);
             return Reports{};
           }},
          {"tpetra-two-calls",
           [=](MatrixPtr& Ac) {
             Ac = twoCallsOfTpetra(P, true, A, P);
             return Reports{};
           }},
          {"tpetra-transpose",
           [=](MatrixPtr& Ac) {
             Ac = twoCallsOfTpetra(transposedAsInMueLu(P), false, A, P);
             return Reports{};
           }},
          {"tpetra-given", [=](MatrixPtr& Ac) {
             Ac = twoCallsOfTpetra(R, false, A, P);
             return Reports{};
           }}};
}

std::vector<Way> waysOfTrident(const MatrixPtr& A, const MatrixPtr& P, const MatrixPtr& R,
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
          {"plan",
           [=](MatrixPtr& Ac) {
             if (*plan) return Reports{(*plan)->multiply(*P, *A, *P, *Ac)};
             Ac = empty();
             *plan = std::make_unique<Plan>(*P, true, *A, false, *P, false, *Ac, params);
             return Reports{(*plan)->report()};
           }},
          {"one-call-given", [=](MatrixPtr& Ac) {
             Ac = empty();
             return Reports{
                 Trident::MultiplyRAP(*R, false, *A, false, *P, false, *Ac, true, "", params)};
           }}};
}

/// Returns the ways of `names`, separated by commas, or all if it is empty. Throws if one is none.
std::vector<Way> chosen(const std::vector<Way>& all, const std::string& names) {
  if (names.empty()) return all;
  std::vector<Way> found;
  std::istringstream words(names);
  for (std::string name; std::getline(words, name, ',');) {
    const auto is = [&](const Way& way) { return way.name == name; };
    const auto way = std::find_if(all.begin(), all.end(), is);
    if (way == all.end()) throw std::invalid_argument("--by: no way is called \"" + name + "\"");
    found.push_back(*way);
  }
  return found;
}

/// Returns numbers as a JSON array.
std::string jsonArray(const std::vector<double>& numbers) {
  std::ostringstream text;
  for (const double number : numbers) text << (text.tellp() > 0 ? ", " : "") << number;
  return "[" + text.str() + "]";
}

void print(Way& way, const Way& first, const std::string& spec, const Teuchos::Comm<int>& comm) {
  long long bytes = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_SUM, way.bytes, Teuchos::outArg(bytes));
  const double differs = difference(*first.Ac, *way.Ac);
  const Trident::Problems::Checksum sums = Trident::Problems::checksumOf(*way.Ac);
  if (comm.getRank() != 0) return;
  std::printf(
      "{\"A\": \"%s\", \"by\": \"%s\", \"ranks\": %d, \"seconds\": %.6g, \"repeat\": %zu, "
      "\"turns\": %s, \"phases\": %s, \"internode_bytes\": %lld, \"difference\": %.3g, "
      "\"checksum\": {\"entries\": %lld, \"zeros\": %lld, \"bilinear\": %.17g, \"absolute\": "
      "%.17g}}\n",
      spec.c_str(), way.name.c_str(), comm.getSize(), median(way.seconds), way.seconds.size(),
      jsonArray(way.seconds).c_str(), json(way.phases).c_str(), bytes, differs,
      static_cast<long long>(sums.entries), static_cast<long long>(sums.zeros), sums.bilinear,
      sums.absolute);
}

/// Writes A and P to the files that have a name. Collective.
void write(const matrix_type& A, const std::string& fileOfA, const std::string& fileOfP) {
  if (!fileOfA.empty()) Trident::Problems::writeMatrix(A, fileOfA);
  if (!fileOfP.empty()) Trident::Problems::writeMatrix(*prolongator(A), fileOfP);
}

int run(int argc, char* argv[]) {
  std::string spec, by, grid = "auto", fileOfA, fileOfP;
  int repeat = 5, ranksPerNode = 0;
  double slow = 1e9;
  Teuchos::CommandLineProcessor line(false);
  line.setOption("A", &spec, "matrix, as the driver takes it", true);
  line.setOption("by", &by, "ways, separated by commas; all where it is empty");
  line.setOption("repeat", &repeat, "measured turns");
  line.setOption("slow", &slow, "a way that takes more seconds takes three turns");
  line.setOption("ranks-per-node", &ranksPerNode, "as Trident's parameter; 0: as the machine has");
  line.setOption("grid", &grid, "as Trident's parameter");
  line.setOption("write-A", &fileOfA, "write A there, and multiply nothing");
  line.setOption("write-P", &fileOfP, "write P there, and multiply nothing else");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const auto params = Teuchos::parameterList();
  if (ranksPerNode > 0) params->sublist("Trident").set("ranks per node", ranksPerNode);
  params->sublist("Trident").set("grid", grid);
  const MatrixPtr A = Trident::Problems::readMatrix(spec, comm).matrix;
  if (!fileOfA.empty() || !fileOfP.empty()) {
    write(*A, fileOfA, fileOfP);
    return 0;
  }
  const MatrixPtr P = prolongator(*A);
  const MatrixPtr R = Tpetra::RowMatrixTransposer<>(P).createTranspose();
  std::vector<Way> all = waysOfTrident(A, P, R, params);
  for (Way& way : waysOfTpetra(A, P, R)) all.push_back(way);
  std::vector<Way> ways = chosen(all, by);
  for (int turn = 0; turn <= repeat; ++turn)
    for (Way& way : ways) {
      if (!needsMore(way.seconds, repeat, slow)) continue;
      clearUp(*A, *P, *R);
      takeTurn(way, turn == 0, *comm);
    }
  for (Way& way : ways) print(way, ways[0], spec, *comm);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_Galerkin", run, argc, argv);
}
