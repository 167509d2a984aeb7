// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICE_HPP
#define TRIDENT_DEVICE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Macros.hpp>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

// Use TRIDENT_LAMBDA in place of KOKKOS_LAMBDA, and mark functions of functors that call such a
// lambda TRIDENT_LAMBDA_CALLER.
//
// KOKKOS_LAMBDA is __host__ __device__ on CUDA. nvcc turns such a lambda into an object that its
// host side copies and calls by pointers to functions. It keeps these pointers apart for each
// object file (in an unnamed namespace). But it sets and reads them in functions that the linker
// keeps once for all object files. A template may be instantiated in two object files, as by the
// library and by a program that includes _def headers. Then one may set its pointers and the other
// call through its own, which are null. A __device__ lambda is a plain object of its captures.
//
// So in a build for CUDA such a lambda runs on devices only. Kernels of hosts and devices are
// functors there, those of hosts alone may be plain lambdas. test/check_rooms.sh sees to it that no
// source has KOKKOS_LAMBDA.
#if defined(KOKKOS_ENABLE_CUDA) && defined(__CUDACC__)
#define TRIDENT_LAMBDA [=] __device__
#define TRIDENT_LAMBDA_CALLER __device__ inline
#else
#define TRIDENT_LAMBDA KOKKOS_LAMBDA
#define TRIDENT_LAMBDA_CALLER KOKKOS_INLINE_FUNCTION
#endif

namespace Trident::Impl {

/// True if a device's kernels run on the host, in its memory.
template <class Device>
constexpr bool isHost =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Device::memory_space>::accessible&&
        Kokkos::SpaceAccessibility<typename Device::execution_space, Kokkos::HostSpace>::accessible;

#if defined(KOKKOS_ENABLE_CUDA)
/// True if a device's kernels run on CUDA.
template <class Device>
constexpr bool isCuda = std::is_same<typename Device::execution_space, Kokkos::Cuda>::value;
#else
template <class Device>
constexpr bool isCuda = false;
#endif

/// A workspace for each thread of a host's execution space, for loops over rows. Copies share them.
/// Where there are several threads, work must not throw: no exception leaves a loop of OpenMP's.
template <class Workspace, class Device>
class HostWorkspaces {
  using Space = typename Device::execution_space;

 public:
  /// Makes a workspace for each thread. The threads make them at the same time, each its own: they
  /// may be large, and lie in memory near to their thread. If several threads fail, throws the
  /// exception of the one with the lowest number.
  template <class... Args>
  explicit HostWorkspaces(const Args&... args)
      : all_(std::make_shared<std::vector<std::unique_ptr<Workspace>>>(token_.size())) {
    std::vector<std::exception_ptr> failures(all_->size());
    auto& all = *all_;
    Kokkos::parallel_for("Trident::workspaces", Kokkos::RangePolicy<Space>(0, all.size()),
                         [&](std::size_t t) {
                           try {
                             all[t] = std::make_unique<Workspace>(args...);
                           } catch (...) {
                             failures[t] = std::current_exception();
                           }
                         });
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }
  /// Runs `work(workspace)` with the calling thread's.
  template <class Work>
  void use(Work&& work) const {
    const int thread = token_.acquire();
    work(*(*all_)[thread]);
    token_.release(thread);
  }
  /// Returns the workspace of the only thread, where there is one.
  Workspace& only() const { return *all_->front(); }

 private:
  Kokkos::Experimental::UniqueToken<Space> token_;
  std::shared_ptr<std::vector<std::unique_ptr<Workspace>>> all_;
};

}  // namespace Trident::Impl

#endif
