// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SORTNUMBERS_HPP
#define TRIDENT_SORTNUMBERS_HPP

#include <algorithm>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Sorts `count` numbers in device memory by a radix sort of CUDA's, with room for as many again.
/// Local; they are sorted when it returns. Throws Trident::Error, or what Kokkos throws where there
/// is not enough memory.
void sortDeviceNumbers(Position* numbers, std::size_t count);

/// Sorts numbers, ascending. Kokkos' own sort puts equal ones into one bin and compares them in
/// pairs, so that m of them take m² steps; here it does not matter how many are equal. Local.
template <class Device>
void sortNumbers(const Kokkos::View<Position*, Device>& numbers) {
  if constexpr (isHost<Device>)
    std::sort(numbers.data(), numbers.data() + numbers.extent(0));
  else
    sortDeviceNumbers(numbers.data(), numbers.extent(0));
}

}  // namespace Trident::Impl

#endif
