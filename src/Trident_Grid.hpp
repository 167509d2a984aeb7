// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_HPP
#define TRIDENT_GRID_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_Grid_decl.hpp"

#endif
