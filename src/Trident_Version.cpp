// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Version.hpp"

namespace Trident {

std::string version() { return "Trident 0.1.0"; }

}  // namespace Trident
