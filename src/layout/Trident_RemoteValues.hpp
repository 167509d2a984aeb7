// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REMOTEVALUES_HPP
#define TRIDENT_REMOTEVALUES_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Traffic.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// The places of numbers' values: with this rank's own, or behind them. For kernels.
template <class Device>
struct ValueIndices {
  Position begin, end;                      ///< this rank's numbers
  Kokkos::View<Position*, Device> remotes;  ///< numbers of other ranks, ascending

  /// Returns 0, 1, ... for own numbers, and the indices behind these for remote ones.
  KOKKOS_INLINE_FUNCTION long long operator()(Position number) const {
    if (number >= begin && number < end) return number - begin;
    return (end - begin) +
           static_cast<long long>(firstNotBelow(remotes, 0, remotes.extent(0), number));
  }
};

/// Values of numbers that other ranks own: asked of their owners, or told to them. The questions
/// are found once. A rank talks only to ranks that own its remote numbers, or ask for its own. All
/// functions but indices() are collective over the grid's ranks; a failed rank takes part.
///
/// Values lie in arrays by ValueIndices. Messages pass through the host: there are few values, some
/// for each row of a matrix, and they travel a few times for a whole clustering, or once for a
/// product.
/// @tparam largestValue of one value, in bytes. Room is taken once, so that no later message lacks
///   any.
template <class Device, std::size_t largestValue = 48>
class RemoteValues {
 public:
  /// Throws on every rank if one has failed by now, so that nothing is sent for which a rank has no
  /// room.
  /// @param numbering outlives this
  /// @param remotes numbers that others own, ascending, none twice
  RemoteValues(const GridRanks& ranks, const Numbering& numbering,
               const std::vector<Position>& remotes, std::size_t messageBytes,
               LocalFailure& failure)
      : numbering_(numbering), questions_(ranks, countByOwner(remotes, failure), messageBytes) {
    std::vector<Position> asked;
    failure.guard([&] {
      asked.resize(questions_.receives());
      ownersSide_.resize(questions_.receives() * largestValue);
      askersSide_.resize(remotes_.size() * largestValue);
      numbers_ = toDevice<Position, Device>(remotes_);
      asked_ = scratch<Position, Device>("Trident::asked", asked.size());
    });
    throwEverywhere(ranks.comm(), failure.text());
    questions_.exchange(remotes_.data(), asked.data(), sizeof(Position), traffic_);
    failure.guard([&] {
      Kokkos::deep_copy(
          asked_, Kokkos::View<const Position*, Kokkos::HostSpace>(asked.data(), asked.size()));
    });
  }

  long long own() const { return numbering_.end() - numbering_.begin(); }
  /// Returns the number of values, own ones and those of others.
  long long size() const { return own() + static_cast<long long>(remotes_.size()); }
  ValueIndices<Device> indices() const { return {numbering_.begin(), numbering_.end(), numbers_}; }
  /// Returns the bytes and messages that this rank has received by now.
  const Traffic& traffic() const { return traffic_; }

  /// Fills the values behind the own ones with their owners' values.
  template <class T>
  void ask(const Kokkos::View<T*, Device>& values, LocalFailure& failure) {
    const auto answers = hostArray<T>(ownersSide_, asked_.extent(0));
    const auto received = hostArray<T>(askersSide_, remotes_.size());
    failure.guard([&] { Kokkos::deep_copy(answers, answersOf(values)); });
    questions_.exchangeBack(answers.data(), received.data(), sizeof(T), traffic_);
    failure.guard([&] { Kokkos::deep_copy(behindOwn(values), received); });
  }

  /// Tells the owners the values behind the own ones.
  /// @param combine(value of the owner, value told) adds one to the other, in kernels; in any
  ///   order, and several at once
  template <class T, class Combine>
  void tell(const Kokkos::View<T*, Device>& values, const Combine& combine, LocalFailure& failure) {
    const auto told = hostArray<T>(askersSide_, remotes_.size());
    const auto received = hostArray<T>(ownersSide_, asked_.extent(0));
    failure.guard([&] { Kokkos::deep_copy(told, behindOwn(values)); });
    questions_.exchange(told.data(), received.data(), sizeof(T), traffic_);
    failure.guard([&] {
      const auto onDevice = scratch<T, Device>("Trident::told", received.extent(0));
      Kokkos::deep_copy(onDevice, received);
      combineTold(values, onDevice, combine);
    });
  }

