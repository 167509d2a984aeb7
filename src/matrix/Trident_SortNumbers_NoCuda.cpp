// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "matrix/Trident_SortNumbers.hpp"

namespace Trident::Impl {

void sortDeviceNumbers(Position*, std::size_t) {
  throw Error("Trident::sortNumbers", "this Trident was built without CUDA");
}

}  // namespace Trident::Impl
