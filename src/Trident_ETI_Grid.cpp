// SPDX-License-Identifier: BSD-3-Clause
// Trident::Grid for every set of types that Tpetra was built with.
#include <TpetraCore_ETIHelperMacros.h>

#include "Trident_Grid_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_GRID_INSTANT)
