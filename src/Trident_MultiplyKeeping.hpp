// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYKEEPING_HPP
#define TRIDENT_MULTIPLYKEEPING_HPP

// Trident::Grid::multiplyKeeping(), which Trident_Grid.hpp declares: a product whose kept entries a
// program's own functor chooses. It compiles Trident's kernels with that functor, and the product
// with the program's options (doc/building.md).
#include "product/Trident_MultiplyKeeping_def.hpp"

#endif
