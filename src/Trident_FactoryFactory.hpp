// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYFACTORY_HPP
#define TRIDENT_FACTORYFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_FactoryFactory_def.hpp.
#include "muelu/Trident_FactoryFactory_decl.hpp"

#endif
