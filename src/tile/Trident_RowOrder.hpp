// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWORDER_HPP
#define TRIDENT_ROWORDER_HPP

#include <Kokkos_Core.hpp>

#include "Trident_LocalMatrix.hpp"

namespace Trident {

/// Room for one thread to put the distinct columns of a row in order without comparing them: each
/// entry is dropped into a dense array and noted in a bitmap of two levels, which then lists the
/// columns ascending. Some ten times faster than sorting rows of hundreds of entries on a host
/// (doc/algorithm.md has the measurement). Host memory; as long as the column Map.
template <class Scalar>
class RowOrder {
 public:
  using Word = unsigned long long;
  template <class T>
  using HostArray = Kokkos::View<T*, Kokkos::HostSpace>;

  explicit RowOrder(int columns = 0)
      : values_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::rowValues"), columns),
        bits_("Trident::rowBits", columns / 64 + 1),
        groups_("Trident::rowGroups", columns / 4096 + 1) {}

  void drop(int column, const Scalar& value) const {
    values_(column) = value;
    bits_(column / 64) |= Word(1) << (column % 64);
    groups_(column / 4096) |= Word(1) << (column / 64 % 64);
  }

  /// Writes what was dropped, by ascending column, and forgets it.
  void collect(int* columns, Scalar* values) const {
    for (std::size_t g = 0; g < groups_.extent(0); ++g)
      for (; groups_(g); groups_(g) &= groups_(g) - 1) {
        const std::size_t w = 64 * g + __builtin_ctzll(groups_(g));
        for (; bits_(w); bits_(w) &= bits_(w) - 1) {
          const int column = static_cast<int>(64 * w + __builtin_ctzll(bits_(w)));
          *columns++ = column;
          *values++ = values_(column);
        }
      }
  }

 private:
  HostArray<Scalar> values_;
  HostArray<Word> bits_, groups_;
};

/// Sorts a short row in place by insertion.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void sortShortRow(int* columns, Scalar* values, int length) {
  for (int e = 1; e < length; ++e) {
    const int column = columns[e];
    const Scalar value = values[e];
    int at = e;
    for (; at > 0 && columns[at - 1] > column; --at) {
      columns[at] = columns[at - 1];
      values[at] = values[at - 1];
    }
    columns[at] = column;
    values[at] = value;
  }
}

}  // namespace Trident

#endif
