// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAREDNCCL_HPP
#define TRIDENT_SHAREDNCCL_HPP

#include <mpi.h>

#include <memory>

#include "transport/Trident_NcclCommunicator.hpp"
#include "transport/Trident_NcclGroup.hpp"

namespace Trident::Impl {

/// NCCL among the ranks of `comm`, in their order. Making one takes long and device memory, so all
/// grids share it, and it is kept until Kokkos ends or it fails: then the next call makes another.
/// Collective; throws on every rank or on none.
std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm);

/// Whether this rank can use it now: it is there, has not failed, and the program has no group
/// open. Local.
inline bool isUsable(const std::shared_ptr<NcclCommunicator>& nccl) {
  return nccl && !nccl->failed() && !ncclGroupIsOpen();
}

}  // namespace Trident::Impl

#endif
