// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_HugePages.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace Trident::Impl {

#if defined(__linux__) && defined(MADV_HUGEPAGE)

void adviseHugePages(void* array, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t(1) << 21;
  constexpr std::size_t worthwhile = 8 * page;
  if (bytes < worthwhile) return;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t end = (begin + bytes) / page * page;
  // Only whole pages inside the array; a refusal changes nothing but speed.
  static_cast<void>(madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

#else

void adviseHugePages(void*, std::size_t) {}

#endif

}  // namespace Trident::Impl
