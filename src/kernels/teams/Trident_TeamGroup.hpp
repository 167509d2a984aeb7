// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TEAMGROUP_HPP
#define TRIDENT_TEAMGROUP_HPP

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Semiring.hpp"

// Parts of the kernels that form products by Kokkos' teams: the threads that share a row, the rows
// of the operands, and a product of two numbers.

namespace Trident::Impl {

template <class Device>
using TeamMember = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

/// Threads that share a row: a whole team, or one thread of a team. Each thread has vector lanes.
template <class Member>
struct TeamGroup {
  const Member& member;
  bool wholeTeam;

  /// Runs work(n) for n in [0, count). All threads of the group call, with equal counts. On return,
  /// all of the work is done, and all threads of the group see its results.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void each(int count, const Work& work) const {
    if (wholeTeam) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count), work);
      member.team_barrier();
    } else {
      // No barrier is needed, because Kokkos brings the lanes together again after the loop.
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, count), work);
    }
  }

  /// Runs work(n, group) for n in [0, count), in any order. If `count` is at least the number of
  /// threads, each work(n) has one thread with its lanes. Else the whole group shares each work(n).
  template <class Work>
  KOKKOS_INLINE_FUNCTION void eachByParts(int count, const Work& work) const {
    if (wholeTeam && count >= member.team_size()) {
      const TeamGroup part{member, false};
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [&](int n) { work(n, part); });
      member.team_barrier();
    } else {
      for (int n = 0; n < count; ++n) work(n, *this);
    }
  }
};

/// Returns the index of a thread's group, among all teams if `wholeTeam`, else among all threads.
template <class Member>
KOKKOS_INLINE_FUNCTION long long groupNumber(const Member& member, bool wholeTeam) {
  const long long league = member.league_rank();
  return wholeTeam ? league : league * member.team_size() + member.team_rank();
}

constexpr std::size_t scratchAlignment = 16;

/// Returns `bytes`, rounded up to the alignment. Kokkos aligns only the memory of a team's first
/// thread, and the other threads get the bytes behind it. So all threads must take aligned sizes.
KOKKOS_INLINE_FUNCTION constexpr std::size_t alignedScratch(std::size_t bytes) {
  return (bytes + scratchAlignment - 1) / scratchAlignment * scratchAlignment;
}

/// Returns scratch memory of a group. Takes alignedScratch(bytes), and up to scratchAlignment more.
template <class Member>
KOKKOS_INLINE_FUNCTION void* scratchOf(const TeamGroup<Member>& group, std::size_t bytes) {
  const std::size_t whole = alignedScratch(bytes);
  return group.wholeTeam
             ? group.member.team_scratch(0).get_shmem_aligned(whole, scratchAlignment)
             : group.member.thread_scratch(0).get_shmem_aligned(whole, scratchAlignment);
}

/// Returns the number of vector lanes for rows of B: a power of two from 4 to 32.
inline int lanesFor(long long entries, long long rows) {
  int lanes = 4;
  while (lanes < 32 && rows * lanes < entries) lanes *= 2;
  return lanes;
}

/// Makes a policy for `count` rows. The threads of a team have about `threads` lanes in all, or
/// fewer if the execution space has a lower limit. Scratch memory has a table for each team or, if
/// tablePerThread, for each thread.
template <class Device, class Functor>
Kokkos::TeamPolicy<typename Device::execution_space> teamPolicy(long long count, int threads,
                                                                int lanes, std::size_t tableBytes,
                                                                bool tablePerThread,
                                                                const Functor& functor) {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  const int vector = std::min(lanes, Policy::vector_length_max());
  const auto scratch = [&](Policy policy) {
    return tablePerThread ? policy.set_scratch_size(0, Kokkos::PerThread(tableBytes))
                          : policy.set_scratch_size(0, Kokkos::PerTeam(tableBytes));
  };
  const int most = scratch(Policy(1, 1, vector)).team_size_max(functor, Kokkos::ParallelForTag());
  const int size = std::max(1, std::min(most, threads / vector));
  const long long teams = tablePerThread ? (count + size - 1) / size : count;
  return scratch(Policy(static_cast<int>(teams), size, vector));
}

/// Entries [begin, begin + length) of a matrix.
struct EntryRange {
  std::size_t begin;
  int length;
};

/// The arrays of a matrix, for kernels.
template <class Scalar>
struct TeamCsr {
  const std::size_t* offsets = nullptr;
  const int* columns = nullptr;
  const Scalar* values = nullptr;

  TeamCsr() = default;
  template <class Device>
  explicit TeamCsr(const LocalMatrix<Scalar, Device>& matrix)
      : offsets(matrix.graph.row_map.data()),
        columns(matrix.graph.entries.data()),
        values(matrix.values.data()) {}

  KOKKOS_INLINE_FUNCTION EntryRange row(long long r) const {
    return {offsets[r], static_cast<int>(offsets[r + 1] - offsets[r])};
  }
};

/// Products that no compiler can fuse with an addition, because their bits are combined with a zero
/// that no compiler knows. So sums have the bits of hosts without fused multiply-adds.
struct RoundedProduct {
  std::uint64_t zero = 0;  ///< always 0, which no compiler of a kernel can know

  template <class Scalar>
  KOKKOS_INLINE_FUNCTION SumOf<Scalar> operator()(const Scalar& a, const Scalar& b) const {
    using Sum = SumOf<Scalar>;
    return rounded(static_cast<Sum>(static_cast<Sum>(a) * static_cast<Sum>(b)));
  }
  template <class T>
  KOKKOS_INLINE_FUNCTION Kokkos::complex<T> operator()(const Kokkos::complex<T>& a,
                                                       const Kokkos::complex<T>& b) const {
    return {rounded(rounded(a.real() * b.real()) - rounded(a.imag() * b.imag())),
            rounded(rounded(a.real() * b.imag()) + rounded(a.imag() * b.real()))};
  }

 private:
  template <class T>
  KOKKOS_INLINE_FUNCTION T rounded(T x) const {
    if constexpr (std::is_same<T, double>::value)
      return through<std::uint64_t>(x);
    else if constexpr (std::is_same<T, float>::value)
      return through<std::uint32_t>(x);
    else
      return x;
  }
  template <class Bits, class T>
  KOKKOS_INLINE_FUNCTION T through(T x) const {
    static_assert(sizeof(Bits) == sizeof(T), "the same bits");
    Bits bits;
    memcpy(&bits, &x, sizeof(T));
    bits ^= static_cast<Bits>(zero);
    memcpy(&x, &bits, sizeof(T));
    return x;
  }
};

/// A functor that multiplies two entries over a semiring, for kernels by teams.
template <class Semiring>
struct TeamTimes {
  template <class Scalar>
  KOKKOS_INLINE_FUNCTION Scalar operator()(const Scalar& a, const Scalar& b) const {
    return Semiring::times(a, b);
  }
};
template <class Scalar>
struct TeamTimes<PlusTimes<Scalar>> : RoundedProduct {};

}  // namespace Trident::Impl

#endif
