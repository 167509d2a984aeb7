// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GROWINGROWS_HPP
#define TRIDENT_GROWINGROWS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Entries of rows that are written one behind the other, in arrays that have room for as many as
/// are expected. What is not written of them takes no memory: the system gives pages when they are
/// touched.
template <class Scalar, class Device>
struct GrowingRows {
  static constexpr std::size_t entryBytes = sizeof(int) + sizeof(Scalar);

  long long next = 0;    ///< the first row that is not written
  std::size_t used = 0;  ///< entries
  bool full = false;     ///< whether there is no room for the next row
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;
  std::size_t mostBytes = 0;  ///< that the arrays took, also while they grew

  /// That the arrays take.
  std::size_t bytes() const { return columns.extent(0) * entryBytes; }
  std::size_t room() const { return columns.extent(0) - used; }

  /// Makes room for `entries` in all; keeps what is used.
  void reserve(std::size_t entries) {
    const auto widerColumns = uninitialized<int, Device>("Trident::columns", entries);
    const auto widerValues = uninitialized<Scalar, Device>("Trident::values", entries);
    mostBytes = std::max(mostBytes, bytes() + entries * entryBytes);
    std::copy_n(columns.data(), used, widerColumns.data());
    std::copy_n(values.data(), used, widerValues.data());
    columns = widerColumns;
    values = widerValues;
  }

  /// Forgets what is written, and makes room for `entries`: in the arrays that are there, if they
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

  /// What is written, in these arrays.
  CrsArrays<Scalar, Device> arrays(const Kokkos::View<std::size_t*, Device>& offsets) const {
    const std::pair<std::size_t, std::size_t> all(0, used);
    return {offsets, Kokkos::subview(columns, all), Kokkos::subview(values, all)};
  }
  /// The same, in arrays that are little longer.
  CrsArrays<Scalar, Device> shortened(const Kokkos::View<std::size_t*, Device>& offsets) {
    if (columns.extent(0) > used + used / 4 + 64) reserve(used);
    return arrays(offsets);
  }
};

}  // namespace Trident::Impl

#endif
