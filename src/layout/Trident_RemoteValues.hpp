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

/// A functor that returns the place of a number's value among own and remote values. For kernels.
template <class Device>
struct ValueIndices {
  Position begin, end;                      ///< range of this rank's numbers
  Kokkos::View<Position*, Device> remotes;  ///< numbers that other ranks own, ascending

  /// Returns the index of a number's value. Own values come first, then the values of the remotes.
  KOKKOS_INLINE_FUNCTION long long operator()(Position number) const {
    if (number >= begin && number < end) return number - begin;
    return (end - begin) +
           static_cast<long long>(firstNotBelow(remotes, 0, remotes.extent(0), number));
  }
};

/// An exchange of values, such as weights of rows. Each number of a numbering has a value. A rank
/// asks the owners of its remote numbers for values, or tells the owners values. The constructor
/// finds the ranks with which this rank exchanges messages. The constructor, ask() and tell() are
/// collective over the grid's ranks. Failed ranks must call, too.
///
/// Messages pass through the host, because values are few: some for each row of a matrix, once a
/// product or a few times a clustering.
/// @tparam largestValue most bytes of one value. The constructor takes room for such values, so
///       that no later message lacks memory.
template <class Device, std::size_t largestValue = 48>
class RemoteValues {
 public:
  /// Throws Trident::Error on every rank if any rank has failed by now, or lacks room for messages.
  /// @param numbering must outlive this object
  /// @param remotes numbers that other ranks own, strictly ascending
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
  /// Returns the number of own and remote values together.
  long long size() const { return own() + static_cast<long long>(remotes_.size()); }
  ValueIndices<Device> indices() const { return {numbering_.begin(), numbering_.end(), numbers_}; }
  /// Returns the bytes and messages that this rank has received so far.
  const Traffic& traffic() const { return traffic_; }

  /// Asks the owners for the remote values. Writes these values behind the own values. Collective.
  template <class T>
  void ask(const Kokkos::View<T*, Device>& values, LocalFailure& failure) {
    const auto answers = hostArray<T>(ownersSide_, asked_.extent(0));
    const auto received = hostArray<T>(askersSide_, remotes_.size());
    failure.guard([&] { Kokkos::deep_copy(answers, answersOf(values)); });
    questions_.exchangeBack(answers.data(), received.data(), sizeof(T), traffic_);
    failure.guard([&] { Kokkos::deep_copy(behindOwn(values), received); });
  }

  /// Tells the owners the remote values, which lie behind the own values. Collective.
  /// @param combine functor that changes an owner's value by a told value. Must be atomic, because
  ///       kernels call combine(value, told) for several told values at a time, in any order
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

  // Public, because CUDA demands this of functions that contain device lambdas.

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
  /// Stores the remotes, or none on a failed rank. Returns the number of remotes of each owner.
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
  std::vector<char> ownersSide_, askersSide_;  // room for values in messages
};

/// Returns the numbers among `numbers` that other ranks own, strictly ascending. Local.
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
