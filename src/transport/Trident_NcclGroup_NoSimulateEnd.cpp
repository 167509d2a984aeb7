// SPDX-License-Identifier: BSD-3-Clause
// A build without NCCL, or with one that lacks ncclGroupSimulateEnd(), so that nobody can ask.
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

bool ncclGroupIsOpen() { return false; }

}  // namespace Trident::Impl
