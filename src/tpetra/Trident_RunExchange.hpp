// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNEXCHANGE_HPP
#define TRIDENT_RUNEXCHANGE_HPP

#include <memory>
#include <vector>

#include "Trident_AllToAll.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_ProcessGrid.hpp"

namespace Trident {

/// A run: consecutive entries of one row on this rank that go to one row on one rank.
struct RunHeader {
  int row;     ///< at the destination
  int length;  ///< entries
};

/// Runs on their way out, in any order.
template <class Device>
struct Runs {
  Kokkos::View<int*, Device> destination;  ///< grid rank
  Kokkos::View<RunHeader*, Device> header;
  Kokkos::View<std::size_t*, Device> source;  ///< offset of the first entry here
};

/// Runs that have arrived, by source rank and there in the order in which they were packed.
template <class Scalar, class Device>
struct ReceivedRuns {
  std::vector<long long> runOffsets;  ///< runs of each grid rank: ranks + 1
  Kokkos::View<RunHeader*, Device> header;
  Kokkos::View<std::size_t*, Device> begin;  ///< offset of each run's first entry; runs + 1
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;
};

namespace Impl {

/// Counts for the host, by grid rank.
template <class Device>
std::vector<long long> toHost(const Kokkos::View<long long*, Device>& counts) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  return std::vector<long long>(host.data(), host.data() + host.extent(0));
}

template <class T, class Device>
Kokkos::View<T*, Device> exchangePayload(const AllToAll& plan, const Kokkos::View<T*, Device>& send,
                                         Traffic& traffic) {
  if (plan.onlySelf()) return send;
  Kokkos::fence();
  const auto hostSend = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), send);
  const auto received = uninitialized<T, Device>("Trident::received", plan.receives());
  const auto hostReceived = Kokkos::create_mirror_view(Kokkos::HostSpace(), received);
  plan.exchange(hostSend.data(), hostReceived.data(), sizeof(T), traffic);
  Kokkos::deep_copy(received, hostReceived);
  return received;
}

/// Runs in the order of their destinations. Where they come in that order they stay as they are.
template <class Device>
struct PackedRuns {
  Runs<Device> runs;
  std::vector<long long> runsTo;  ///< by grid rank
  std::vector<long long> entriesTo;
  bool inOrder;  ///< the runs' entries lie as they go out: nothing to pack
};

template <class Device>
bool runsInOrder(const Runs<Device>& runs) {
  const auto destination = runs.destination;
  const auto source = runs.source;
  const auto header = runs.header;
  long long breaks = 0;
  Kokkos::parallel_reduce(
      "Trident::runsInOrder", Range<Device>(1, destination.extent(0)),
      KOKKOS_LAMBDA(long long r, long long& sum) {
        sum += destination(r) < destination(r - 1) ||
               source(r) != source(r - 1) + header(r - 1).length;
      },
      breaks);
  long long early = 0;
  Kokkos::parallel_reduce(
      "Trident::firstRun", Range<Device>(0, destination.extent(0) > 0 ? 1 : 0),
      KOKKOS_LAMBDA(long long, long long& sum) { sum += source(0) != 0; }, early);
  return breaks == 0 && early == 0;
}

template <class Device>
PackedRuns<Device> orderRuns(const Runs<Device>& runs, int ranks) {
  const long long count = runs.destination.extent(0);
  const Kokkos::View<long long*, Device> runsTo("Trident::runsTo", ranks);
  const Kokkos::View<long long*, Device> entriesTo("Trident::entriesTo", ranks);
  const auto destination = runs.destination;
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::countRuns", Range<Device>(0, count), KOKKOS_LAMBDA(long long r) {
        Kokkos::atomic_add(&runsTo(destination(r)), 1ll);
        Kokkos::atomic_add(&entriesTo(destination(r)), static_cast<long long>(header(r).length));
      });
  PackedRuns<Device> packed{runs, toHost<Device>(runsTo), toHost<Device>(entriesTo),
                            runsInOrder(runs)};
  if (packed.inOrder) return packed;

  const auto next = uninitialized<long long, Device>("Trident::nextRun", ranks + 1);
  Kokkos::deep_copy(Kokkos::subview(next, std::make_pair(0, ranks)), runsTo);
  countsToOffsets<long long, Device>(next);
  const auto toHeader = uninitialized<RunHeader, Device>("Trident::runHeaders", count);
  const auto toSource = uninitialized<std::size_t, Device>("Trident::runSources", count);
  Kokkos::parallel_for(
      "Trident::orderRuns", Range<Device>(0, count), KOKKOS_LAMBDA(long long r) {
        const long long slot = Kokkos::atomic_fetch_add(&next(destination(r)), 1ll);
        toHeader(slot) = header(r);
        toSource(slot) = source(r);
      });
  packed.runs = {{}, toHeader, toSource};
  return packed;
}

