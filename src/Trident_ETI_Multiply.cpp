// SPDX-License-Identifier: BSD-3-Clause
// Trident::Multiply and its plan for every set of types that Tpetra was built with.
#include <TpetraCore_ETIHelperMacros.h>

#include "Trident_MultiplyPlan_def.hpp"
#include "Trident_Multiply_def.hpp"

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLYPLAN_INSTANT)
