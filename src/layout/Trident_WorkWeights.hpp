// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WORKWEIGHTS_HPP
#define TRIDENT_WORKWEIGHTS_HPP

#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "layout/Trident_RemoteValues.hpp"
#include "layout/Trident_SpaceCuts.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"

namespace Trident::Impl {

/// An exchange of rows' weights with the ranks that own the rows.
template <class Device>
using RemoteWeights = RemoteValues<Device, sizeof(long long)>;

struct AddWeight {
  KOKKOS_INLINE_FUNCTION void operator()(long long& sum, long long more) const {
    addShared(&sum, more);
  }
};

/// Returns, for each row, the sum of this rank's weights, in the order of rows.indices(). Local.
template <class Device>
Kokkos::View<long long*, Device> weightsByIndex(const IndexWeights<Device>& weights,
                                                const RemoteWeights<Device>& rows) {
  const auto sums = zeroScratch<long long, Device>("Trident::rowWeights", rows.size());
  const auto indices = rows.indices();
  const auto numbers = weights.numbers;
  const auto weightOf = weights.weights;
  Kokkos::parallel_for(
      "Trident::weightsByIndex", Range<Device>(0, numbers.size()),
      TRIDENT_LAMBDA(long long l) { addShared(&sums(indices(numbers(l))), weightOf(l)); });
  Kokkos::fence();
  return sums;
}

/// Returns the weights of this rank's own rows, in the order of their numbers. A row's weight is
/// the sum over all ranks that have parts of the row. Collective over `ranks`.
template <class Device>
Kokkos::View<long long*, Device> sumsOfParts(const GridRanks& ranks, const Numbering& rows,
                                             const IndexWeights<Device>& weights,
                                             std::size_t messageBytes, Traffic& traffic,
                                             LocalFailure& failure) {
  std::vector<Position> remotes;
  failure.guard([&] { remotes = remotesAmong(weights.numbers, rows); });
  RemoteWeights<Device> owners(ranks, rows, remotes, messageBytes, failure);
  Kokkos::View<long long*, Device> sums;
  failure.guard([&] { sums = weightsByIndex(weights, owners); });
  owners.tell(sums, AddWeight(), failure);
  traffic += owners.traffic();
  return sums;
}

/// Returns, for each row of a factor, the summed weights of the rows that its entries meet. Local.
/// @param met weights of the met rows, in the order of `indices`
template <class Scalar, class Device>
IndexWeights<Device> sumMetWeights(const NumberedMatrix<Scalar, Device>& left,
                                   const Kokkos::View<long long*, Device>& met,
                                   const ValueIndices<Device>& indices) {
  const auto numbers = left.columnNumbers;
  const auto ofColumn = scratch<long long, Device>("Trident::metWeights", numbers.size());
  Kokkos::parallel_for(
      "Trident::metWeights", Range<Device>(0, numbers.size()),
      TRIDENT_LAMBDA(long long c) { ofColumn(c) = met(indices(numbers(c))); });
  const auto work = sumsOfRows(left.matrix, ofColumn);
  Kokkos::fence();
  const auto rows = std::make_pair(0ll, static_cast<long long>(left.matrix.numRows()));
  return {left.rowNumbers, Kokkos::subview(work, rows)};
}

/// Returns the weights of a left factor's local rows. A row's weight is the sum of the weights of
/// the right factor's rows that the row meets. If those weights are numbers of entries, the sums
/// are exact numbers of multiply-adds. Collective over `ranks`.
/// @param inner numbering of the right factor's rows
/// @param own weights of this rank's own rows of the right factor, in the order of their numbers
template <class Scalar, class Device>
IndexWeights<Device> workWeights(const GridRanks& ranks, const Numbering& inner,
                                 const NumberedMatrix<Scalar, Device>& left,
                                 const Kokkos::View<long long*, Device>& own,
                                 std::size_t messageBytes, Traffic& traffic,
                                 LocalFailure& failure) {
  std::vector<Position> remotes;
  failure.guard([&] { remotes = remotesAmong(left.columnNumbers, inner); });
  RemoteWeights<Device> rows(ranks, inner, remotes, messageBytes, failure);
  Kokkos::View<long long*, Device> met;
  failure.guard([&] {
    met = scratch<long long, Device>("Trident::metRows", rows.size());
    const auto ofOwn = std::make_pair(0ll, rows.own());
    Kokkos::deep_copy(Kokkos::subview(met, ofOwn), Kokkos::subview(own, ofOwn));
    Kokkos::fence();
  });
  rows.ask(met, failure);
  traffic += rows.traffic();
  IndexWeights<Device> work;
  failure.guard([&] { work = sumMetWeights(left, met, rows.indices()); });
  return work;
}

}  // namespace Trident::Impl

#endif
