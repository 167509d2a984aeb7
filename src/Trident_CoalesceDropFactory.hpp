// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPFACTORY_HPP
#define TRIDENT_COALESCEDROPFACTORY_HPP

// Instantiated in the library trident_muelu for the types Tpetra was built with; for others include
// the _def.
#include "muelu/Trident_CoalesceDropFactory_decl.hpp"

#endif
