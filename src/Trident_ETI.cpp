// SPDX-License-Identifier: BSD-3-Clause
// All products, plans and grids, for every set of types that Tpetra was built with. One file has
// all of them, because several files would compile their common code several times.
#include <TpetraCore_ETIHelperMacros.h>

#include <Tpetra_CrsMatrix.hpp>

#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_Grid_def.hpp"
#include "product/Trident_Jacobi_def.hpp"
#include "product/Trident_MultiplyPlan_def.hpp"
#include "product/Trident_MultiplyRAP_def.hpp"
#include "product/Trident_Multiply_def.hpp"
#include "product/Trident_Plan_def.hpp"
#include "product/Trident_Product.hpp"
#include "product/Trident_Transpose_def.hpp"

// Instantiates Product, too, for the drop-in and for a test of options that no parameter sets.
#define TRIDENT_PRODUCT_INSTANT(SC, LO, GO, NO)          \
  template class Trident::Impl::Product<SC, LO, GO, NO>; \
  template Trident::Report Trident::Impl::formProduct(Trident::Impl::ProductCall<SC, LO, GO, NO>);

// Instantiated in Trident_ETI_Semirings.cpp.
#define TRIDENT_SEMIRINGPRODUCT_EXTERN(SC, NO)                                              \
  TRIDENT_SEMIRINGPRODUCT_INSTANT(extern, typename Tpetra::CrsMatrix<SC>::impl_scalar_type, \
                                  NO::device_type)

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SN_NO_ORDINAL_SCALAR(TRIDENT_SEMIRINGPRODUCT_EXTERN)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_PRODUCT_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLY_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLYPLAN_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_MULTIPLYRAP_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_JACOBI_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_PLAN_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_GRID_INSTANT)
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(TRIDENT_TRANSPOSE_INSTANT)
