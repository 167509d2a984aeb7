// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_GpuAware.hpp"

namespace Trident::Impl {

bool mpiTakesDeviceMemory() { return false; }

}  // namespace Trident::Impl
