// SPDX-License-Identifier: BSD-3-Clause
// The main functions of programs that read or make matrices as Trident's driver does.
#include <Tpetra_Core.hpp>
#include <stdexcept>

#include "Peers_Factors.hpp"

namespace Peers {
namespace {

Factors factorsOf(const CommandLine& line) {
  if (!line.P.empty()) throw std::runtime_error("--P: this program makes P of A itself");
  return readFactors(line);
}

/// Reads the problem. Collective. Nothing of Tpetra stays in memory.
Problem readProblem(const CommandLine& line) {
  const Factors factors = factorsOf(line);
  Problem problem;
  problem.A = rowsOf(*factors.A, line.A);
  if (line.galerkin) problem.P = rowsOf(*factors.P, line.A + ", its prolongator");
  return problem;
}

}  // namespace

int main(int argc, char* argv[], const std::string& library,
         const std::function<Result(const CommandLine&, const Problem&)>& measure) {
  int none = 1;
  const Tpetra::ScopeGuard scope(&none, &argv);
  return run(argc, argv, library, [&](const CommandLine& line) {
    const Problem problem = readProblem(line);
    Result result = measuredOrAborted(library, [&] { return measure(line, problem); });
    result.rows = problem.A.matrixSize;
    return result;
  });
}

int mainOfTpetra(int argc, char* argv[], const std::string& library,
                 const std::function<Result(const CommandLine&, const Factors&)>& measure) {
  int none = 1;
  const Tpetra::ScopeGuard scope(&none, &argv);
  return run(argc, argv, library, [&](const CommandLine& line) {
    const Factors factors = factorsOf(line);
    Result result = measuredOrAborted(library, [&] { return measure(line, factors); });
    result.rows = static_cast<long long>(factors.A->getRowMap()->getGlobalNumElements());
    return result;
  });
}

}  // namespace Peers
