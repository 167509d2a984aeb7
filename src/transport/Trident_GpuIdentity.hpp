// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GPUIDENTITY_HPP
#define TRIDENT_GPUIDENTITY_HPP

#include <mpi.h>

#include <functional>
#include <string>

namespace Trident::Impl {

/// Empty where every rank of `comm` has a GPU that no other rank of it uses, else who shares which,
/// or why a rank's GPU cannot be asked; the same text on all ranks. GPUs are told apart by their
/// UUIDs, which hold across hosts, containers and network namespaces. Collective over `comm`.
std::string whyGpusAreNotTheirOwn(MPI_Comm comm);

/// What gives another thread the device that this thread has now, since a new thread starts with
/// the first one.
std::function<void()> deviceOfThisThread();

}  // namespace Trident::Impl

#endif
