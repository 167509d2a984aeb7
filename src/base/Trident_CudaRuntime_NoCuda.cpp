// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_CudaRuntime.hpp"

namespace Trident::Impl {

int deviceCount() { return 0; }

bool deviceRuns() noexcept { return true; }

bool readsPageableLate() { return false; }

double freeDeviceBytes() { return 0; }

double totalDeviceBytes() { return 0; }

}  // namespace Trident::Impl
