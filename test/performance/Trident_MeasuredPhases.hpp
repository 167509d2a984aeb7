// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MEASUREDPHASES_HPP
#define TRIDENT_MEASUREDPHASES_HPP

// Tools of programs that time products: clocks, medians, phases.

#include <Kokkos_Core.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <algorithm>
#include <array>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_Phase.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Measured {

/// Returns the median: of an even number the mean of the middle two; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Returns the seconds of the slowest rank, with what `work` leaves to the device. Collective.
inline double timed(const Teuchos::Comm<int>& comm, const std::function<void()>& work) {
  comm.barrier();
  Kokkos::fence();
  const double start = Impl::steadySeconds();
  work();
  Kokkos::fence();
  const double mine = Impl::steadySeconds() - start;
  double slowest = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(slowest));
  return slowest;
}

/// Seconds of each phase, the median of the ranks; what is in no phase comes last.
using Phases = std::array<double, phaseCount + 1>;

/// Adds up the phases of the calls that form one product. Collective.
inline Phases phasesOf(const std::vector<Report>& calls, const Teuchos::Comm<int>& comm) {
  Phases sum{};
  for (const Report& call : calls) {
    const ReportSummary summary = summarize(call, comm);
    for (int p = 0; p < phaseCount; ++p) sum[p] += summary.seconds[p].median;
    sum[phaseCount] += summary.otherSeconds.median;
  }
  return sum;
}

/// Writes medians over products, as a JSON object. It is empty if there is none, as of Tpetra's.
inline std::string json(const std::vector<Phases>& products) {
  if (products.empty()) return "{}";
  std::ostringstream text;
  for (int p = 0; p <= phaseCount; ++p) {
    std::vector<double> seconds;
    for (const Phases& product : products) seconds.push_back(product[p]);
    text << (p > 0 ? ", " : "") << "\""
         << (p < phaseCount ? phaseName(static_cast<Phase>(p)) : "other")
         << "\": " << median(seconds);
  }
  return "{" + text.str() + "}";
}

/// Returns true if one more product is to be measured, of `wanted`: three are enough if the first
/// took longer than `slow` seconds. It is alike on all ranks if `seconds` are.
inline bool needsMore(const std::vector<double>& seconds, int wanted, double slow) {
  const bool isSlow = !seconds.empty() && seconds[0] > slow;
  return static_cast<int>(seconds.size()) < (isSlow ? std::min(wanted, 3) : wanted);
}

}  // namespace Trident::Measured

#endif
