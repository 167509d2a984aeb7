// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWLOOPS_HPP
#define TRIDENT_ROWLOOPS_HPP

#include <Kokkos_Core.hpp>
#include <string>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Keeps the greater of a number and the length of the row before offset r; a functor, as a build
/// for devices calls it on hosts, too.
template <class Offsets>
struct LongerRow {
  Offsets offsets;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& most) const {
    const long long length = static_cast<long long>(offsets(r) - offsets(r - 1));
    if (length > most) most = length;
  }
};

/// Returns the entries of the longest of the rows that have these offsets. Local.
template <class Device, class Offsets>
long long longestRow(const Offsets& offsets) {
  long long longest = 0;
  Kokkos::parallel_reduce("Trident::longestRow",
                          afterFirst<Device>(static_cast<long long>(offsets.extent(0))),
                          LongerRow<Offsets>{offsets}, Kokkos::Max<long long>(longest));
  return longest > 0 ? longest : 0;  // Max begins with the least number
}

/// All entries of one row; on hosts.
template <class Offsets, class F>
struct EntriesOfRow {
  Offsets offsets;
  F f;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const {
    const std::size_t end = offsets(row + 1);
    for (std::size_t e = offsets(row); e < end; ++e) f(row, e);
  }
};

/// Every 2^laneBits-th entry of a row, for one of its 2^laneBits lanes. Lanes of a row are
/// consecutive threads of a warp, so they read and write consecutive entries together.
template <class Offsets, class F>
struct EntriesOfLane {
  Offsets offsets;
  F f;
  int laneBits;

  TRIDENT_LAMBDA_CALLER void operator()(long long thread) const {
    const long long row = thread >> laneBits, lanes = 1ll << laneBits;
    const std::size_t end = offsets(row + 1);
    for (std::size_t e = offsets(row) + (thread & (lanes - 1)); e < end; e += lanes) f(row, e);
  }
};

/// Returns the logarithm of the number of lanes for rows of this mean length: the first power of
/// two not below it, up to a warp.
inline int laneBitsFor(long long rows, long long entries) {
  int bits = 0;
  while (bits < 5 && (rows << bits) < entries) ++bits;
  return bits;
}

/// Runs f(row, entry) for all entries of all rows: entries offsets(row) .. offsets(row + 1) - 1. On
/// a device several threads share a row, by the mean length; on hosts a row is one thread's, its
/// entries in order. Local; does not wait for the kernel.
/// @param entries offsets(rows) - offsets(0), which the host may know without asking the device
/// @param f callable in kernels, e.g. TRIDENT_LAMBDA(long long row, std::size_t entry)
template <class Device, class Offsets, class F>
void forRowEntries(const std::string& label, long long rows, long long entries,
                   const Offsets& offsets, const F& f) {
  if (rows == 0 || entries == 0) return;
  if constexpr (isHost<Device>) {
    Kokkos::parallel_for(label, Range<Device>(0, rows), EntriesOfRow<Offsets, F>{offsets, f});
  } else {
    const int bits = laneBitsFor(rows, entries);
    Kokkos::parallel_for(label, Range<Device>(0, rows << bits),
                         EntriesOfLane<Offsets, F>{offsets, f, bits});
  }
}

}  // namespace Trident::Impl

#endif
