// SPDX-License-Identifier: BSD-3-Clause
#include <cusparse.h>

#include <Kokkos_Core.hpp>

#include "Trident_Error.hpp"
#include "kernels/cusparse/Trident_CusparseHandle.hpp"
#include "kernels/cusparse/Trident_CusparseProduct.hpp"

namespace Trident::Impl {
namespace {

/// The csrgeam2 of a scalar.
struct FloatSum {
  using Value = float;
  static constexpr auto bufferSize = cusparseScsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseScsrgeam2;
  static constexpr Value one = 1;
};
struct DoubleSum {
  using Value = double;
  static constexpr auto bufferSize = cusparseDcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseDcsrgeam2;
  static constexpr Value one = 1;
};
struct ComplexFloatSum {
  using Value = cuComplex;
  static constexpr auto bufferSize = cusparseCcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseCcsrgeam2;
  static constexpr Value one = {1, 0};
};
struct ComplexDoubleSum {
  using Value = cuDoubleComplex;
  static constexpr auto bufferSize = cusparseZcsrgeam2_bufferSizeExt;
  static constexpr auto sum = cusparseZcsrgeam2;
  static constexpr Value one = {1, 0};
};

/// Calls `work` with the functions of a scalar.
template <class Work>
void withScalar(CusparseScalar scalar, Work&& work) {
  switch (scalar) {
    case CusparseScalar::Float:
      return work(FloatSum());
    case CusparseScalar::Double:
      return work(DoubleSum());
    case CusparseScalar::ComplexFloat:
      return work(ComplexFloatSum());
    case CusparseScalar::ComplexDouble:
      return work(ComplexDoubleSum());
    case CusparseScalar::None:
      break;
  }
  throw Error("Trident::CusparseSum", "cuSPARSE does not know this scalar");
}

/// A general matrix that counts from 0, as all here are.
struct Description {
  cusparseMatDescr_t descriptor = nullptr;

  Description() { TRIDENT_CUSPARSE_CHECK(cusparseCreateMatDescr(&descriptor)); }
  ~Description() { TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroyMatDescr(descriptor)); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
};

}  // namespace

struct CusparseSum::State {
  CusparseScalar scalar;
  CusparseMatrix A, B;
  int* offsetsC;
  Description general;
  void* workspace = nullptr;
  int entries = 0;
};

CusparseSum::CusparseSum(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
                         int* offsetsC)
    : state_(new State{scalar, A, B, offsetsC, {}, nullptr, 0}) {
  const cusparseHandle_t handle = cusparseHandle();
  const cusparseMatDescr_t general = state_->general.descriptor;
  std::size_t bytes = 0;
  withScalar(scalar, [&](auto functions) {
    using Functions = decltype(functions);
    using Value = typename Functions::Value;
    const Value one = Functions::one;
    TRIDENT_CUSPARSE_CHECK(Functions::bufferSize(
        handle, A.rows, A.columns, &one, general, A.entries, static_cast<const Value*>(A.values),
        A.offsets, A.indices, &one, general, B.entries, static_cast<const Value*>(B.values),
        B.offsets, B.indices, general, nullptr, offsetsC, nullptr, &bytes));
  });
  state_->workspace = cusparseWorkspace(bytes);
  TRIDENT_CUSPARSE_CHECK(cusparseXcsrgeam2Nnz(
      handle, A.rows, A.columns, general, A.entries, A.offsets, A.indices, general, B.entries,
      B.offsets, B.indices, general, offsetsC, &state_->entries, state_->workspace));
}

CusparseSum::~CusparseSum() = default;

int CusparseSum::entries() const { return state_->entries; }

void CusparseSum::compute(int* columns, void* values) {
  const State& s = *state_;
  const cusparseMatDescr_t general = s.general.descriptor;
  withScalar(s.scalar, [&](auto functions) {
    using Functions = decltype(functions);
    using Value = typename Functions::Value;
    const Value one = Functions::one;
    TRIDENT_CUSPARSE_CHECK(Functions::sum(
        cusparseHandle(), s.A.rows, s.A.columns, &one, general, s.A.entries,
        static_cast<const Value*>(s.A.values), s.A.offsets, s.A.indices, &one, general, s.B.entries,
        static_cast<const Value*>(s.B.values), s.B.offsets, s.B.indices, general,
        static_cast<Value*>(values), s.offsetsC, columns, s.workspace));
  });
}

}  // namespace Trident::Impl
