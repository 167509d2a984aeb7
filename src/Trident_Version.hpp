// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VERSION_HPP
#define TRIDENT_VERSION_HPP

#include <string>

namespace Trident {

/// "Trident 0.1.0".
std::string version();

}  // namespace Trident

#endif
