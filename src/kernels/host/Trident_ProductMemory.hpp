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

/// Entries of rows that are written one behind the other, in arrays that have room for as many as
/// are expected. Unwritten parts take no memory: the system gives pages when they are touched.
template <class Scalar, class Device>
struct GrowableCsr {
  static constexpr std::size_t entryBytes = sizeof(int) + sizeof(Scalar);

  long long next = 0;    ///< the first row that is not written
  std::size_t used = 0;  ///< entries
  bool full = false;     ///< true if there is no room for the next row
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;
  std::size_t mostBytes = 0;  ///< most bytes of the arrays, also while they grew

  std::size_t bytes() const { return columns.extent(0) * entryBytes; }
  std::size_t room() const { return columns.extent(0) - used; }

  /// Makes room for `entries` in all; keeps those that are used.
  void reserve(std::size_t entries) {
    const auto widerColumns = uninitialized<int, Device>("Trident::columns", entries);
    const auto widerValues = uninitialized<Scalar, Device>("Trident::values", entries);
    mostBytes = std::max(mostBytes, bytes() + entries * entryBytes);
    std::copy_n(columns.data(), used, widerColumns.data());
    std::copy_n(values.data(), used, widerValues.data());
    columns = widerColumns;
    values = widerValues;
  }

  /// Forgets the rows written, and makes room for `entries`: in the arrays that are there, if they
  /// are long enough.
  void startAnew(std::size_t entries) {
    next = 0;
    used = 0;
    full = false;
    if (columns.extent(0) >= entries) return;
    columns = {};  // not beside the longer ones
    values = {};
    reserve(entries);
  }

  /// Returns the rows written, in these arrays.
  CrsArrays<Scalar, Device> arrays(const Kokkos::View<const std::size_t*, Device>& offsets) const {
    const std::pair<std::size_t, std::size_t> all(0, used);
    return {offsets, Kokkos::subview(columns, all), Kokkos::subview(values, all)};
  }
  /// Returns the rows written, in arrays that are little longer.
  CrsArrays<Scalar, Device> shortened(const Kokkos::View<const std::size_t*, Device>& offsets) {
    if (columns.extent(0) > used + used / 4 + 64) reserve(used);
    return arrays(offsets);
  }
};

/// Memory that products of one rank with one B keep from one to the next, such as the pieces of one
/// product. It has the workspaces, which are as wide as B. On one thread it also has the arrays,
/// which the next product overwrites, and how many entries came of a multiply-add. If there are no
/// hosts it is empty.
template <class Scalar, class Device, class Semiring = PlusTimes<Scalar>,
          bool host = isHost<Device>>
struct ProductMemory {};

template <class Scalar, class Device, class Semiring>
struct ProductMemory<Scalar, Device, Semiring, true> {
  using Formers = HostWorkspaces<RowFormer<Scalar, Semiring>, Device>;

  std::optional<Formers> formers;
  BlocksOfB<Device> blocksOfB;
  std::optional<HostWorkspaces<BlockSums<Scalar>, Device>> blockSums;
  int blockRows = 0;  ///< rows that blockSums have room for
  GrowableCsr<Scalar, Device> rows;
  double entriesPerMultiplyAdd = 0;  ///< ratio of the last product; 0: not known

  /// Returns workspaces for B, which must be one B at each call. The first call takes memory.
  const Formers& formersFor(const LocalMatrix<Scalar, Device>& B) {
    if (!formers) formers.emplace(B.numCols(), haveConsecutiveColumns(HostCsr<Scalar>(B)));
    return *formers;
  }
  /// Takes memory where a block has more rows than all before.
  const HostWorkspaces<BlockSums<Scalar>, Device>& blockSumsFor(int columns, int most) {
    if (most > blockRows) {
      blockRows = 0;  // if there is no memory
      blockSums.emplace(columns, most);
      blockRows = most;
    }
    return *blockSums;
  }
};

}  // namespace Trident::Impl

#endif