  // Public, as CUDA wants functions with kernels.

  template <class T>
  Kokkos::View<T*, Device> answersOf(const Kokkos::View<T*, Device>& values) const {
    const auto answers = scratch<T, Device>("Trident::answers", asked_.extent(0));
    const auto asked = asked_;
    const Position begin = numbering_.begin();
    Kokkos::parallel_for(
        "Trident::answers", Range<Device>(0, asked.extent(0)),
        TRIDENT_LAMBDA(long long q) { answers(q) = values(asked(q) - begin); });
    return answers;
  }
  template <class T, class Combine>
  void combineTold(const Kokkos::View<T*, Device>& values, const Kokkos::View<T*, Device>& received,
                   const Combine& combine) const {
    const auto asked = asked_;
    const Position begin = numbering_.begin();
    Kokkos::parallel_for(
        "Trident::combineTold", Range<Device>(0, asked.extent(0)),
        TRIDENT_LAMBDA(long long q) { combine(values(asked(q) - begin), received(q)); });
    Kokkos::fence();
  }

 private:
  /// Keeps the remotes, which ascend, as do their owners; none of a rank that has failed.
  std::vector<long long> countByOwner(const std::vector<Position>& remotes, LocalFailure& failure) {
    std::vector<long long> counts(numbering_.ranks(), 0);
    failure.guard([&] { remotes_ = remotes; });
    int owner = 0;
    for (const Position number : remotes_) {
      while (number >= numbering_.rankBegin[owner + 1]) ++owner;
      ++counts[owner];
    }
    return counts;
  }

  template <class T>
  static Kokkos::View<T*, Kokkos::HostSpace> hostArray(std::vector<char>& room, std::size_t size) {
    static_assert(sizeof(T) <= largestValue && alignof(T) <= alignof(std::max_align_t),
                  "there is room for it");
    return Kokkos::View<T*, Kokkos::HostSpace>(reinterpret_cast<T*>(room.data()), size);
  }
  template <class T>
  auto behindOwn(const Kokkos::View<T*, Device>& values) const {
    return Kokkos::subview(values, std::make_pair(own(), size()));
  }

  const Numbering& numbering_;
  std::vector<Position> remotes_;
  AllToAll questions_;
  Traffic traffic_;
  Kokkos::View<Position*, Device> numbers_;    // the remotes, on the device
  Kokkos::View<Position*, Device> asked_;      // numbers of this rank that others ask for
  std::vector<char> ownersSide_, askersSide_;  // values that travel
};

/// Returns the numbers among `numbers` that other ranks own, ascending, none twice. Local.
template <class Device>
std::vector<Position> remotesAmong(const IndexNumbers<Device>& numbers,
                                   const Numbering& numbering) {
  const Position begin = numbering.begin(), end = numbering.end();
  const long long count = numbers.size();
  const auto sorted = scratch<Position, Device>("Trident::numbers", count);
  Kokkos::parallel_for(
      "Trident::copyNumbers", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long l) { sorted(l) = numbers(l); });
  Kokkos::fence();
  sortNumbers<Device>(sorted);
  const auto before = scratch<long long, Device>("Trident::remotesBefore", count + 1);
  Kokkos::parallel_for(
      "Trident::markRemotes", Range<Device>(0, count), TRIDENT_LAMBDA(long long e) {
        const Position number = sorted(e);
        const bool remote = number < begin || number >= end;
        before(e) = remote && (e == 0 || sorted(e - 1) != number);
      });
  const auto remotes =
      scratch<Position, Device>("Trident::remotes", countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::listRemotes", Range<Device>(0, count), TRIDENT_LAMBDA(long long e) {
        if (before(e + 1) > before(e)) remotes(before(e)) = sorted(e);
      });
  return toHost<Position, Device>(remotes);
}

}  // namespace Trident::Impl

#endif
