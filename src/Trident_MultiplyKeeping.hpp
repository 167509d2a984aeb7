// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYKEEPING_HPP
#define TRIDENT_MULTIPLYKEEPING_HPP

// The code of Trident::Grid::multiplyKeeping(): a product with a functor that chooses the entries.
// A program that includes this header compiles Trident's kernels with its own functor and compiler
// options (doc/building.md).
#include "product/Trident_MultiplyKeeping_def.hpp"

#endif
