// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICECOUNT_HPP
#define TRIDENT_DEVICECOUNT_HPP

namespace Trident::Impl {

/// Devices that this process sees, before Kokkos runs; 0 where Kokkos has none or the driver does
/// not answer.
int deviceCount();

}  // namespace Trident::Impl

#endif
