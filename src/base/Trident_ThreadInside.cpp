// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ThreadInside.hpp"

#include <atomic>

namespace Trident::Impl {
namespace {

std::atomic<bool> taken{false};
thread_local int depth = 0;        // of this thread's entries
thread_local bool second = false;  // whether another thread was inside at the first of them

}  // namespace

ThreadInside::ThreadInside() noexcept {
  if (depth++ == 0) second = taken.exchange(true, std::memory_order_acquire);
}

ThreadInside::~ThreadInside() {
  if (--depth == 0 && !second) taken.store(false, std::memory_order_release);
}

bool ThreadInside::refused() { return depth > 0 && second; }

std::string ThreadInside::problem() {
  return refused() ? "another thread of this process is inside Trident; call it from one thread at "
                     "a time, whatever the communicators"
                   : "";
}

}  // namespace Trident::Impl
