// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_PROGRAMSCOPE_HPP
#define TRIDENTPROBLEMS_PROGRAMSCOPE_HPP

#include <algorithm>
#include <csignal>
#include <cstring>

#include "TridentProblems_LoneStart.hpp"
#include "Trident_ScopeGuard.hpp"

namespace Trident {
namespace Problems {

/// Trident::ScopeGuard of a program that says its own --help. Kokkos takes its options out of the
/// arguments, but would say a page of its own for --help; then it sees none of them. A file that is
/// longer than the system allows (ulimit -f), and a pipe whose reader has gone, are errors of what
/// writes them, and no signals that end the program. Without a launcher MPI starts faster, and
/// apart from processes beside it.
class ProgramScope {
 public:
  /// @param argc gets how many arguments are left
  ProgramScope(int& argc, char**& argv)
      : help_(
            std::any_of(argv, argv + argc,
                        [](const char* argument) { return std::strcmp(argument, "--help") == 0; })),
        seen_((hastenLoneStart(), help_ ? 1 : argc)),
        scope_(&seen_, &argv) {
    if (!help_) argc = seen_;
    static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  }

 private:
  bool help_;
  int seen_;  // arguments that Kokkos may look at
  ScopeGuard scope_;
};

}  // namespace Problems
}  // namespace Trident

#endif
