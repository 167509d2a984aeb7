// SPDX-License-Identifier: BSD-3-Clause
// Trident::MultiplyRAP, Trident::Jacobi and their plans for every set of types that Tpetra was
// built with.
#include <TpetraCore_ETIHelperMacros.h>

#include "Trident_Jacobi_def.hpp"
#include "Trident_MultiplyRAP_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLYRAP_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_JACOBI_INSTANT)
