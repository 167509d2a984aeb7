// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_THREADINSIDE_HPP
#define TRIDENT_THREADINSIDE_HPP

#include <string>

namespace Trident::Impl {

/// Marks the calling thread as inside Trident, while it lives. A process may have one at a time,
/// whatever the communicators: Teuchos counts references without locks. Entry points make one
/// before they touch anything of Teuchos; those that a thread makes inside another change nothing.
class ThreadInside {
 public:
  ThreadInside() noexcept;
  ~ThreadInside();
  ThreadInside(const ThreadInside&) = delete;
  ThreadInside& operator=(const ThreadInside&) = delete;

  /// Whether the calling thread came in while another was inside. Then it may do nothing but tell
  /// the others by their first agreement, with problem().
  static bool refused();
  /// Whether Kokkos' default execution space works on the calling thread. OpenMP may not: Kokkos 3
  /// has threads for the one thread that initialized it, and none for others.
  static bool kokkosWorks();
  /// Why the calling thread may not be inside; empty where it may.
  static std::string problem();
};

}  // namespace Trident::Impl

#endif
