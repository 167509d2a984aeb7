// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICEQUERY_HPP
#define TRIDENT_DEVICEQUERY_HPP

#include <optional>

namespace Trident::Impl {

/// What the MPI that runs answers when it is asked whether it takes CUDA's device memory; none
/// where it has no function for that, or the function fails. There is a file for each function that
/// MPIs have; cmake/TridentDeviceQuery.cmake finds out which one to take. Local.
std::optional<bool> mpiSaysItTakesDeviceMemory();

}  // namespace Trident::Impl

#endif
