// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_HPP
#define TRIDENT_TRANSPFACTORY_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_TransPFactory_def.hpp.
#include "muelu/Trident_TransPFactory_decl.hpp"

#endif
