// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNEXCHANGE_HPP
#define TRIDENT_RUNEXCHANGE_HPP

#include <memory>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_AllToAll.hpp"
#include "Trident_FetchAdd.hpp"
#include "Trident_GridTransport.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_RowEntries.hpp"

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

/// Runs that have arrived, by source rank and there in the order in which they were packed. For
/// kernels.
template <class Scalar, class Device>
struct ReceivedRuns {
  Kokkos::View<RunHeader*, Device> header;
  Kokkos::View<std::size_t*, Device> begin;  ///< offset of each run's first entry; runs + 1
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  long long count() const { return static_cast<long long>(header.extent(0)); }
};

namespace Impl {

/// Where a payload arrives that is sent as it lies: in itself, where it is all this rank's own.
template <class T, class Device>
Kokkos::View<T*, Device> landing(const AllToAll& plan, const Kokkos::View<T*, Device>& send) {
  return plan.onlySelf() ? send : uninitialized<T, Device>("Trident::received", plan.receives());
}

template <class T, class Device>
void exchangePayload(const AllToAll& plan, const Kokkos::View<T*, Device>& send,
                     const Kokkos::View<T*, Device>& receive, PeerTransfers& peers,
                     Traffic& traffic) {
  if (plan.onlySelf()) return;
  Kokkos::fence();
  plan.exchange(send.data(), receive.data(), sizeof(T), peers, traffic);
}

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
      KOKKOS_LAMBDA(long long r, long long& sum) {
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
  static constexpr int perRank = isHost<Device> ? 1 : 256;
  Kokkos::View<int*, Device> destination;

  KOKKOS_INLINE_FUNCTION long long operator()(long long r) const {
    const long long runs = destination.extent(0);
    return static_cast<long long>(destination(r)) * perRank + r * perRank / runs;
  }
};

/// Sums over each rank's bins, on the host.
template <class Device>
std::vector<long long> sumByRank(const Kokkos::View<long long*, Device>& bins) {
  const std::vector<long long> counts = toHost<long long, Device>(bins);
  std::vector<long long> sums(counts.size() / RunBins<Device>::perRank, 0);
  for (std::size_t b = 0; b < counts.size(); ++b) sums[b / RunBins<Device>::perRank] += counts[b];
  return sums;
}

template <class Device>
PackedRuns<Device> orderRuns(const Runs<Device>& runs, int ranks) {
  const long long count = runs.destination.extent(0);
  const RunBins<Device> bin{runs.destination};
  const int bins = ranks * bin.perRank;
  // One more, as countsToOffsets() wants it.
  const Kokkos::View<long long*, Device> runsIn("Trident::runsTo", bins + 1);
  const Kokkos::View<long long*, Device> entriesIn("Trident::entriesTo", bins);
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::countRuns", Range<Device>(0, count), KOKKOS_LAMBDA(long long r) {
        fetchAdd(&runsIn(bin(r)), 1ll);
        fetchAdd(&entriesIn(bin(r)), static_cast<long long>(header(r).length));
      });
  PackedRuns<Device> packed{runs,
                            sumByRank<Device>(Kokkos::subview(runsIn, std::make_pair(0, bins))),
                            sumByRank<Device>(entriesIn), runsInOrder(runs)};
  if (packed.inOrder) return packed;

  countsToOffsets<long long, Device>(runsIn);
  const auto next = runsIn;
  const auto toHeader = uninitialized<RunHeader, Device>("Trident::runHeaders", count);
  const auto toSource = uninitialized<std::size_t, Device>("Trident::runSources", count);
  Kokkos::parallel_for(
      "Trident::orderRuns", Range<Device>(0, count), KOKKOS_LAMBDA(long long r) {
        const long long slot = fetchAdd(&next(bin(r)), 1ll);
        toHeader(slot) = header(r);
        toSource(slot) = source(r);
      });
  packed.runs = {{}, toHeader, toSource};
  return packed;
}

/// Offset of each run's first entry when runs lie one behind the other; runs + 1 values.
template <class Device>
void setRunBegins(const Kokkos::View<RunHeader*, Device>& header,
                  const Kokkos::View<std::size_t*, Device>& begin) {
  Kokkos::parallel_for(
      "Trident::runLengths", Range<Device>(0, header.extent(0)),
      KOKKOS_LAMBDA(long long r) { begin(r) = header(r).length; });
  countsToOffsets<std::size_t, Device>(begin);
}

template <class Device>
Kokkos::View<std::size_t*, Device> runBegins(const Kokkos::View<RunHeader*, Device>& header) {
  const auto begin = uninitialized<std::size_t, Device>("Trident::runBegins", header.extent(0) + 1);
  setRunBegins<Device>(header, begin);
  return begin;
}

template <class T, class Device>
void packEntries(const Runs<Device>& runs, const Kokkos::View<std::size_t*, Device>& begin,
                 const Kokkos::View<T*, Device>& entries, const Kokkos::View<T*, Device>& to) {
  const auto source = runs.source;
  forRowEntries<Device>(
      "Trident::packEntries", runs.header.extent(0), to.extent(0), begin,
      KOKKOS_LAMBDA(long long r, std::size_t e) { to(e) = entries(source(r) + (e - begin(r))); });
}

}  // namespace Impl

