// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_HPP
#define TRIDENT_GRID_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "Trident_Grid_decl.hpp"

#endif
