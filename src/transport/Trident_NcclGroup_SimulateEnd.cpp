// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

// Returns true if a group is open. NCCL has no function for this question. So this function begins
// a group, and ends it with a description that is not initialized. Inside an open group NCCL
// ignores the description; else NCCL refuses the description. Neither changes anything. But a
// refusal warns if NCCL_DEBUG is set. So do not call this function before every transfer.
bool ncclGroupIsOpen() {
  if (ncclGroupStart() != ncclSuccess) return false;
  ncclSimInfo_t notInitialized{};
  return ncclGroupSimulateEnd(&notInitialized) == ncclSuccess;
}

}  // namespace Trident::Impl
