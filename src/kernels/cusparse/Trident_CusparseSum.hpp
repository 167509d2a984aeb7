// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUSPARSESUM_HPP
#define TRIDENT_CUSPARSESUM_HPP

#include <memory>

#include "kernels/cusparse/Trident_CusparseProduct.hpp"

namespace Trident::Impl {

/// C = A + B by cuSPARSE's csrgeam2, in two steps as CusparseProduct. The rows of A and B, and so
/// those of C, are sorted; A and B have less than 2^31 entries together. Local. One at a time: the
/// workspace is kept for the next.
class CusparseSum {
 public:
  /// @param offsetsC rows + 1, written here
  /// Throws Trident::Error where it fails, or where this build has no cuSPARSE.
  CusparseSum(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
              int* offsetsC);
  ~CusparseSum();
  CusparseSum(const CusparseSum&) = delete;
  CusparseSum& operator=(const CusparseSum&) = delete;

  int entries() const;  ///< of C
  void compute(int* columns, void* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Trident::Impl

#endif
