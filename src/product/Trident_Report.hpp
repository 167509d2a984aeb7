// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORT_HPP
#define TRIDENT_REPORT_HPP

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "Trident_GridShape.hpp"
#include "Trident_Phase.hpp"
#include "Trident_RoundTimes.hpp"
#include "Trident_Traffic.hpp"
#include "Trident_VolumeModel.hpp"

namespace Trident {

/// What one product did, on this rank, and what was chosen for it, on all.
struct Report {
  GridShape grid;         ///< of nodes and their ranks
  std::string exchange;   ///< between nodes; "none" on one node
  std::string gather;     ///< of tiles inside a node
  std::string kernel;     ///< of local products; several where rounds differ
  std::string partition;  ///< asked for; `reasons` say where another was taken
  std::string fetch;      ///< of B in the last product: "tiles" or "needed-rows"
  std::string reasons;    ///< why these were chosen, in sentences

  double totalSeconds = 0;         ///< of the whole call
  double multiplySeconds = 0;      ///< of the product on the grid, without import and export
  PhaseSeconds seconds;            ///< by phase
  TrafficByPart traffic;           ///< that this rank received
  int rounds = 0;                  ///< segments of the inner space
  int fusedRounds = 0;             ///< rounds in one local product
  long long flops = 0;             ///< multiply-adds of this rank
  long long internodeEntries = 0;  ///< that the rounds brought to this rank from other nodes

  long long entriesA = 0;       ///< of this rank's slice
  long long entriesB = 0;       ///< of this rank's slice
  long long entriesC = 0;       ///< of this rank's slice
  std::size_t sliceBytes = 0;   ///< its slices of A, B and C; A counted once where B is A
  std::size_t tileBytes = 0;    ///< one tile of B, divided by λ where the node shares it
  std::size_t resultBytes = 0;  ///< its rows of the Tpetra result

  double roundsBegan = 0;         ///< seconds on a steady clock; a host's ranks share it
  std::vector<RoundTimes> times;  ///< of this rank, by round

  bool predicted = false;               ///< whether the volume model was evaluated
  VolumePrediction predictedBytes;      ///< between nodes, all ranks together
  double predictedEntriesC = 0;         ///< of the whole C, from sampled rows
  std::vector<ShapePrediction> shapes;  ///< every shape that was considered
};

/// Least, median and largest of a quantity over the ranks.
struct Spread {
  double min = 0;     ///< of the ranks
  double median = 0;  ///< of the ranks; of an even number the mean of the middle two
  double max = 0;     ///< of the ranks
};

/// A report of all ranks together.
struct ReportSummary {
  Spread totalSeconds;                     ///< of the call
  Spread multiplySeconds;                  ///< of the product on the grid
  std::array<Spread, phaseCount> seconds;  ///< by phase, as Phase counts them
  TrafficByPart traffic;                   ///< sums over ranks
  long long flops = 0;                     ///< multiply-adds of all ranks
  long long entriesA = 0;                  ///< of A on the grid
  long long entriesB = 0;                  ///< of B on the grid
  long long entriesC = 0;                  ///< of C on the grid
  double compressionRatio = 0;             ///< multiply-adds per entry of C
  double flopImbalance = 1;                ///< largest over mean multiply-adds of a rank
};

/// Collective over `comm`, the communicator of the product or a duplicate of it.
ReportSummary summarize(const Report& report, MPI_Comm comm);

/// The summary and the choices as text of a few lines, for people.
std::string describe(const Report& report, const ReportSummary& summary);

}  // namespace Trident

#endif
