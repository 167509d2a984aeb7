// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDMULTIPLY_HPP
#define TRIDENT_GRIDMULTIPLY_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "rounds/Trident_GridMultiply_decl.hpp"

#endif
