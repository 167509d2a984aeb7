// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_THREADS_HPP
#define TRIDENT_THREADS_HPP

#include <csignal>
#include <initializer_list>
#include <string>

namespace Trident::Impl {

/// A guard: while it lives, its thread is inside Trident. A process can have only one such thread,
/// whatever the communicators, because Teuchos counts references without locks. Entry points make a
/// guard before they touch anything of Teuchos. A second guard of a thread changes nothing.
class SingleThreadGuard {
 public:
  SingleThreadGuard() noexcept;
  ~SingleThreadGuard();
  SingleThreadGuard(const SingleThreadGuard&) = delete;
  SingleThreadGuard& operator=(const SingleThreadGuard&) = delete;

  /// Returns true if another thread was inside Trident when the calling thread made its first
  /// guard. A refused thread may only join the first agreement of a call, with problem() as text.
  static bool refused();
  /// Returns true if Kokkos' default execution space works on the calling thread. Kokkos 3's OpenMP
  /// works only on the thread that initialized it.
  static bool kokkosWorks();
  /// Returns the reason why the calling thread may not be inside Trident; an empty text if it may.
  static std::string problem();
};

/// While it lives, the calling thread takes no signals. A thread that it starts meanwhile never
/// takes signals. So a program's signals come to the program's own threads. Signals of faults, such
/// as SIGSEGV, are not blocked, because blocking them is undefined.
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
