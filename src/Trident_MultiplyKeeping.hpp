// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYKEEPING_HPP
#define TRIDENT_MULTIPLYKEEPING_HPP

// Trident::Grid::multiplyKeeping(), declared in Trident_Grid.hpp: a product of which a program's
// own functor chooses the entries to keep. A program that includes this compiles Trident's kernels
// with its functor, by its own compiler options (doc/building.md).
#include "product/Trident_MultiplyKeeping_def.hpp"

#endif
