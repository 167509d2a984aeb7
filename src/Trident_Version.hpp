// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VERSION_HPP
#define TRIDENT_VERSION_HPP

#include <string>

#include "Trident_config.hpp"

namespace Trident {

/// Returns the version of the library that the program runs with, such as "0.1.0".
/// Trident_config.hpp has macros for the version that the program was compiled with.
std::string version();

}  // namespace Trident

#endif
