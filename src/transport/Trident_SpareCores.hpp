// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SPARECORES_HPP
#define TRIDENT_SPARECORES_HPP

#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Whether every rank's host has, beside the cores that its ranks of these compute with, one more
/// for each of them. Cores are those that these ranks may run on. Collective; the same on all
/// ranks.
bool haveSpareCores(const GridRanks& ranks);

}  // namespace Trident::Impl

#endif
