// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Threads.hpp"

#include <Kokkos_Core.hpp>
#include <atomic>

#include "base/Trident_PinnedMemory.hpp"
#include "base/Trident_Scratch.hpp"

namespace Trident::Impl {
namespace {

std::atomic<bool> taken{false};
thread_local int depth = 0;        // number of guards that this thread holds
thread_local bool second = false;  // true if another thread was inside Trident when this one came

/// Returns true if Kokkos believes that the calling thread is inside a parallel loop. Kokkos 3 with
/// OpenMP believes so on all threads but the one that initialized it, and refuses their reductions.
template <class Space>
auto isInParallel(int) -> decltype(static_cast<bool>(Space::in_parallel(Space()))) {
  return Kokkos::is_initialized() && Space::in_parallel(Space());
}
template <class Space>
bool isInParallel(...) {
  return false;
}

}  // namespace

SingleThreadGuard::SingleThreadGuard() noexcept {
  if (depth++ == 0) second = taken.exchange(true, std::memory_order_acquire);
}

SingleThreadGuard::~SingleThreadGuard() {
  if (--depth > 0 || second) return;
  trimScratch(scratchPoolBytes());
  trimPinned(keptPinnedBytes());
  taken.store(false, std::memory_order_release);
}

bool SingleThreadGuard::refused() { return depth > 0 && second; }

bool SingleThreadGuard::kokkosWorks() { return !isInParallel<Kokkos::DefaultExecutionSpace>(0); }

std::string SingleThreadGuard::problem() {
  if (refused())
    return "another thread of this process is inside Trident; call it from one thread at a time, "
           "whatever the communicators";
  if (!kokkosWorks())
    return "Kokkos starts no parallel loops from this thread; call Trident from the thread that "
           "initialized Kokkos, and outside of its loops";
  return "";
}

}  // namespace Trident::Impl
