// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORT_HPP
#define TRIDENT_REPORT_HPP

#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "base/Trident_Phase.hpp"
#include "base/Trident_Traffic.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "rounds/Trident_RoundTimes.hpp"

namespace Trident {

/// How many entries a matrix has.
struct EntriesOf {
  std::string name;       ///< of the matrix, as the function names its arguments; "R^T" of R's
  long long entries = 0;  ///< on this rank, or of all ranks together
};

/// What one product did, on this rank, and what was chosen for it, on all. A function that forms
/// several products (R·A·P forms A·P, then R·(A·P)) reports on all of them together.
/// @ref report "Reading a report" (doc/report.md) explains every word.
struct Report {
  GridShape grid;         ///< of nodes and their ranks
  std::string exchange;   ///< of slices between nodes; "none" on one node
  std::string gather;     ///< of tiles inside a node
  std::string kernel;     ///< of this rank's local products; "a and b" where rounds differ
  std::string partition;  ///< taken, as `reasons` say; "a and b" where index spaces differ
  std::string fetch;      ///< of right factors: "tiles" or "needed-rows"; both where they differ
  std::string reasons;    ///< why these were chosen: sentences, each once, with "; " between

  double totalSeconds = 0;         ///< of the whole call
  double multiplySeconds = 0;      ///< of the product on the grid, without import and export
  PhaseSeconds seconds;            ///< by phase
  TrafficByPart traffic;           ///< that this rank received
  int rounds = 0;                  ///< segments of the inner space
  int fusedRounds = 0;             ///< rounds in one local product
  long long multiplyAdds = 0;      ///< of this rank
  long long sliceEntries = 0;      ///< its slices of factors, of all products together
  int node = 0;                    ///< which node of the grid this rank is in
  long long internodeEntries = 0;  ///< that the rounds brought to this rank from other nodes

  std::vector<EntriesOf> operands;  ///< the caller's matrices, on this rank
  long long entriesC = 0;           ///< of this rank's slice of the product
  std::size_t sliceBytes = 0;       ///< its slices of A, B and C; A counted once where B is A
  std::size_t tileBytes = 0;        ///< one tile of B, divided by λ where the node shares it
  std::size_t resultBytes = 0;      ///< its rows of the Tpetra result

  /// Of rows, that a product was formed in on this rank, as it was filtered or handed over; 0 of
  /// others.
  int pieces = 0;
  std::size_t predictedPieceBytes = 0;  ///< that the largest may take, from counted multiply-adds
  /// That the arrays of a piece, with what formed it and what was kept of it, took at once; counted
  /// where they were allocated. Without the workspace of a device's kernel.
  std::size_t pieceBytes = 0;

  double roundsBegan = 0;         ///< seconds on a steady clock; a host's ranks share it
  std::vector<RoundTimes> times;  ///< of this rank, by round

  bool predicted = false;               ///< whether the volume model was evaluated
  VolumePrediction predictedBytes;      ///< between nodes, all ranks together
  double predictedEntriesC = 0;         ///< of the whole C, from sampled rows
  std::vector<ShapePrediction> shapes;  ///< every shape that was considered
};

/// A quantity over the ranks.
struct Spread {
  double min = 0;     ///< of the ranks
  double median = 0;  ///< of the ranks; of an even number the mean of the middle two
  double mean = 0;    ///< of the ranks: means of phases add up to that of the total
  double max = 0;     ///< of the ranks
};

/// How much more the busiest rank has than the mean of ranks: 1 where all have the same, or
/// nothing.
struct Imbalance {
  double ranks = 1;   ///< largest over mean of all ranks
  double inNode = 1;  ///< largest over mean of the ranks of a node, in the worst node
};

/// A report of all ranks together.
struct ReportSummary {
  Spread totalSeconds;                     ///< of the call
  Spread multiplySeconds;                  ///< of the product on the grid
  std::array<Spread, phaseCount> seconds;  ///< by phase, as Phase counts them
  Spread otherSeconds;                     ///< of the total, what is in no phase
  TrafficByPart traffic;                   ///< sums over ranks
  long long multiplyAdds = 0;              ///< of all ranks
  std::vector<EntriesOf> operands;         ///< the caller's matrices
  long long entriesC = 0;                  ///< of the product
  double compressionRatio = 0;             ///< multiply-adds per entry of C
  int pieces = 0;                          ///< of rows, the most of a rank
  double predictedPieceBytes = 0;          ///< the most of a rank
  double pieceBytes = 0;                   ///< the most of a rank
  Imbalance entries;                       ///< of slices of factors
  Imbalance work;                          ///< of multiply-adds
  Imbalance time;                          ///< of seconds in local products
};

/// Collective over `comm`, the communicator of the product or a duplicate of it.
ReportSummary summarize(const Report& report, MPI_Comm comm);

/// The summary and the choices as text of some lines, for people.
/// @ref report "Reading a report" (doc/report.md) explains every word of it.
std::string describe(const Report& report, const ReportSummary& summary);

}  // namespace Trident

#endif
