// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NCCLGROUP_HPP
#define TRIDENT_NCCLGROUP_HPP

namespace Trident::Impl {

/// Whether the program has an NCCL group open on the calling thread, as far as NCCL tells. Groups
/// nest: what Trident starts inside would begin when the program's group ends, and the event that
/// Trident records behind it would say too early that it is done. Local.
bool ncclGroupIsOpen();

/// What is then wrong, and the remedy.
constexpr const char* openNcclGroup =
    "the program has an NCCL group open on this thread, so that nothing that Trident sends would "
    "begin; call ncclGroupEnd() before";

}  // namespace Trident::Impl

#endif
