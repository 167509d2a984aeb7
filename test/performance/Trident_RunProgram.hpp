// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNPROGRAM_HPP
#define TRIDENT_RUNPROGRAM_HPP

#include <exception>
#include <iostream>

#include "Trident_ScopeGuard.hpp"

namespace Trident {

/// Calls `run` in Trident's scope, as main() of a program here should. Returns the status of `run`.
/// If `run` throws, returns 1 and says why on standard error.
inline int runProgram(const char* name, int (*run)(int, char**), int argc, char** argv) {
  const ScopeGuard scope(&argc, &argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace Trident

#endif
