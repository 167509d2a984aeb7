// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWLOOPS_HPP
#define TRIDENT_ROWLOOPS_HPP

#include <Kokkos_Core.hpp>
#include <string>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Kernel that finds the length of the longest row. Index r stands for row r - 1. A functor,
/// because hosts run this kernel in builds for CUDA, too (TRIDENT_LAMBDA).
template <class Offsets>
struct LongerRow {
  Offsets offsets;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& most) const {
    const long long length = static_cast<long long>(offsets(r) - offsets(r - 1));
    if (length > most) most = length;
  }
};

/// Returns the number of entries of the longest row, from the rows' offsets. Local.
template <class Device, class Offsets>
long long longestRow(const Offsets& offsets) {
  long long longest = 0;
  Kokkos::parallel_reduce("Trident::longestRow",
                          afterFirst<Device>(static_cast<long long>(offsets.extent(0))),
                          LongerRow<Offsets>{offsets}, Kokkos::Max<long long>(longest));
  return longest > 0 ? longest : 0;  // without rows, Max gives the least number
}

/// Kernel for all entries of one row. Used on hosts.
template <class Offsets, class F>
struct EntriesOfRow {
  Offsets offsets;
  F f;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const {
    const std::size_t end = offsets(row + 1);
    for (std::size_t e = offsets(row); e < end; ++e) f(row, e);
  }
};

/// Kernel for the entries of one lane: every 2^laneBits-th entry of a row. The lanes of a row are
/// consecutive threads of a warp, so that they read consecutive entries at the same time.
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

/// Returns log2 of the number of lanes of a row. The number of lanes is the mean length of the
/// rows, rounded up to a power of two, but at most 32.
inline int laneBitsFor(long long rows, long long entries) {
  int bits = 0;
  while (bits < 5 && (rows << bits) < entries) ++bits;
  return bits;
}

/// Runs f(row, entry) for all entries of all rows. A row's entries are offsets(row) .. offsets(row
/// + 1) - 1. On devices several threads share a row, more if rows are longer on average. On hosts
/// one thread takes a row's entries in order. Local; does not wait for the kernel.
/// @param entries offsets(rows) - offsets(0), or an estimate; if it is 0, nothing runs
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
