// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RAPFACTORY_HPP
#define TRIDENT_RAPFACTORY_HPP

// Library trident_muelu has code for Tpetra's types. For others, include _def.hpp, not _decl.hpp.
#include "muelu/Trident_RAPFactory_decl.hpp"

#endif