/// Entries that runs bring to each of `rows` rows; rows + 1 numbers, the last one zero. Local.
template <class Device>
Kokkos::View<std::size_t*, Device> entriesOfRows(const Kokkos::View<RunHeader*, Device>& header,
                                                 int rows) {
  const Kokkos::View<std::size_t*, Device> counts("Trident::offsets", rows + 1);
  Kokkos::parallel_for(
      "Trident::entriesOfRows", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        fetchAdd(&counts(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return counts;
}

/// Where each run's entries go when rows are set together from runs: behind those of the row's
/// other runs, in any order. Local.
/// @param offsets of the rows; rows + 1
template <class Device>
Kokkos::View<std::size_t*, Device> placesOfRuns(const Kokkos::View<RunHeader*, Device>& header,
                                                const Kokkos::View<std::size_t*, Device>& offsets) {
  const auto cursor = uninitialized<std::size_t, Device>("Trident::cursor", offsets.extent(0));
  Kokkos::deep_copy(cursor, offsets);
  const auto places = uninitialized<std::size_t, Device>("Trident::placesOfRuns", header.extent(0));
  Kokkos::parallel_for(
      "Trident::placesOfRuns", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        places(r) = fetchAdd(&cursor(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return places;
}

/// The way of runs of entries to their rows: found once, then taken by any number of payloads with
/// one element for each entry. Where a rank's runs already lie in the order of their destinations,
/// its entries are sent as they lie; where it sends to itself alone, they are not even copied.
///
/// Making one and each move() are collective over the grid. They take all memory before anything is
/// sent; where a rank does not get it, they throw Trident::Error on every rank.
template <class Device>
class RunExchange {
 public:
  /// @param transport outlives this
  /// @param failure what this rank failed in before; then its runs do not matter
  RunExchange(GridTransport& transport, const Runs<Device>& runs, const MessageOptions& options,
              Traffic& traffic, LocalFailure failure = {})
      : transport_(transport),
        options_(options),
        packed_(ordered(runs, transport.grid().shape().ranks(), failure)),
        entries_(transport.grid(), packed_.entriesTo, options.messageBytes) {
    const AllToAll plan(transport.grid(), packed_.runsTo, options.messageBytes);
    failure.guard([&] {
      header_ = Impl::landing(plan, packed_.runs.header);
      begin_ = uninitialized<std::size_t, Device>("Trident::runBegins", plan.receives() + 1);
      if (!packed_.inOrder) packedBegin_ = Impl::runBegins<Device>(packed_.runs.header);
    });
    throwEverywhere(transport.grid().comm(), "Trident::Multiply", failure.text());
    offsets_ = plan.receiveOffsets();
    exchange(plan, packed_.runs.header, header_, traffic);
    Impl::setRunBegins<Device>(header_, begin_);
  }

  /// The runs that arrive: by source rank, and there in the order in which they were packed.
  const Kokkos::View<RunHeader*, Device>& header() const { return header_; }
  /// Offset of each run's first entry; runs + 1.
  const Kokkos::View<std::size_t*, Device>& begin() const { return begin_; }
  /// Runs of each grid rank: ranks + 1.
  const std::vector<long long>& offsets() const { return offsets_; }

  /// Brings the elements of the runs' entries.
  /// @param entries as the runs' sources count them
  template <class T>
  Kokkos::View<T*, Device> move(const Kokkos::View<T*, Device>& entries, Traffic& traffic) const {
    Kokkos::View<T*, Device> send = entries, receive;
    runEverywhere(transport_.grid().comm(), "Trident::Multiply", [&] {
      receive = packed_.inOrder
                    ? Impl::landing(entries_, entries)
                    : uninitialized<T, Device>("Trident::received", entries_.receives());
      if (packed_.inOrder) return;
      send = entries_.onlySelf() ? receive
                                 : uninitialized<T, Device>("Trident::packed", entries_.sends());
      Impl::packEntries<T, Device>(packed_.runs, packedBegin_, entries, send);
    });
    exchange(entries_, send, receive, traffic);
    return receive;
  }

 private:
  static Impl::PackedRuns<Device> ordered(const Runs<Device>& runs, int ranks,
                                          LocalFailure& failure) {
    Impl::PackedRuns<Device> packed;
    failure.guard([&] { packed = Impl::orderRuns(runs, ranks); });
    packed.runsTo.resize(ranks, 0);
    packed.entriesTo.resize(ranks, 0);
    return packed;
  }
  /// What fails here may have left transfers half done, so those are not used again.
  template <class T>
  void exchange(const AllToAll& plan, const Kokkos::View<T*, Device>& send,
                const Kokkos::View<T*, Device>& receive, Traffic& traffic) const {
    constexpr MemoryKind memory = isHost<Device> ? MemoryKind::Host : MemoryKind::Device;
    const auto peers = transport_.peerTransfers(memory, options_);
    LocalFailure failure;
    failure.guard([&] { Impl::exchangePayload(plan, send, receive, *peers, traffic); });
    try {
      throwEverywhere(transport_.grid().comm(), "Trident::Multiply", failure.text());
    } catch (const Error&) {
      transport_.endTransfers(memory, options_);
      throw;
    }
  }

  GridTransport& transport_;
  MessageOptions options_;
  Impl::PackedRuns<Device> packed_;
  AllToAll entries_;
  Kokkos::View<std::size_t*, Device> packedBegin_;  // of the runs that go out, packed
  Kokkos::View<RunHeader*, Device> header_;
  Kokkos::View<std::size_t*, Device> begin_;
  std::vector<long long> offsets_;
};

}  // namespace Trident

#endif
