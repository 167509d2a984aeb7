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
  std::string function;               ///< of Tpetra's: "Multiply", "Jacobi", "MultiplyRAP"
  std::string label;                  ///< the caller's
  int ranks = 1;                      ///< of the product's communicator
  long long rows = 0;                 ///< of C
  double seconds = 0;                 ///< of the whole call
  std::string forwarded;              ///< why Tpetra formed it; empty where Trident did
  std::vector<std::string> warnings;  ///< of what the caller may not have meant
  Report report;                      ///< of this rank, where Trident formed it
  bool compared = false;              ///< true if Tpetra formed it too
  double tpetraSeconds = 0;           ///< of that
  double difference = 0;  ///< largest of two entries, by the largest magnitude of Tpetra's
};

/// Opens the report's file, on the first rank of the program, where the process has none open yet.
/// Collective over `comm`; throws Trident::Error on every rank where that fails.
/// @param warnings written first, each once
void openReport(MPI_Comm comm, const std::string& file, const std::vector<std::string>& warnings);

/// Writes that ranks are waited for: on the first rank of the program, and nothing elsewhere; opens
/// the file for it. Local.
void reportWaiting(const std::string& file, const std::string& text) noexcept;

/// Writes a line of JSON: on the first rank of the program, and nothing where that is none of
/// `comm`. Collective over `comm`; throws Trident::Error on every rank where it cannot be written.
void reportProduct(MPI_Comm comm, const ProductRecord& line);

/// Writes the summary and closes the file. Local; throws nothing, as the program ends.
/// @param plans what plans did on this rank
void endReport(const PlanCounts& plans) noexcept;

}  // namespace Trident::Impl

#endif
