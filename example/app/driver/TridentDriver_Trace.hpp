// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_TRACE_HPP
#define TRIDENTDRIVER_TRACE_HPP

#include <string>

#include "TridentProblems_Comm.hpp"
#include "Trident_Report.hpp"

namespace Trident {
namespace Driver {

using namespace Problems;

/// Returns the rounds of one rank in the Chrome trace format, one line a round, for Perfetto or
/// chrome://tracing. A process is a node, with a track for what each rank does and some for the
/// slices under way to it. Times are microseconds since the rank began its rounds, which
/// "synchronize" lets all ranks do together. Each line ends with a comma and a newline.
/// @param node of the machine that holds `rank`
std::string traceOfRank(const Report& report, int rank, int node);

/// Writes the rounds of all ranks as one JSON array; every rank writes its own part. Collective;
/// throws MatrixError on every rank where the file cannot be written.
/// @param node of the machine that holds this rank
void writeTrace(const Report& report, int node, const std::string& path, const Comm& comm);

}  // namespace Driver
}  // namespace Trident

#endif
