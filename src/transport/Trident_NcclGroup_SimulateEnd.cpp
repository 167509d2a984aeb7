// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

// Returns true if a group is open. NCCL has no function for that. So this begins a group, and ends
// it with a description that is not initialized. If that group is inside another one, NCCL does not
// look at the description; else it refuses it. Neither has another effect. As a refusal warns if
// NCCL_DEBUG is set, not every transfer asks.
bool ncclGroupIsOpen() {
  if (ncclGroupStart() != ncclSuccess) return false;
  ncclSimInfo_t notInitialized{};
  return ncclGroupSimulateEnd(&notInitialized) == ncclSuccess;
}

}  // namespace Trident::Impl
