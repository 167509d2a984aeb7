// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEERS_ROWS_HPP
#define PEERS_ROWS_HPP

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "TridentProblems_Checksum.hpp"

/// \file Peers_Rows.hpp
/// What the drivers of other libraries share: the matrix, the clock and the JSON. No header of
/// Trilinos is in it.

namespace Peers {

using Trident::Problems::Checksum;

/// This rank's rows of a square matrix, as Trident's driver reads or makes them: consecutive ones,
/// by rank, as evenly as can be. Columns ascend in each row.
struct Rows {
  long long first = 0, size = 0;   ///< of this rank's rows
  long long matrixSize = 0;        ///< rows of all ranks, and columns
  std::vector<int> offsets;        ///< size + 1
  std::vector<long long> columns;  ///< global
  std::vector<double> values;
};

/// What is asked for: --A=SPEC --warmup=N --repeat=N --reuse=N --json=FILE.
struct CommandLine {
  std::string A, json;
  int warmup = 1, repeat = 1, reuse = 0;
};

/// What is measured: seconds of the slowest rank, of each call.
struct Result {
  std::vector<double> seconds, reuseSeconds;
  Checksum checksum;  ///< of C, of this rank
};

/// Seconds of `count` calls, each from a barrier to the end of the slowest rank's. What `prepare`
/// does before each is not timed. Collective.
std::vector<double> timeEach(int count, const std::function<void()>& prepare,
                             const std::function<void()>& call);

/// A driver's main function: reads the command line and A, calls `measure` and writes its result.
/// MPI is initialized around it. Where `measure` throws on any rank, the program is aborted.
/// \return the program's status
int main(int argc, char* argv[], const std::string& library,
         const std::function<Result(const CommandLine&, const Rows&)>& measure);

}  // namespace Peers

#endif
