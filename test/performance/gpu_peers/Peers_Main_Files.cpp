// SPDX-License-Identifier: BSD-3-Clause
// The main function of programs that read files or make stencils, without Trilinos.
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "Peers_Device.hpp"
#include "Peers_Files.hpp"

namespace Peers {
namespace {

Problem readProblem(const CommandLine& line) {
  if (line.galerkin == line.P.empty())
    throw std::runtime_error("--galerkin and --P=FILE go together");
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Problem problem;
  problem.A = readRows(line.A, rank, ranks);
  if (line.galerkin) problem.P = readRows(line.P, rank, ranks);
  if (problem.A.matrixSize != problem.A.matrixColumns ||
      (line.galerkin && problem.P.matrixSize != problem.A.matrixSize))
    throw std::runtime_error(line.A + ": A is not square, or P has other rows");
  return problem;
}

}  // namespace

int main(int argc, char* argv[], const std::string& library,
         const std::function<Result(const CommandLine&, const Problem&)>& measure) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return EXIT_FAILURE;
  const int status = run(argc, argv, library, [&](const CommandLine& line) {
    return measuredOrAborted(library, [&] {
      chooseDevice();
      const Problem problem = readProblem(line);
      Result result = measure(line, problem);
      result.rows = problem.A.matrixSize;
      return result;
    });
  });
  MPI_Finalize();
  return status;
}

}  // namespace Peers
