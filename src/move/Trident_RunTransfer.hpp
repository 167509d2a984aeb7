// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNTRANSFER_HPP
#define TRIDENT_RUNTRANSFER_HPP

#include <memory>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "move/Trident_Runs.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// Returns the array in which a payload arrives: `send` itself, if this rank sends only to itself.
template <class T, class Device>
Kokkos::View<T*, Device> arrivalOf(const AllToAll& plan, const Kokkos::View<T*, Device>& send) {
  return plan.onlySelf() ? send : scratch<T, Device>("Trident::received", plan.receives());
}

template <class T, class Device>
void transferPayload(const AllToAll& plan, const Kokkos::View<T*, Device>& send,
                     const Kokkos::View<T*, Device>& receive, PeerTransfers& peers,
                     Traffic& traffic) {
  if (plan.onlySelf()) return;
  Kokkos::fence();
  plan.exchange(send.data(), receive.data(), sizeof(T), peers, traffic);
}

/// A packed payload to be sent, and room for the payload that arrives.
template <class T, class Device>
struct PackedPayload {
  Kokkos::View<T*, Device> send, receive;
};

/// A transfer of runs of entries to the ranks that own the runs' rows. A transfer is planned once,
/// and moves any number of payloads. A payload is an array with one element for each entry. If a
/// rank's runs lie in the order of their destinations, the rank packs no entries. If such a rank
/// sends to itself alone, it does not even copy entries.
///
/// Calls must come in this order: constructor, pack(), agree(), receiveRuns(), move(). The first
/// two take all memory, so one agreement is enough. All but pack() are collective over the grid.
template <class Device>
class RunTransfer {
 public:
  /// @param exchanges must outlive this object
  RunTransfer(GridExchanges& exchanges, const Runs<Device>& runs, const MessageOptions& options,
              LocalFailure& failure)
      : exchanges_(exchanges),
        options_(options),
        packed_(ordered(runs, exchanges.grid().shape().ranks(), failure)),
        plans_(AllToAll::pair(exchanges.grid(), packed_.runsTo, packed_.entriesTo,
                              options.messageBytes)) {
    failure.guard([&] {
      header_ = arrivalOf(runsPlan(), packed_.runs.header);
      begin_ = scratch<std::size_t, Device>("Trident::runBegins", runsPlan().receives() + 1);
      if (!packed_.inOrder) packedBegin_ = runBegins<Device>(packed_.runs.header);
    });
  }

  /// Moves the headers of the runs. Called once, after agree().
  void receiveRuns(Traffic& traffic, LocalFailure& failure) {
    transfer(runsPlan(), packed_.runs.header, header_, traffic, failure);
    failure.guard([&] { setRunBegins<Device>(header_, begin_); });
  }

  /// Returns the headers of the runs that arrive, in the order of ReceivedRuns.
  const Kokkos::View<RunHeader*, Device>& header() const { return header_; }
  /// Returns the offset of each arriving run's first entry, and then the end of the last run.
  const Kokkos::View<std::size_t*, Device>& begin() const { return begin_; }
  /// Returns the index of the first run from each grid rank, and then the number of all runs.
  const std::vector<long long>& offsets() const { return runsPlan().receiveOffsets(); }

  /// Packs the elements of the runs' entries, and makes room for those that arrive. Local.
  /// @param entries array of elements; Runs::source has offsets in this array
  template <class T>
  PackedPayload<T, Device> pack(const Kokkos::View<T*, Device>& entries,
                                LocalFailure& failure) const {
    PackedPayload<T, Device> payload{entries, {}};
    failure.guard([&] {
      if (packed_.inOrder) {
        payload = packed(entries);
        return;
      }
      payload.receive = scratch<T, Device>("Trident::received", entriesPlan().receives());
      payload.send = entriesPlan().onlySelf()
                         ? payload.receive
                         : scratch<T, Device>("Trident::packed", entriesPlan().sends());
      packEntries<T, Device>(packed_.runs, packedBegin_, entries, payload.send);
      Kokkos::fence();
    });
    return payload;
  }

  /// Returns a payload of elements that are packed already, with room for those that arrive. Local.
  template <class T>
  PackedPayload<T, Device> packed(const Kokkos::View<T*, Device>& send) const {
    return {send, arrivalOf(entriesPlan(), send)};
  }

  /// Moves a packed payload. Returns the elements that have arrived. Called after agree().
  template <class T>
  Kokkos::View<T*, Device> move(const PackedPayload<T, Device>& payload, Traffic& traffic,
                                LocalFailure& failure) const {
    transfer(entriesPlan(), payload.send, payload.receive, traffic, failure);
    return payload.receive;
  }

  void countArrays(ArrayBytes& bytes) const {
    bytes.add(packed_.runs.destination);
    bytes.add(packed_.runs.header);
    bytes.add(packed_.runs.source);
    bytes.add(packedBegin_);
    bytes.add(header_);
    bytes.add(begin_);
  }

  /// Throws Trident::Error on every rank if one has failed.
  void agree(const LocalFailure& failure) const {
    throwEverywhere(exchanges_.grid().comm(), failure.text());
  }

 private:
  static PackedRuns<Device> ordered(const Runs<Device>& runs, int ranks, LocalFailure& failure) {
    PackedRuns<Device> packed;
    failure.guard([&] { packed = orderRuns(runs, ranks); });
    packed.runsTo.resize(ranks, 0);
    packed.entriesTo.resize(ranks, 0);
    return packed;
  }
  const AllToAll& runsPlan() const { return plans_.first; }
  const AllToAll& entriesPlan() const { return plans_.second; }
  /// Sends and receives a payload. A rank that has failed since agree() takes part, because other
  /// ranks wait for it. On devices, ranks agree at the end. If a rank has failed, the grid forgets
  /// its PeerTransfers, which may be half done. Hosts keep no PeerTransfers, so ranks agree later.
  template <class T>
  void transfer(const AllToAll& plan, const Kokkos::View<T*, Device>& send,
                const Kokkos::View<T*, Device>& receive, Traffic& traffic,
                LocalFailure& failure) const {
    constexpr MemoryKind memory = isHost<Device> ? MemoryKind::Host : MemoryKind::Device;
    const auto peers = exchanges_.peerTransfers(memory, options_);
    failure.attempt([&] { transferPayload(plan, send, receive, *peers, traffic); });
    if (isHost<Device>) return;
    try {
      agree(failure);
    } catch (const Error&) {
      exchanges_.endTransfers(memory, options_);
      throw;
    }
  }

  GridExchanges& exchanges_;
  MessageOptions options_;
  PackedRuns<Device> packed_;
  std::pair<AllToAll, AllToAll> plans_;  // plans of runs and of their entries
  // Start of each outgoing run among packed entries.
  Kokkos::View<std::size_t*, Device> packedBegin_;
  Kokkos::View<RunHeader*, Device> header_;
  Kokkos::View<std::size_t*, Device> begin_;
};

}  // namespace Trident::Impl

#endif
