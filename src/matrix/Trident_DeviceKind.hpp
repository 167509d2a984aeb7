// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICEKIND_HPP
#define TRIDENT_DEVICEKIND_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Trident::Impl {

/// Whether a device's kernels run on the host, in its memory.
template <class Device>
constexpr bool isHost =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Device::memory_space>::accessible&&
        Kokkos::SpaceAccessibility<typename Device::execution_space, Kokkos::HostSpace>::accessible;

#if defined(KOKKOS_ENABLE_CUDA)
/// Whether a device's kernels run on CUDA.
template <class Device>
constexpr bool isCuda = std::is_same<typename Device::execution_space, Kokkos::Cuda>::value;
#else
template <class Device>
constexpr bool isCuda = false;
#endif

}  // namespace Trident::Impl

#endif
