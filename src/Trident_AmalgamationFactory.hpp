// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AMALGAMATIONFACTORY_HPP
#define TRIDENT_AMALGAMATIONFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_AmalgamationFactory_def.hpp.
#include "muelu/Trident_AmalgamationFactory_decl.hpp"

#endif
