// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPFACTORY_HPP
#define TRIDENT_COALESCEDROPFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_CoalesceDropFactory_def.hpp.
#include "muelu/Trident_CoalesceDropFactory_decl.hpp"

#endif
