// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_GpuIdentity.hpp"

namespace Trident::Impl {

std::string whyGpusAreNotTheirOwn(MPI_Comm) {
  return "Trident was built without CUDA (Trident_ENABLE_CUDA)";
}

std::function<void()> deviceOfThisThread() {
  return [] {};
}

}  // namespace Trident::Impl
