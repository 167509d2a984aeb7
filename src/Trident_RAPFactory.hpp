// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RAPFACTORY_HPP
#define TRIDENT_RAPFACTORY_HPP

// The library trident_muelu has this for the types of Tpetra's build. For others, include the _def.
#include "muelu/Trident_RAPFactory_decl.hpp"

#endif
