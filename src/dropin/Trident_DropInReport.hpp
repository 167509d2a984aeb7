// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINREPORT_HPP
#define TRIDENT_DROPINREPORT_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "Trident_Report.hpp"

namespace Trident::Impl {

struct PlanCounts;

/// The report's record of one product. Seconds are those of the slowest rank.
struct ProductRecord {
  std::string function;   ///< name of Tpetra's function: "Multiply", "Jacobi", "MultiplyRAP"
  std::string label;      ///< argument `label` of Tpetra's function
  int ranks = 1;          ///< number of ranks of the product's communicator
  long long rows = 0;     ///< number of C's rows
  double seconds = 0;     ///< time of the whole call
  std::string forwarded;  ///< reason why Tpetra formed the product; empty if Trident did
  std::vector<std::string> warnings;  ///< notes on settings that the caller may not have meant
  Report report;                      ///< report of this rank, if Trident formed the product
  bool compared = false;              ///< true if Tpetra formed the product too
  double tpetraSeconds = 0;           ///< time of Tpetra's function
  double difference = 0;  ///< largest difference of entries, divided by Tpetra's largest magnitude
};

/// Opens the report's file on the first rank of the program, unless the file is open. Collective
/// over `comm`. Throws Trident::Error on every rank if the file cannot be opened or written.
/// @param warnings sentences to write first; a sentence that was written before is left out
void openReport(MPI_Comm comm, const std::string& file, const std::vector<std::string>& warnings);

/// Opens the file if necessary, and writes `text`. Does nothing on ranks but the program's first.
void reportWaiting(const std::string& file, const std::string& text) noexcept;

/// Writes a product's line of JSON on the first rank of the program, if that rank is in `comm`.
/// Collective over `comm`. Throws Trident::Error on every rank if the line cannot be written.
void reportProduct(MPI_Comm comm, const ProductRecord& line);

/// Writes the summary and closes the file. Local. Throws nothing, because the program ends.
/// @param plans counts of plans on this rank
void endReport(const PlanCounts& plans) noexcept;

}  // namespace Trident::Impl

#endif
