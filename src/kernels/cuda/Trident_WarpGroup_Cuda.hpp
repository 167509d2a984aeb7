// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WARPGROUP_CUDA_HPP
#define TRIDENT_WARPGROUP_CUDA_HPP

// NVIDIA's own parts of the local product: shuffles, ballots, atomics, shared memory's limits.
// Another vendor's warps need another file of these functions, and nothing else. The compiler,
// nvcc, brings CUDA's own declarations.

#include <Kokkos_Complex.hpp>

#include "matrix/Trident_Single.hpp"

namespace Trident::Impl {

constexpr int lanesOfWarp = 32;
constexpr unsigned wholeWarp = 0xffffffffu;

__device__ inline int warpLane() { return threadIdx.x % lanesOfWarp; }
__device__ inline int warpOfBlock() { return threadIdx.x / lanesOfWarp; }
__device__ inline void warpBarrier() { __syncwarp(); }
__device__ inline unsigned ballot(bool x) { return __ballot_sync(wholeWarp, x); }
__device__ inline int bitsIn(unsigned x) { return __popc(x); }
__device__ inline int lowestBit(int x) { return __ffs(x) - 1; }
/// Returns a bit for each lane whose x is equal to this lane's.
__device__ inline unsigned lanesWith(int x) { return __match_any_sync(wholeWarp, x); }
__device__ inline unsigned lanesBelow() { return (1u << warpLane()) - 1; }
__device__ inline int largestInWarp(int x) { return __reduce_max_sync(wholeWarp, x); }
__device__ inline unsigned largestInWarp(unsigned x) { return __reduce_max_sync(wholeWarp, x); }
__device__ inline unsigned smallestInWarp(unsigned x) { return __reduce_min_sync(wholeWarp, x); }
__device__ inline int sumOfWarp(int x) { return __reduce_add_sync(wholeWarp, x); }

/// A group of L neighbouring lanes; L is a power of two. All lanes of the warp call each function.
template <int L>
struct LaneGroup {
  static __device__ int lane() { return threadIdx.x % L; }
  template <class T>
  static __device__ T from(T x, int lane) {
    return __shfl_sync(wholeWarp, x, lane, L);
  }
  template <class T>
  static __device__ T fromBelow(T x, int distance) {
    return __shfl_up_sync(wholeWarp, x, distance, L);
  }
  template <class T>
  static __device__ T swapped(T x, int mask) {
    return __shfl_xor_sync(wholeWarp, x, mask, L);
  }
  /// Returns this group's bits of a ballot, as the lowest L bits.
  static __device__ unsigned bitsOf(unsigned ballot) {
    return L == lanesOfWarp ? ballot : ballot >> warpLane() / L * L & ((1u << L % lanesOfWarp) - 1);
  }
  /// Returns the sum of x over this lane and all lanes below it in the group.
  static __device__ int sumUpTo(int x) {
#pragma unroll
    for (int d = 1; d < L; d *= 2) {
      const int below = fromBelow(x, d);
      if (lane() >= d) x += below;
    }
    return x;
  }
};

/// Sorts the L·K keys of a group ascending: key i comes to x[i % K] of lane i / K. Uses a bitonic
/// network; most of its steps stay within a lane.
template <int L, int K, class Key>
__device__ inline void sortKeys(Key (&x)[K]) {
  using Group = LaneGroup<L>;
  const int lane = Group::lane();
#pragma unroll
  for (int k = 2; k <= L * K; k *= 2)
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2) {
      if (j >= K) {
        const bool low = (lane & (j / K)) == 0;
#pragma unroll
        for (int r = 0; r < K; ++r) {
          const bool up = ((lane * K + r) & k) == 0;
          const Key other = Group::swapped(x[r], j / K);
          x[r] = (low == up) == (other < x[r]) ? other : x[r];
        }
      } else {
#pragma unroll
        for (int r = 0; r < K; ++r) {
          const int q = r ^ j;
          if (q < r) continue;
          const bool up = ((lane * K + r) & k) == 0;
          const Key a = x[r], b = x[q];
          const bool swap = (b < a) == up;
          x[r] = swap ? b : a;
          x[q] = swap ? a : b;
        }
      }
    }
}

/// Returns a product that no compiler fuses with an addition. So its bits are those of a host
/// without fused multiply-adds.
__device__ inline double termOf(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float termOf(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double termOf(const Single& a, const Single& b) {
  return termOf(static_cast<double>(a), static_cast<double>(b));
}
__device__ inline int termOf(int a, int b) { return a * b; }
__device__ inline long long termOf(long long a, long long b) { return a * b; }
template <class T>
__device__ inline Kokkos::complex<T> termOf(const Kokkos::complex<T>& a,
                                            const Kokkos::complex<T>& b) {
  return {termOf(a.real(), b.real()) - termOf(a.imag(), b.imag()),
          termOf(a.real(), b.imag()) + termOf(a.imag(), b.real())};
}

/// Adds x atomically to a number that other threads of the thread block add to.
__device__ inline void addTo(double* to, double x) { atomicAdd(to, x); }
__device__ inline void addTo(float* to, float x) { atomicAdd(to, x); }
__device__ inline void addTo(int* to, int x) { atomicAdd(to, x); }
__device__ inline void addTo(long long* to, long long x) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
}
template <class T>
__device__ inline void addTo(Kokkos::complex<T>* to, const Kokkos::complex<T>& x) {
  T* const parts = reinterpret_cast<T*>(to);
  atomicAdd(parts, x.real());
  atomicAdd(parts + 1, x.imag());
}

}  // namespace Trident::Impl

#endif
