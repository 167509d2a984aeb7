// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPFACTORY_HPP
#define TRIDENT_COALESCEDROPFACTORY_HPP

// Library trident_muelu has code for Tpetra's types. For others, include _def.hpp, not _decl.hpp.
#include "muelu/Trident_CoalesceDropFactory_decl.hpp"

#endif
