// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRID_HPP
#define TRIDENT_GRID_HPP

// Programs with whole numbers (long long) include product/Trident_Grid_def.hpp instead.
#include "product/Trident_Grid_decl.hpp"

#endif
