// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNEXCHANGE_HPP
#define TRIDENT_RUNEXCHANGE_HPP

#include <memory>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_AllToAll.hpp"
#include "Trident_GridTransport.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_PackRuns.hpp"
#include "Trident_Runs.hpp"

namespace Trident::Impl {

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
      header_ = landing(plan, packed_.runs.header);
      begin_ = uninitialized<std::size_t, Device>("Trident::runBegins", plan.receives() + 1);
      if (!packed_.inOrder) packedBegin_ = runBegins<Device>(packed_.runs.header);
    });
    throwEverywhere(transport.grid().comm(), failure.text());
    offsets_ = plan.receiveOffsets();
    exchange(plan, packed_.runs.header, header_, traffic);
    setRunBegins<Device>(header_, begin_);
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
    runEverywhere(transport_.grid().comm(), [&] {
      receive = packed_.inOrder
                    ? landing(entries_, entries)
                    : uninitialized<T, Device>("Trident::received", entries_.receives());
      if (packed_.inOrder) return;
      send = entries_.onlySelf() ? receive
                                 : uninitialized<T, Device>("Trident::packed", entries_.sends());
      packEntries<T, Device>(packed_.runs, packedBegin_, entries, send);
    });
    exchange(entries_, send, receive, traffic);
    return receive;
  }

 private:
  static PackedRuns<Device> ordered(const Runs<Device>& runs, int ranks, LocalFailure& failure) {
    PackedRuns<Device> packed;
    failure.guard([&] { packed = orderRuns(runs, ranks); });
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
    failure.guard([&] { exchangePayload(plan, send, receive, *peers, traffic); });
    try {
      throwEverywhere(transport_.grid().comm(), failure.text());
    } catch (const Error&) {
      transport_.endTransfers(memory, options_);
      throw;
    }
  }

  GridTransport& transport_;
  MessageOptions options_;
  PackedRuns<Device> packed_;
  AllToAll entries_;
  Kokkos::View<std::size_t*, Device> packedBegin_;  // of the runs that go out, packed
  Kokkos::View<RunHeader*, Device> header_;
  Kokkos::View<std::size_t*, Device> begin_;
  std::vector<long long> offsets_;
};

}  // namespace Trident::Impl

#endif
