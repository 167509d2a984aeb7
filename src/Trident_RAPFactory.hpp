// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RAPFACTORY_HPP
#define TRIDENT_RAPFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_RAPFactory_def.hpp.
#include "muelu/Trident_RAPFactory_decl.hpp"

#endif
