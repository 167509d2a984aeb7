// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPORT_HPP
#define TRIDENT_REPORT_HPP

#include <Teuchos_Comm.hpp>
#include <array>
#include <string>
#include <vector>

#include "base/Trident_Phase.hpp"
#include "base/Trident_Traffic.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_VolumeModel.hpp"

namespace Trident {

/// The number of entries of a matrix.
struct EntriesOf {
  std::string name;       ///< name of the argument, such as "A"; "R^T": R transposed
  long long entries = 0;  ///< entries on this rank; in a summary, on all ranks together
};

/// The report of one call: the work of this rank, and the choices, which are the same on all ranks.
/// If a function forms several products (A·P, then R·(A·P)), the report is on all of them.
/// @ref report "Reading a report" (doc/report.md) explains every word.
struct Report {
  GridShape grid;         ///< shape of the grid: rows and columns of nodes, ranks of a node
  std::string exchange;   ///< kind of exchange between nodes; "none" on one node
  std::string gather;     ///< kind of gather inside nodes
  std::string kernel;     ///< kernel of this rank's local products; "a and b" if rounds differ
  std::string partition;  ///< kind of partition of index spaces; "a and b" if several
  std::string fetch;      ///< part of right factors that travels: "tiles", "needed-rows", or both
  std::string reasons;    ///< reasons for these choices, each once, joined by "; "

  double totalSeconds = 0;         ///< seconds of the whole call
  double multiplySeconds = 0;      ///< seconds of the product on the grid without import and export
  PhaseSeconds seconds;            ///< seconds of each phase: `seconds[Trident::Phase::Gather]`
  TrafficByPart traffic;           ///< messages and bytes that this rank received
  int rounds = 0;                  ///< number of rounds: one for each segment of the inner index
  int fusedRounds = 0;             ///< largest number of rounds in one local product
  long long multiplyAdds = 0;      ///< multiply-adds of this rank
  long long blockRows = 0;         ///< number of left factors' rows in blocks of rows, on hosts
  long long sliceEntries = 0;      ///< entries of this rank's factor slices, summed over products
  int node = 0;                    ///< number of this rank's node
  long long internodeEntries = 0;  ///< entries that came in the rounds from other nodes

  std::vector<EntriesOf> operands;  ///< the caller's matrices and their entries on this rank
  long long entriesC = 0;           ///< entries of this rank's slice of the product
  /// Bytes of this rank's slices of A, B and C, or of A and C if B is A.
  std::size_t sliceBytes = 0;
  std::size_t tileBytes = 0;    ///< bytes of the largest tile of B, divided by λ if ranks share it
  std::size_t resultBytes = 0;  ///< bytes of this rank's rows of the Tpetra result

  /// Number of pieces that this rank formed; 0 if the product was neither filtered nor handed over.
  int pieces = 0;
  /// Upper bound of a piece's bytes, which follows from the number of multiply-adds.
  std::size_t predictedPieceBytes = 0;
  /// Largest number of bytes in use for a piece: for its arrays, the arrays that formed it, and the
  /// kept entries. Counts arrays with their unused room, but no workspace of a device's kernel.
  std::size_t pieceBytes = 0;

  double roundsBegan = 0;  ///< start of the rounds, in seconds of a clock that a host's ranks share
  std::vector<RoundTimes> times;  ///< times of each round of this rank

  bool predicted = false;               ///< true if the volume model was evaluated
  VolumePrediction predictedBytes;      ///< expected bytes between nodes, summed over all ranks
  double predictedEntriesC = 0;         ///< expected entries of C, summed over all ranks
  std::vector<ShapePrediction> shapes;  ///< grid shapes that were considered, with their bytes
};

/// The distribution of a quantity over the ranks.
struct Spread {
  double min = 0;     ///< smallest value of a rank
  double median = 0;  ///< median; for an even number of ranks, the mean of the middle two
  double mean = 0;  ///< mean; totalSeconds.mean is the sum of the means of phases and otherSeconds
  double max = 0;   ///< largest value of a rank
};

/// The imbalance of a load over the ranks; 1 if the loads are equal.
struct Imbalance {
  double ranks = 1;   ///< largest load of all ranks, divided by the mean
  double inNode = 1;  ///< largest ratio of a node's largest load to the node's mean load
};

/// A summary of the reports of all ranks.
struct ReportSummary {
  Spread totalSeconds;                     ///< seconds of the call
  Spread multiplySeconds;                  ///< seconds of the product on the grid
  std::array<Spread, phaseCount> seconds;  ///< seconds of each phase, in the order of Phase
  Spread otherSeconds;                     ///< seconds of the call that are in no phase
  TrafficByPart traffic;                   ///< messages and bytes received, summed over ranks
  long long multiplyAdds = 0;              ///< multiply-adds of all ranks
  long long blockRows = 0;          ///< number of left factors' rows in blocks of rows, on hosts
  std::vector<EntriesOf> operands;  ///< the caller's matrices and their entries
  long long entriesC = 0;           ///< entries of the product
  double compressionRatio = 0;      ///< multiply-adds per entry of C
  int pieces = 0;                   ///< largest Report::pieces of all ranks
  double predictedPieceBytes = 0;   ///< largest Report::predictedPieceBytes of all ranks
  double pieceBytes = 0;            ///< largest Report::pieceBytes of all ranks
  Imbalance entries;                ///< imbalance of entries in slices of factors
  Imbalance work;                   ///< imbalance of multiply-adds
  Imbalance time;                   ///< imbalance of seconds in local products
};

/// Sums a report over the ranks. Collective over `comm`, the communicator of the product or a
/// duplicate of it. Throws Trident::Error on every rank if reports are on different matrices.
ReportSummary summarize(const Report& report, const Teuchos::Comm<int>& comm);

/// Returns the summary and the choices as lines of text, for people.
/// @ref report "Reading a report" (doc/report.md) explains every word of it.
std::string describe(const Report& report, const ReportSummary& summary);

}  // namespace Trident

#endif
