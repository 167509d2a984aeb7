// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNS_HPP
#define TRIDENT_RUNS_HPP

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

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

template <class Device>
Runs<Device> uninitializedRuns(long long count) {
  return {uninitialized<int, Device>("Trident::runDestination", count),
          uninitialized<RunHeader, Device>("Trident::runHeader", count),
          uninitialized<std::size_t, Device>("Trident::runSource", count)};
}

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

/// Offset of each run's first entry when runs lie one behind the other; runs + 1 values.
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
  const auto begin = uninitialized<std::size_t, Device>("Trident::runBegins", header.extent(0) + 1);
  setRunBegins<Device>(header, begin);
  return begin;
}

/// Entries that runs bring to each of `rows` rows; rows + 1 numbers, the last one zero. Local.
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
      "Trident::placesOfRuns", Range<Device>(0, header.extent(0)), TRIDENT_LAMBDA(long long r) {
        places(r) = fetchAdd(&cursor(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  return places;
}

}  // namespace Trident::Impl

#endif
