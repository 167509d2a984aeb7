// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AMALGAMATIONFACTORY_HPP
#define TRIDENT_AMALGAMATIONFACTORY_HPP

// The library trident_muelu has this for the types of Tpetra's build. For others, include the _def.
#include "muelu/Trident_AmalgamationFactory_decl.hpp"

#endif
