// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTWORKSPACES_HPP
#define TRIDENT_HOSTWORKSPACES_HPP

#include <Kokkos_Core.hpp>
#include <exception>
#include <memory>
#include <vector>

#include "matrix/Trident_DeviceKind.hpp"

namespace Trident::Impl {

/// A workspace for each thread of a host's execution space, for loops over rows. Copies share them.
/// Where there are several threads, work must not throw: no exception leaves a loop of OpenMP's.
template <class Workspace, class Device>
class HostWorkspaces {
  using Space = typename Device::execution_space;

 public:
  /// Each thread makes its own, which may be large: at the same time, in memory near to it. Throws
  /// what the first of them throws.
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

 private:
  Kokkos::Experimental::UniqueToken<Space> token_;
  std::shared_ptr<std::vector<std::unique_ptr<Workspace>>> all_;
};

}  // namespace Trident::Impl

#endif
