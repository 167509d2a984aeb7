// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNS_HPP
#define TRIDENT_RUNS_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// Header of a run: consecutive entries of one row on this rank that go to one row on one rank.
struct RunHeader {
  int row;     ///< row at the destination
  int length;  ///< number of entries
};

/// Runs on their way out, in any order.
template <class Device>
struct Runs {
  Kokkos::View<int*, Device> destination;  ///< grid rank that gets the run
  Kokkos::View<RunHeader*, Device> header;
  Kokkos::View<std::size_t*, Device> source;  ///< offset on this rank of the run's first entry
};

template <class Device>
Runs<Device> uninitializedRuns(long long count) {
  return {scratch<int, Device>("Trident::runDestination", count),
          scratch<RunHeader, Device>("Trident::runHeader", count),
          scratch<std::size_t, Device>("Trident::runSource", count)};
}

/// Runs that have arrived, ordered by source rank, and then as the source packed them. For kernels.
template <class Scalar, class Device>
struct ReceivedRuns {
  Kokkos::View<RunHeader*, Device> header;
  Kokkos::View<const std::size_t*, Device> begin;  ///< start of each run, and end of the last
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  long long count() const { return static_cast<long long>(header.extent(0)); }
};

/// Writes the offset of each run's first entry, and the end of the last run. Runs have no gaps.
template <class Device>
void setRunBegins(const Kokkos::View<RunHeader*, Device>& header,
                  const Kokkos::View<std::size_t*, Device>& begin) {
  Kokkos::parallel_for(
      "Trident::runLengths", Range<Device>(0, header.extent(0)),
      TRIDENT_LAMBDA(long long r) { begin(r) = header(r).length; });
  countsToOffsets<std::size_t, Device>(begin);
}

template <class Device>
Kokkos::View<std::size_t*, Device> runBegins(const Kokkos::View<RunHeader*, Device>& header) {
  const auto begin = scratch<std::size_t, Device>("Trident::runBegins", header.extent(0) + 1);
  setRunBegins<Device>(header, begin);
  return begin;
}

/// Returns the number of entries that runs bring to each row, and one more element, 0. Local.
template <class Device>
Kokkos::View<std::size_t*, Device> entriesOfRows(const Kokkos::View<RunHeader*, Device>& header,
                                                 int rows) {
  const Kokkos::View<std::size_t*, Device> counts("Trident::offsets", rows + 1);
  Kokkos::parallel_for(
      "Trident::entriesOfRows", Range<Device>(0, header.extent(0)), TRIDENT_LAMBDA(long long r) {
        addShared(&counts(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return counts;
}

/// Returns the place of each run's first entry in rows that are formed from runs. The runs of a row
/// lie one behind the other, in any order. Local.
/// @param offsets offsets of the rows; rows + 1 numbers
template <class Device>
Kokkos::View<std::size_t*, Device> targetsOfRuns(
    const Kokkos::View<RunHeader*, Device>& header,
    const Kokkos::View<const std::size_t*, Device>& offsets) {
  const auto cursor = scratch<std::size_t, Device>("Trident::cursor", offsets.extent(0));
  Kokkos::deep_copy(cursor, offsets);
  const auto targets = scratch<std::size_t, Device>("Trident::targetsOfRuns", header.extent(0));
  Kokkos::parallel_for(
      "Trident::targetsOfRuns", Range<Device>(0, header.extent(0)), TRIDENT_LAMBDA(long long r) {
        targets(r) = fetchAdd(&cursor(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return targets;
}

/// Runs in the order of their destinations. Runs that come in that order stay as they are.
template <class Device>
struct PackedRuns {
  Runs<Device> runs;
  std::vector<long long> runsTo;  ///< number of runs by grid rank
  std::vector<long long> entriesTo;
  bool inOrder = true;  ///< true if entries lie in the order of sending, and need no packing
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

/// Counters of runs by destination, called bins. On a device a destination has several bins, each
/// for a range of runs, so that fewer threads add to one bin. For kernels.
template <class Device>
struct RunBins {
  Kokkos::View<int*, Device> destination;
  int perRank;

  KOKKOS_INLINE_FUNCTION long long operator()(long long r) const {
    const long long runs = destination.extent(0);
    return static_cast<long long>(destination(r)) * perRank + r * perRank / runs;
  }
};

/// Returns the number of bins for each destination. On hosts: 1. On devices: 2^16 / ranks, but at
/// least 1 and at most 256.
template <class Device>
int binsOfARank(int ranks) {
  return isHost<Device> ? 1 : std::max(1, std::min(256, (1 << 16) / ranks));
}

/// Returns the sum of each rank's bins, on the host.
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
  // One element more, because countsToOffsets() needs it.
  const auto runsIn = zeroScratch<long long, Device>("Trident::runsTo", bins + 1);
  const auto entriesIn = zeroScratch<long long, Device>("Trident::entriesTo", bins);
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
  const auto toHeader = scratch<RunHeader, Device>("Trident::runHeaders", count);
  const auto toSource = scratch<std::size_t, Device>("Trident::runSources", count);
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
