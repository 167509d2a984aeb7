// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_RUN_HPP
#define TRIDENTDRIVER_RUN_HPP

#include <string>
#include <vector>

#include "TridentDriver_CommandLine.hpp"
#include "TridentProblems_Checksum.hpp"
#include "TridentProblems_Compare.hpp"
#include "TridentProblems_Types.hpp"
#include "Trident_Report.hpp"

namespace Trident {
namespace Driver {

using namespace Problems;

/// The matrices of one run of the driver.
struct Problem {
  Teuchos::RCP<matrix_type> A, B;  ///< one object where B is A
  Teuchos::RCP<matrix_type> mask;  ///< mask from a file or a generator; else null
  std::string description;
  std::string warnings;  ///< lines, or empty
};

/// Measurements of a run. Seconds are medians over the repeats of what each repeat's ranks took.
struct Measurement {
  std::vector<double> totalSeconds;  ///< seconds of each timed product, longest over ranks
  std::vector<double> reuseSeconds;  ///< seconds of each product of --reuse, longest over ranks
  double firstCallSeconds = 0;       ///< longest over ranks, warm-up or not
  Report report;  ///< report of the last product; for tpetra only totalSeconds and import traffic
  ReportSummary summary;
  bool trafficKnown = true;  ///< false for some products by Tpetra
  double allocatedPeak = 0;  ///< bytes by Kokkos in this rank's last product
  double devicePeak = 0;     ///< part of that in memory of a device
  double residentPeak = 0;   ///< growth of the resident size over that product
  double sharedPeak = 0;     ///< resident bytes shared with other ranks
  double vectorError = -1;   ///< error of --check-vector; negative where it was not asked for
  Checksum checksum;         ///< sums of --checksum
  Teuchos::RCP<matrix_type> C;
};

/// Reads or generates A and B. Collective.
Problem makeProblem(const CommandLine& line, const Teuchos::RCP<const comm_type>& comm);

/// Multiplies warm-up + repeat times. Collective.
Measurement measure(const CommandLine& line, const Problem& problem);

/// Forms the product once and then line.reuse times more with the structure that is known: by a
/// Trident::MultiplyPlan, or as Tpetra reuses a filled C. The matrix of the last one goes to
/// measured.C, so that a check checks reuse. Collective.
/// @return seconds of each product but the first, longest over ranks
std::vector<double> reuseSeconds(const CommandLine& line, const Problem& problem,
                                 Measurement& measured);

/// Writes the measurement to line.json, from rank 0; throws on every rank where that fails.
/// Collective.
void writeJson(const CommandLine& line, const Problem& problem, const Measurement& measured,
               const Comparison* verdict);

/// Returns true if a comparison passes: the structure, and values to rounding.
bool matches(const Comparison& comparison);

}  // namespace Driver
}  // namespace Trident

#endif
