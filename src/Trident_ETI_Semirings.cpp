// SPDX-License-Identifier: BSD-3-Clause
// Local products over semirings and within masks, for every Scalar and Node type that Tpetra was
// built with. This file shares no code with Trident_ETI.cpp, so both can compile at the same time.
#include <TpetraCore_ETIHelperMacros.h>

#include <Tpetra_CrsMatrix.hpp>

#include "kernels/Trident_SemiringProduct_def.hpp"

#define TRIDENT_SEMIRINGPRODUCT_SN_INSTANT(SC, NO)                                    \
  TRIDENT_SEMIRINGPRODUCT_INSTANT(, typename Tpetra::CrsMatrix<SC>::impl_scalar_type, \
                                  NO::device_type)

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SN_NO_ORDINAL_SCALAR(TRIDENT_SEMIRINGPRODUCT_SN_INSTANT)
