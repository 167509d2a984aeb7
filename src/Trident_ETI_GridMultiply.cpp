// SPDX-License-Identifier: BSD-3-Clause
// Products on the grid for every scalar and node that Tpetra was built with.
#include <TpetraCore_ETIHelperMacros.h>

#include <Tpetra_CrsMatrix.hpp>

#include "Trident_GridMultiply_def.hpp"

#define TRIDENT_GRIDMULTIPLY_SN_INSTANT(SC, NO) \
  TRIDENT_GRIDMULTIPLY_INSTANT(typename Tpetra::CrsMatrix<SC>::impl_scalar_type, NO::device_type)

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SN_NO_ORDINAL_SCALAR(TRIDENT_GRIDMULTIPLY_SN_INSTANT)
