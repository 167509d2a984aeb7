// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "kernels/cusparse/Trident_CusparseSum.hpp"

namespace Trident::Impl {

bool hasCusparse() { return false; }

struct CusparseSum::State {};

CusparseSum::CusparseSum(CusparseScalar, const CusparseMatrix&, const CusparseMatrix&, int*) {
  throw Error("Trident::CusparseSum",
              "this Trident was built without cuSPARSE; configure with Trident_ENABLE_CUSPARSE=ON");
}
CusparseSum::~CusparseSum() = default;
int CusparseSum::entries() const { return 0; }
void CusparseSum::compute(int*, void*) {}

}  // namespace Trident::Impl
