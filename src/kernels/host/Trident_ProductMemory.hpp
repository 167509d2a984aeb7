// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTMEMORY_HPP
#define TRIDENT_PRODUCTMEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_ProductBlocks.hpp"
#include "kernels/host/Trident_RowFormer.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

// Memory of products on a host: arrays that grow with the rows, kept from product to product.

namespace Trident::Impl {

/// Rows that are written one after the other into arrays with room for the expected entries. Unused
/// room takes no memory, because the system gives a page only when it is touched.
template <class Scalar, class Device>
struct GrowableCsr {
  static constexpr std::size_t entryBytes = sizeof(int) + sizeof(Scalar);

  long long next = 0;    ///< the first row that is not written
  std::size_t used = 0;  ///< number of entries written
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;
  std::size_t mostBytes = 0;  ///< largest number of bytes so far, old and new arrays together

  std::size_t bytes() const { return columns.extent(0) * entryBytes; }
  std::size_t room() const { return columns.extent(0) - used; }

  /// Makes room for `entries` entries in all. Written entries stay.
  void reserve(std::size_t entries) {
    const auto widerColumns = uninitialized<int, Device>("Trident::columns", entries);
    const auto widerValues = uninitialized<Scalar, Device>("Trident::values", entries);
    mostBytes = std::max(mostBytes, bytes() + entries * entryBytes);
    std::copy_n(columns.data(), used, widerColumns.data());
    std::copy_n(values.data(), used, widerValues.data());
    columns = widerColumns;
    values = widerValues;
  }

  /// Forgets the written rows. Makes room for `entries` entries if the arrays are shorter.
  void startAnew(std::size_t entries) {
    next = 0;
    used = 0;
    if (columns.extent(0) >= entries) return;
    columns = {};  // freed first, because old and new arrays may not both fit
    values = {};
    reserve(entries);
  }

  /// Returns the written rows in these arrays, without a copy.
  CrsArrays<Scalar, Device> arrays(const Kokkos::View<const std::size_t*, Device>& offsets) const {
    const std::pair<std::size_t, std::size_t> all(0, used);
    return {offsets, Kokkos::subview(columns, all), Kokkos::subview(values, all)};
  }
  /// Returns the written rows in arrays that are hardly longer than needed.
  CrsArrays<Scalar, Device> shortened(const Kokkos::View<const std::size_t*, Device>& offsets) {
    if (columns.extent(0) > used + used / 4 + 64) reserve(used);
    return arrays(offsets);
  }
};

/// Memory that a rank's products with the same B share, for example the pieces of one product.
/// Workspaces are as wide as B. Also keeps a ratio of entries to multiply-adds. With one thread,
/// also keeps the result's arrays, which the next product overwrites. Empty on devices.
template <class Scalar, class Device, class Semiring = PlusTimes<Scalar>,
          bool host = isHost<Device>>
struct ProductMemory {};

template <class Scalar, class Device, class Semiring>
struct ProductMemory<Scalar, Device, Semiring, true> {
  using Formers = HostWorkspaces<RowFormer<Scalar, Semiring>, Device>;

  std::optional<Formers> formers;
  AlikeRowsOfB<Device> blocksOfB;
  std::optional<HostWorkspaces<BlockSums<Scalar>, Device>> blockSums;
  int blockRows = 0;  ///< number of rows of the largest block that fits into blockSums
  GrowableCsr<Scalar, Device> rows;
  double entriesPerMultiplyAdd = 0;  ///< ratio in an earlier product; 0: unknown

  /// Returns workspaces for B, which must be the same B in each call. The first call takes memory.
  const Formers& formersFor(const LocalMatrix<Scalar, Device>& B) {
    if (!formers) formers.emplace(B.numCols(), haveConsecutiveColumns(HostCsr<Scalar>(B)));
    return *formers;
  }
  /// Returns sums for blocks of up to `most` rows. Takes memory if no earlier `most` was as large.
  const HostWorkspaces<BlockSums<Scalar>, Device>& blockSumsFor(int columns, int most) {
    if (most > blockRows) {
      blockRows = 0;  // stays 0 if emplace() throws
      blockSums.emplace(columns, most);
      blockRows = most;
    }
    return *blockSums;
  }
};

}  // namespace Trident::Impl

#endif
