// SPDX-License-Identifier: BSD-3-Clause
// A build without NCCL, or with an NCCL that lacks ncclGroupSimulateEnd(), cannot see open groups.
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

bool ncclGroupIsOpen() { return false; }

}  // namespace Trident::Impl
