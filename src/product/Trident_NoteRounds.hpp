// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NOTEROUNDS_HPP
#define TRIDENT_NOTEROUNDS_HPP

#include <algorithm>

#include "Trident_LocalMatrix.hpp"
#include "Trident_Report.hpp"
#include "Trident_RoundCounters.hpp"

namespace Trident {
namespace Impl {

/// Adds to a report what one product on the grid did.
template <class Grid>
void noteRounds(Report& report, const RoundCounters& counters, const Grid& A, const Grid& B,
                const Grid& C) {
  report.exchange = counters.exchange;
  report.fetch = counters.fetch;
  report.reasons += "exchange " + counters.exchange + ": " + counters.exchangeReason + "; gather " +
                    counters.gather + ": " + counters.gatherReason + "; ";
  report.multiplySeconds += counters.multiplySeconds;
  if (report.times.empty()) report.roundsBegan = counters.roundsBegan;
  report.times.insert(report.times.end(), counters.times.begin(), counters.times.end());
  report.gather = counters.gather;
  report.kernel = counters.kernel;
  report.rounds += counters.rounds;
  report.fusedRounds = std::max(report.fusedRounds, counters.fusedRounds);
  report.flops += counters.flops;
  report.internodeEntries += counters.internodeEntries;
  report.tileBytes = std::max(report.tileBytes, counters.tileBytes);
  report.traffic.setup += counters.traffic.setup;
  report.traffic.rounds += counters.traffic.rounds;
  for (int p = 0; p < phaseCount; ++p)
    report.seconds[static_cast<Phase>(p)] += counters.seconds[static_cast<Phase>(p)];
  report.entriesA = A.local().nnz();
  report.entriesB = B.local().nnz();
  report.entriesC = C.local().nnz();
  std::size_t bytes = matrixBytes(A.local()) + matrixBytes(C.local());
  if (A.local().values.data() != B.local().values.data()) bytes += matrixBytes(B.local());
  report.sliceBytes = std::max(report.sliceBytes, bytes);
}

/// Takes the last "; " away.
inline void endReasons(Report& report) {
  if (!report.reasons.empty()) report.reasons.resize(report.reasons.size() - 2);
}

}  // namespace Impl
}  // namespace Trident

#endif
