// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_HPP
#define TRIDENT_GRID_HPP

// Whole numbers (SC = long long) need product/Trident_Grid_def.hpp instead.
#include "product/Trident_Grid_decl.hpp"

#endif
