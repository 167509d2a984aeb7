// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEERS_ROWS_HPP
#define PEERS_ROWS_HPP

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Checksum.hpp"

/// \file Peers_Rows.hpp
/// Tools that the drivers of other libraries share: the matrices, the clock and the JSON. No header
/// of Trilinos is in it.

namespace Peers {

using Trident::Problems::Checksum;

/// This rank's rows of a matrix, as Trident's driver reads or makes them: consecutive ones, by
/// rank, as evenly as can be. Columns ascend in each row.
struct Rows {
  long long first = 0, size = 0;              ///< first and count of this rank's rows
  long long matrixSize = 0;                   ///< rows of all ranks
  long long firstColumn = 0, columnSize = 0;  ///< first and count of this rank's columns
  long long matrixColumns = 0;                ///< columns of all ranks
  std::vector<int> offsets;                   ///< size + 1
  std::vector<long long> columns;             ///< global
  std::vector<double> values;
};

/// The factors of A·A, or of P'·A·P.
struct Problem {
  Rows A;  ///< square; columns are with the ranks of the rows of the same numbers
  Rows P;  ///< empty where A·A is asked for
};

/// The options: --A=SPEC --P=FILE --galerkin --way=NAME --warmup=N --repeat=N --reuse=N
/// --device-mpi --json=FILE.
struct CommandLine {
  std::string A, json;
  std::string P;           ///< P's file, where the program reads files
  bool galerkin = false;   ///< P'·A·P, not A·A
  std::string way;         ///< name of one of the library's ways; empty: its own choice
  bool deviceMpi = false;  ///< the library may hand memory of a GPU to MPI
  int warmup = 1, repeat = 1, reuse = 0;
};

/// The measurements: seconds of the slowest rank, of each call.
struct Result {
  long long rows = 0;  ///< count of A's rows; the main function sets it
  std::vector<double> seconds, reuseSeconds;
  Checksum checksum;  ///< checksum of this rank's part of C
};

/// The steps of a library with its own matrices.
struct Steps {
  std::function<void()> drop;   ///< forgets C
  std::function<void()> first;  ///< call that forms a new C
  std::function<void()> again;  ///< call that forms C's values anew, of factors with other values
  std::function<void(double, double)> scale;  ///< multiplies the values of A and those of P
};

/// Returns the seconds of `count` calls, each from a barrier to the end of the slowest rank's and
/// of its GPU's. What `prepare` does before each is not timed. Collective.
std::vector<double> timeEach(int count, const std::function<void()>& prepare,
                             const std::function<void()>& call);

/// Measures the first products that are asked for, then those with a known structure. Before each
/// of these A and P get values that differ from those before it, by powers of two; the last has the
/// matrices' own, which no product before it had. C is left as it then is. Collective.
Result timeProducts(const CommandLine& line, const Steps& steps);

/// Throws if a way is asked for that `ways` does not have.
void requireWay(const CommandLine& line, const std::vector<std::string>& ways);

/// Does the work that main functions share, while MPI is initialized: reads the command line and
/// writes this rank's result of `readAndMeasure`. \return the program's status
int run(int argc, char* argv[], const std::string& library,
        const std::function<Result(const CommandLine&)>& readAndMeasure);

/// Calls `measure`. What another library finds wrong on one rank, the others do not know of: they
/// would wait, so the program is aborted.
Result measuredOrAborted(const std::string& library, const std::function<Result()>& measure);

/// Runs a driver: reads the command line and the factors, calls `measure` and writes its result.
/// MPI is initialized around it. If `measure` throws on any rank, the program is aborted.
/// \return the program's status
int main(int argc, char* argv[], const std::string& library,
         const std::function<Result(const CommandLine&, const Problem&)>& measure);

}  // namespace Peers

#endif
