// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_HPP
#define TRIDENT_GRID_HPP

// The library has it for the types Tpetra was built with; for whole numbers include the _def.
#include "product/Trident_Grid_decl.hpp"

#endif