/// Offset of each run's first entry when runs lie one behind the other; runs + 1 values.
template <class Device>
Kokkos::View<std::size_t*, Device> runBegins(const Kokkos::View<RunHeader*, Device>& header) {
  const long long count = header.extent(0);
  const auto begin = uninitialized<std::size_t, Device>("Trident::runBegins", count + 1);
  Kokkos::parallel_for(
      "Trident::runLengths", Range<Device>(0, count),
      KOKKOS_LAMBDA(long long r) { begin(r) = header(r).length; });
  countsToOffsets<std::size_t, Device>(begin);
  return begin;
}

template <class T, class Device>
Kokkos::View<T*, Device> packEntries(const PackedRuns<Device>& packed,
                                     const Kokkos::View<std::size_t*, Device>& begin,
                                     const Kokkos::View<const T*, Device>& entries) {
  std::size_t total = 0;
  for (long long n : packed.entriesTo) total += n;
  const auto to = uninitialized<T, Device>("Trident::packed", total);
  const auto header = packed.runs.header;
  const auto source = packed.runs.source;
  Kokkos::parallel_for(
      "Trident::packEntries", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        for (int e = 0; e < header(r).length; ++e) to(begin(r) + e) = entries(source(r) + e);
      });
  return to;
}

}  // namespace Impl

/// Entries that runs bring to each of `rows` rows; rows + 1 numbers, the last one zero. Local.
template <class Device>
Kokkos::View<std::size_t*, Device> entriesOfRows(const Kokkos::View<RunHeader*, Device>& header,
                                                 int rows) {
  const Kokkos::View<std::size_t*, Device> counts("Trident::offsets", rows + 1);
  Kokkos::parallel_for(
      "Trident::entriesOfRows", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        Kokkos::atomic_add(&counts(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return counts;
}

/// Sends runs of entries to their rows. Collective over the grid. Where a rank's runs already lie
/// in the order of their destinations, its entries are sent as they lie; where it sends to itself
/// alone, they are not even copied.
/// @param columns, values entries as the destination wants them
template <class Scalar, class Device>
ReceivedRuns<Scalar, Device> exchangeRuns(const ProcessGrid& grid, const Runs<Device>& runs,
                                          const Kokkos::View<int*, Device>& columns,
                                          const Kokkos::View<Scalar*, Device>& values,
                                          std::size_t messageBytes, Traffic& traffic) {
  Impl::PackedRuns<Device> packed = Impl::orderRuns(runs, grid.shape().ranks());
  const AllToAll runPlan(grid, packed.runsTo, messageBytes);
  const AllToAll entryPlan(grid, packed.entriesTo, messageBytes);
  ReceivedRuns<Scalar, Device> received;
  received.runOffsets = runPlan.receiveOffsets();
  received.header = Impl::exchangePayload(runPlan, packed.runs.header, traffic);
  received.begin = Impl::runBegins<Device>(received.header);
  if (packed.inOrder) {
    received.columns = Impl::exchangePayload(entryPlan, columns, traffic);
    received.values = Impl::exchangePayload(entryPlan, values, traffic);
  } else {
    const auto begin = Impl::runBegins<Device>(packed.runs.header);
    received.columns = Impl::exchangePayload(
        entryPlan,
        Impl::packEntries<int, Device>(packed, begin, Kokkos::View<const int*, Device>(columns)),
        traffic);
    received.values =
        Impl::exchangePayload(entryPlan,
                              Impl::packEntries<Scalar, Device>(
                                  packed, begin, Kokkos::View<const Scalar*, Device>(values)),
                              traffic);
  }
  return received;
}

}  // namespace Trident

#endif
