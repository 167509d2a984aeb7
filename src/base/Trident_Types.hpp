// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TYPES_HPP
#define TRIDENT_TYPES_HPP

#include <cstddef>
#include <cstdint>

/// Marks small functions that kernels call on any execution space; rooms that know no Kokkos use it
/// too.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRIDENT_FUNCTION __host__ __device__ inline
#else
#define TRIDENT_FUNCTION inline
#endif

namespace Trident::Impl {

/// Index 0..n-1 in an index space of global size n. Inside blocks local indices are `int`.
using Position = long long;

}  // namespace Trident::Impl

#endif
