// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAPFACTORY_HPP
#define TRIDENT_SAPFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_SaPFactory_def.hpp.
#include "muelu/Trident_SaPFactory_decl.hpp"

#endif
