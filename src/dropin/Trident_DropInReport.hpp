// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINREPORT_HPP
#define TRIDENT_DROPINREPORT_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "Trident_Report.hpp"

namespace Trident::Impl {

struct PlanCounts;

/// One product of the drop-in, as its report has it. Seconds are those of the slowest rank.
struct ProductRecord {
  std::string function;               ///< Tpetra's: "Multiply", "Jacobi", "MultiplyRAP"
  std::string label;                  ///< the caller's
  int ranks = 1;                      ///< ranks of the product's communicator
  long long rows = 0;                 ///< rows of C
  double seconds = 0;                 ///< time of the whole call
  std::string forwarded;              ///< reason why Tpetra formed it; empty if Trident did
  std::vector<std::string> warnings;  ///< notes on settings that the caller may not have meant
  Report report;                      ///< report of this rank, if Trident formed it
  bool compared = false;              ///< true if Tpetra formed it too
  double tpetraSeconds = 0;           ///< time of Tpetra's function
  double difference = 0;  ///< largest difference of entries, by the largest magnitude of Tpetra's
};

/// Opens the report's file, on the first rank of the program, where the process has none open yet.
/// Collective over `comm`; throws Trident::Error on every rank where that fails.
/// @param warnings written first, each once
void openReport(MPI_Comm comm, const std::string& file, const std::vector<std::string>& warnings);

/// Writes of a wait for ranks, on the first rank of the program; opens the file for it. Local.
void reportWaiting(const std::string& file, const std::string& text) noexcept;

/// Writes a line of JSON: on the first rank of the program, and nothing where that is none of
/// `comm`. Collective over `comm`; throws Trident::Error on every rank where it cannot be written.
void reportProduct(MPI_Comm comm, const ProductRecord& line);

/// Writes the summary and closes the file. Local; throws nothing, as the program ends.
/// @param plans counts of plans on this rank
void endReport(const PlanCounts& plans) noexcept;

}  // namespace Trident::Impl

#endif
