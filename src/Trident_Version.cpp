// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Version.hpp"

namespace Trident {

std::string version() { return TRIDENT_VERSION_STRING; }

}  // namespace Trident
