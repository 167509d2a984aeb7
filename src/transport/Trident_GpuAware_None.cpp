// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {

std::optional<bool> mpiSaysItTakesDeviceMemory() { return std::nullopt; }

}  // namespace Trident::Impl
