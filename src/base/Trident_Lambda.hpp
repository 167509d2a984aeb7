// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LAMBDA_HPP
#define TRIDENT_LAMBDA_HPP

#include <Kokkos_Macros.hpp>

// What a kernel's lambda begins with, in place of KOKKOS_LAMBDA, and its function where a functor
// calls such a lambda.
//
// KOKKOS_LAMBDA is __host__ __device__ on CUDA. nvcc turns such a lambda into an object that its host
// side copies and calls by pointers to functions, and keeps these pointers apart for each object file
// (in an unnamed namespace), but sets and reads them in functions that the linker keeps once for all
// object files. Where a template is instantiated in two object files, as by the library and by a
// program that includes _def headers, the one may set the pointers and the other call through its
// own, which are null. A __device__ lambda is a plain object of what it captured.
//
// So in a build for CUDA such a lambda runs on devices only. Kernels of hosts are functors
// there. test/check_rooms.sh sees to it that no source has KOKKOS_LAMBDA.
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define TRIDENT_LAMBDA [=] __device__
#define TRIDENT_LAMBDA_CALLER __device__ inline
#else
#define TRIDENT_LAMBDA KOKKOS_LAMBDA
#define TRIDENT_LAMBDA_CALLER KOKKOS_INLINE_FUNCTION
#endif

#endif
