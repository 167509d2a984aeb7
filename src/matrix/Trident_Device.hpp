// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICE_HPP
#define TRIDENT_DEVICE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_Macros.hpp>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

// Use TRIDENT_LAMBDA in place of KOKKOS_LAMBDA. If a functor's function calls such a lambda, mark
// the function TRIDENT_LAMBDA_CALLER.
//
// On CUDA, KOKKOS_LAMBDA makes a __host__ __device__ lambda. nvcc turns it into an object that host
// code copies and calls through function pointers. Each object file has its own pointers, in an
// unnamed namespace. But the functions that set and read the pointers exist once, after linking. A
// template may be instantiated in two object files: in the library, and in a program that includes
// _def headers. Then one file's pointers may be set, while a call goes through the other file's
// pointers, which are null. A __device__ lambda is a plain object, without such pointers.
//
// So in a build for CUDA, TRIDENT_LAMBDA runs on devices only. A kernel for hosts and devices must
// be a functor; a kernel for hosts only may be a plain lambda. test/check_rooms.sh accepts no
// source with KOKKOS_LAMBDA.
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

/// Workspaces for loops over rows on a host: one for each thread. Copies share the workspaces. With
/// several threads, loop bodies must not throw, because no exception can leave a loop of OpenMP.
template <class Workspace, class Device>
class HostWorkspaces {
  using Space = typename Device::execution_space;

 public:
  /// Makes the workspaces. Each thread makes its own workspace, in memory near to the thread. If
  /// threads fail, throws the exception of the failed thread with the lowest number.
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
  /// Runs work(workspace) with the workspace of the calling thread.
  template <class Work>
  void use(Work&& work) const {
    const int thread = token_.acquire();
    work(*(*all_)[thread]);
    token_.release(thread);
  }
  /// Returns the only workspace. Requires an execution space of one thread.
  Workspace& only() const { return *all_->front(); }

 private:
  Kokkos::Experimental::UniqueToken<Space> token_;
  std::shared_ptr<std::vector<std::unique_ptr<Workspace>>> all_;
};

}  // namespace Trident::Impl

#endif
