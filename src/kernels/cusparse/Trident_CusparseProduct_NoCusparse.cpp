// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "kernels/cusparse/Trident_CusparseProduct.hpp"

namespace Trident::Impl {

bool hasCusparse() { return false; }

struct CusparseProduct::State {};

CusparseProduct::CusparseProduct(CusparseScalar, const CusparseMatrix&, const CusparseMatrix&,
                                 long long, int*) {
  throw Error("Trident::CusparseProduct",
              "this Trident was built without cuSPARSE; use \"kernel\" = \"kokkos-kernels\", or "
              "configure with Trident_ENABLE_CUSPARSE=ON");
}
CusparseProduct::~CusparseProduct() = default;
int CusparseProduct::entries() const { return 0; }
void CusparseProduct::copy(int*, void*) {}

}  // namespace Trident::Impl
