// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_THREADS_HPP
#define TRIDENT_THREADS_HPP

#include <csignal>
#include <initializer_list>
#include <string>

namespace Trident::Impl {

/// Marks the calling thread as inside Trident, while it lives. A process may have one at a time,
/// whatever the communicators: Teuchos counts references without locks. Entry points make one
/// before they touch anything of Teuchos; those that a thread makes inside another change nothing.
class SingleThreadGuard {
 public:
  SingleThreadGuard() noexcept;
  ~SingleThreadGuard();
  SingleThreadGuard(const SingleThreadGuard&) = delete;
  SingleThreadGuard& operator=(const SingleThreadGuard&) = delete;

  /// Returns true if the calling thread came in while another was inside. Then it may only tell the
  /// others so by their first agreement, with problem().
  static bool refused();
  /// Returns true if Kokkos' default execution space works on the calling thread. OpenMP may not:
  /// Kokkos 3 has threads for the one thread that initialized it, and none for others.
  static bool kokkosWorks();
  /// Returns the reason why the calling thread may not be inside; an empty text if it may.
  static std::string problem();
};

/// While it lives, the calling thread takes no signals; nor does a thread that it starts then,
/// which keeps the mask for good. So a program's signals come to its own threads. Signals of the
/// thread's own faults stay, as blocking these is undefined.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&all, fault);
    blocked_ = pthread_sigmask(SIG_BLOCK, &all, &before_) == 0;
  }
  ~SignalsBlocked() {
    if (blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
  bool blocked_;
};

}  // namespace Trident::Impl

#endif
