// SPDX-License-Identifier: BSD-3-Clause
// Without NCCL, or with one from before ncclGroupSimulateEnd(), which does not tell.
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

bool ncclGroupIsOpen() { return false; }

}  // namespace Trident::Impl
