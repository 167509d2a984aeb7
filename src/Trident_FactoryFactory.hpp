// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYFACTORY_HPP
#define TRIDENT_FACTORYFACTORY_HPP

// Instantiated in the library trident_muelu for the types Tpetra was built with; for others include
// the _def.
#include "muelu/Trident_FactoryFactory_decl.hpp"

#endif
