// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Scratch.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <exception>
#include <type_traits>
#include <vector>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Memory.hpp"

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

std::size_t scratchPoolBytes() noexcept {
  constexpr bool host =
      std::is_same<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>::value;
  if (host) return std::size_t(64) << 20;
  constexpr std::size_t least = std::size_t(512) << 20;
  static std::size_t ofDevice = 0;  // 0 while the device's memory is unknown
  if (ofDevice == 0 && viewsCanGo()) try {
      ofDevice = static_cast<std::size_t>(usableBytes(MemoryKind::Device, 100));
    } catch (const std::exception&) {  // the device has failed; a product will report it
    }
  return std::max(ofDevice, least);
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
