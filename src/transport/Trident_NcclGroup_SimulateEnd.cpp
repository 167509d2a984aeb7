// SPDX-License-Identifier: BSD-3-Clause
#include <nccl.h>

#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

// Finds out whether a group is open; NCCL has no function that tells. But a call that ends a group
// inside another looks at nothing, and one that ends a group of no operations refuses a description
// that was not initialized. Neither does anything else. The second call warns if NCCL_DEBUG is set,
// so that not every transfer asks.
bool ncclGroupIsOpen() {
  if (ncclGroupStart() != ncclSuccess) return false;
  ncclSimInfo_t notInitialized{};
  return ncclGroupSimulateEnd(&notInitialized) == ncclSuccess;
}

}  // namespace Trident::Impl
