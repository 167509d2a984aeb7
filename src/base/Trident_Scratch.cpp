// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Scratch.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <type_traits>
#include <vector>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"

namespace Trident::Impl {
namespace {

std::vector<ScratchList*>& lists() {
  static Lasting<std::vector<ScratchList*>> all;
  return *all;
}

void letAllGo() {
  for (ScratchList* list : lists()) list->letGo();
}

}  // namespace

ScratchList::ScratchList() {
  atKokkosEnd(letAllGo);
  lists().push_back(this);
}

std::size_t keptScratchBytes() {
  constexpr bool host =
      std::is_same<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>::value;
  return std::size_t(host ? 64 : 512) << 20;
}

bool trimScratch(std::size_t keep) noexcept {
  std::size_t unused = 0;
  for (const ScratchList* list : lists()) unused += list->unused();
  bool freed = false;
  while (unused > keep) {
    const auto largest = std::max_element(lists().begin(), lists().end(),
                                          [](const ScratchList* a, const ScratchList* b) {
                                            return a->largestUnused() < b->largestUnused();
                                          });
    unused -= (*largest)->largestUnused();
    (*largest)->freeLargestUnused();
    freed = true;
  }
  return freed;
}

}  // namespace Trident::Impl
