// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RUNPROGRAM_HPP
#define TRIDENT_RUNPROGRAM_HPP

#include <exception>
#include <iostream>

#include "Trident_ScopeGuard.hpp"

namespace Trident {

/// Does what main() of a program here does: calls `run` in Trident's scope. Returns its status, or
/// 1 if it throws, and says why on standard error.
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
