// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PACKRUNS_HPP
#define TRIDENT_PACKRUNS_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowEntries.hpp"
#include "move/Trident_Runs.hpp"

namespace Trident::Impl {

/// Runs in the order of their destinations. Where they come in that order they stay as they are.
template <class Device>
struct PackedRuns {
  Runs<Device> runs;
  std::vector<long long> runsTo;  ///< by grid rank
  std::vector<long long> entriesTo;
  bool inOrder = true;  ///< the runs' entries lie as they go out: nothing to pack
};

template <class Device>
bool runsInOrder(const Runs<Device>& runs) {
  const auto destination = runs.destination;
  const auto source = runs.source;
  const auto header = runs.header;
  long long breaks = 0;
  Kokkos::parallel_reduce(
      "Trident::runsInOrder", Range<Device>(0, destination.extent(0)),
      TRIDENT_LAMBDA(long long r, long long& sum) {
        if (r == 0)
          sum += source(0) != 0;
        else
          sum += destination(r) < destination(r - 1) ||
                 source(r) != source(r - 1) + header(r - 1).length;
      },
      breaks);
  return breaks == 0;
}

/// Counters of runs by destination. A device has several for each, of consecutive runs, so that not
/// all its threads meet at the few counters of few ranks. For kernels.
template <class Device>
struct RunBins {
  Kokkos::View<int*, Device> destination;
  int perRank;

  KOKKOS_INLINE_FUNCTION long long operator()(long long r) const {
    const long long runs = destination.extent(0);
    return static_cast<long long>(destination(r)) * perRank + r * perRank / runs;
  }
};

/// Enough that threads seldom meet, and at most 2^16 in all where ranks are fewer than that.
template <class Device>
int binsOfARank(int ranks) {
  return isHost<Device> ? 1 : std::max(1, std::min(256, (1 << 16) / ranks));
}

/// Sums over each rank's bins, on the host.
template <class Device>
std::vector<long long> sumByRank(const Kokkos::View<long long*, Device>& bins, int perRank) {
  const std::vector<long long> counts = toHost<long long, Device>(bins);
  std::vector<long long> sums(counts.size() / perRank, 0);
  for (std::size_t b = 0; b < counts.size(); ++b) sums[b / perRank] += counts[b];
  return sums;
}

template <class Device>
PackedRuns<Device> orderRuns(const Runs<Device>& runs, int ranks) {
  const long long count = runs.destination.extent(0);
  const RunBins<Device> bin{runs.destination, binsOfARank<Device>(ranks)};
  const int bins = ranks * bin.perRank;
  // One more, as countsToOffsets() wants it.
  const Kokkos::View<long long*, Device> runsIn("Trident::runsTo", bins + 1);
  const Kokkos::View<long long*, Device> entriesIn("Trident::entriesTo", bins);
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::countRuns", Range<Device>(0, count), TRIDENT_LAMBDA(long long r) {
        addShared(&runsIn(bin(r)), 1ll);
        addShared(&entriesIn(bin(r)), static_cast<long long>(header(r).length));
      });
  PackedRuns<Device> packed{
      runs, sumByRank<Device>(Kokkos::subview(runsIn, std::make_pair(0, bins)), bin.perRank),
      sumByRank<Device>(entriesIn, bin.perRank), runsInOrder(runs)};
  if (packed.inOrder) return packed;

  countsToOffsets<long long, Device>(runsIn);
  const auto next = runsIn;
  const auto toHeader = uninitialized<RunHeader, Device>("Trident::runHeaders", count);
  const auto toSource = uninitialized<std::size_t, Device>("Trident::runSources", count);
  Kokkos::parallel_for(
      "Trident::orderRuns", Range<Device>(0, count), TRIDENT_LAMBDA(long long r) {
        const long long slot = fetchAdd(&next(bin(r)), 1ll);
        toHeader(slot) = header(r);
        toSource(slot) = source(r);
      });
  packed.runs = {{}, toHeader, toSource};
  return packed;
}

template <class T, class Device>
void packEntries(const Runs<Device>& runs, const Kokkos::View<std::size_t*, Device>& begin,
                 const Kokkos::View<T*, Device>& entries, const Kokkos::View<T*, Device>& to) {
  const auto source = runs.source;
  forRowEntries<Device>(
      "Trident::packEntries", runs.header.extent(0), to.extent(0), begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) { to(e) = entries(source(r) + (e - begin(r))); });
}

}  // namespace Trident::Impl

#endif
