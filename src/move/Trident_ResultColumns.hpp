// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RESULTCOLUMNS_HPP
#define TRIDENT_RESULTCOLUMNS_HPP

#include <vector>

#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_Numbering.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_Interval.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_SortNumbers.hpp"

namespace Trident::Impl {

/// The columns of a result on a rank that owns rows of it, and their local indices. Entries come
/// with positions. Where columns are permuted, a column's number is computed once, not with each of
/// its entries: then the index is of positions, and a table says which local index each has.
template <class Device>
class ResultColumns {
 public:
  /// @param space of the result on the grid, by which its entries come
  ResultColumns(const IndexSpace& space, const Numbering& numbering, long long entries)
      : permutation_(space.permutation()),
        ownedBegin_(numbering.begin()),
        ownedEnd_(numbering.end()),
        index_(numbering.size(), permutation_.isIdentity() ? ownedBegin_ : 0,
               permutation_.isIdentity() ? ownedEnd_ : 0, entries) {}

  /// Of the columns by position.
  ColumnIndex<Device>& index() { return index_; }
  const ColumnIndex<Device>& index() const { return index_; }

  /// The numbers, ascending, of the columns that this rank does not own.
  /// @param touched what index() has found
  std::vector<Position> listRemotes(const Kokkos::View<Position*, Device>& touched) {
    if (permutation_.isIdentity()) return toHost<Position, Device>(touched);
    numbers_ = uninitialized<Position, Device>("Trident::columnNumbers", touched.extent(0));
    findRemotes(touched);
    return toHost<Position, Device>(remotes_);
  }

  /// Sets the places, behind the owned columns, of those that were listed.
  /// @param order empty where they keep theirs
  void setOrder(const std::vector<int>& order) {
    const auto places = toDevice<int, Device>(order);
    if (permutation_.isIdentity())
      index_.setOrder(places);
    else
      index_.setOrder(localIndices(places));
  }

  // Not private, as CUDA wants it of what has kernels.

  /// Computes the columns' numbers, and which of them are remote.
  void findRemotes(const Kokkos::View<Position*, Device>& touched) {
    const Permutation permutation = permutation_;
    const Position ownedBegin = ownedBegin_, ownedEnd = ownedEnd_;
    const auto numbers = numbers_;
    const auto before =
        uninitialized<long long, Device>("Trident::remotesBefore", touched.extent(0) + 1);
    Kokkos::parallel_for(
        "Trident::columnNumbers", Range<Device>(0, touched.extent(0)), TRIDENT_LAMBDA(long long c) {
          numbers(c) = permutation.inverse(touched(c));
          before(c) = numbers(c) < ownedBegin || numbers(c) >= ownedEnd;
        });
    remotes_ = uninitialized<Position, Device>("Trident::remoteColumns",
                                               countsToOffsets<long long, Device>(before));
    const auto remotes = remotes_;
    Kokkos::parallel_for(
        "Trident::remoteColumns", Range<Device>(0, touched.extent(0)), TRIDENT_LAMBDA(long long c) {
          if (before(c + 1) > before(c)) remotes(before(c)) = numbers(c);
        });
    sortNumbers(remotes_);
  }
  Kokkos::View<int*, Device> localIndices(const Kokkos::View<int*, Device>& places) const {
    const auto local = uninitialized<int, Device>("Trident::localColumns", numbers_.extent(0));
    const Position ownedBegin = ownedBegin_, ownedEnd = ownedEnd_;
    const auto numbers = numbers_;
    const auto remotes = remotes_;
    Kokkos::parallel_for(
        "Trident::localColumns", Range<Device>(0, local.extent(0)), TRIDENT_LAMBDA(long long c) {
          if (numbers(c) >= ownedBegin && numbers(c) < ownedEnd) {
            local(c) = static_cast<int>(numbers(c) - ownedBegin);
            return;
          }
          const long long place = intervalOf(remotes, remotes.extent(0), numbers(c));
          local(c) = static_cast<int>(ownedEnd - ownedBegin) +
                     (places.extent(0) ? places(place) : static_cast<int>(place));
        });
    return local;
  }

 private:
  Permutation permutation_;
  Position ownedBegin_, ownedEnd_;
  ColumnIndex<Device> index_;
  Kokkos::View<Position*, Device> numbers_;  // of the columns that were found, by position
  Kokkos::View<Position*, Device> remotes_;  // those of them that this rank does not own, ascending
};

}  // namespace Trident::Impl

#endif
