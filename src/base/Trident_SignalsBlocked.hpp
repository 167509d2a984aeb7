// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SIGNALSBLOCKED_HPP
#define TRIDENT_SIGNALSBLOCKED_HPP

#include <csignal>
#include <initializer_list>

namespace Trident::Impl {

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
