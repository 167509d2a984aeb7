// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_HPP
#define TRIDENT_TRANSPFACTORY_HPP

// Instantiated in the library trident_muelu for the types Tpetra was built with; for others include
// the _def.
#include "muelu/Trident_TransPFactory_decl.hpp"

#endif
