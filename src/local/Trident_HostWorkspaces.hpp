// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTWORKSPACES_HPP
#define TRIDENT_HOSTWORKSPACES_HPP

#include <Kokkos_Core.hpp>
#include <memory>
#include <vector>

#include "Trident_DeviceKind.hpp"

namespace Trident::Impl {

/// A workspace for each thread of a host's execution space, for loops over rows. Copies share them.
template <class Workspace, class Device>
class HostWorkspaces {
 public:
  template <class... Args>
  explicit HostWorkspaces(const Args&... args) : all_(std::make_shared<std::vector<Workspace>>()) {
    for (int t = 0; t < token_.size(); ++t) all_->emplace_back(args...);
  }
  /// Runs `work(workspace)` with the calling thread's.
  template <class Work>
  void use(Work&& work) const {
    const int thread = token_.acquire();
    work((*all_)[thread]);
    token_.release(thread);
  }

 private:
  Kokkos::Experimental::UniqueToken<typename Device::execution_space> token_;
  std::shared_ptr<std::vector<Workspace>> all_;
};

}  // namespace Trident::Impl

#endif
