// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TEAMBINS_HPP
#define TRIDENT_TEAMBINS_HPP

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Number of bins for rows with tables. A row of bin b has a table of tableSlots(b) slots.
constexpr int teamTables = 7;
constexpr int longRowsBin = teamTables, noBin = teamTables + 1;
KOKKOS_INLINE_FUNCTION constexpr int tableSlots(int bin) { return 64 << bin; }

/// A functor that returns the bin of a row by its multiply-adds, before its entries are known.
struct BinByMultiplyAdds {
  const long long* multiplyAdds;
  int tables;  ///< number of bins whose tables fit in this device's scratch memory

  KOKKOS_INLINE_FUNCTION int operator()(long long r) const {
    if (multiplyAdds[r] == 0) return noBin;
    for (int b = 0; b < tables; ++b)
      if (multiplyAdds[r] <= tableSlots(b) / 4 * 3) return b;
    return longRowsBin;
  }
};

/// A functor that returns the bin of a row by its entries.
struct BinByEntries {
  const std::size_t* offsets;
  int tables;

  KOKKOS_INLINE_FUNCTION int operator()(long long r) const {
    const std::size_t entries = offsets[r + 1] - offsets[r];
    if (entries == 0) return noBin;
    for (int b = 0; b < tables; ++b)
      if (entries <= static_cast<std::size_t>(tableSlots(b) / 4 * 3)) return b;
    return longRowsBin;
  }
};

/// A functor that sets a bit for each bin that has rows.
template <class BinOf>
struct FindBins {
  BinOf binOf;
  KOKKOS_INLINE_FUNCTION void operator()(long long r, int& bits) const { bits |= 1 << binOf(r); }
};

template <class BinOf>
struct CountRowsOfBin {
  BinOf binOf;
  int bin;
  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& count) const {
    count += binOf(r) == bin;
  }
};

/// A functor that lists the rows of a bin, ascending.
template <class BinOf>
struct ListRowsOfBin {
  using value_type = long long;
  BinOf binOf;
  int bin;
  int* list;
  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& at, bool final) const {
    if (binOf(r) != bin) return;
    if (final) list[at] = static_cast<int>(r);
    ++at;
  }
};

/// The bins of rows [0, rows). Lists of all bins share memory, so only one list is valid at a time.
template <class Device, class BinOf>
class TeamBins {
 public:
  /// @param list room for all rows. An empty list gets memory here if several bins have rows
  TeamBins(const BinOf& binOf, long long rows, const Kokkos::View<int*, Device>& list = {})
      : binOf_(binOf), rows_(rows), list_(list) {
    Kokkos::parallel_reduce("Trident::findBins", Range<Device>(0, rows), FindBins<BinOf>{binOf},
                            Kokkos::BOr<int>(bins_));
    const bool several = (bins_ & (bins_ - 1)) != 0;
    if (several && list_.extent(0) == 0) list_ = scratch<int, Device>("Trident::rowsOfBin", rows);
  }
  bool has(int bin) const { return bins_ >> bin & 1; }
  long long count(int bin) const {
    long long count = 0;
    if (has(bin))
      Kokkos::parallel_reduce("Trident::countRowsOfBin", Range<Device>(0, rows_),
                              CountRowsOfBin<BinOf>{binOf_, bin}, count);
    return count;
  }
  /// Runs run(list, number of rows) if a bin has rows. The list is null if the bin has all rows.
  template <class Run>
  void with(int bin, const Run& run) const {
    if (!has(bin)) return;
    if (bins_ == 1 << bin)
      run(static_cast<const int*>(nullptr), rows_);
    else
      run(static_cast<const int*>(list_.data()), listed(bin, list_));
  }
  /// Lists the rows of a bin in `list`, and returns their number.
  long long listed(int bin, const Kokkos::View<int*, Device>& list) const {
    long long count = 0;
    Kokkos::parallel_scan("Trident::listRows", Range<Device>(0, rows_),
                          ListRowsOfBin<BinOf>{binOf_, bin, list.data()}, count);
    return count;
  }

 private:
  BinOf binOf_;
  long long rows_;
  Kokkos::View<int*, Device> list_;
  int bins_ = 0;
};

}  // namespace Trident::Impl

#endif
