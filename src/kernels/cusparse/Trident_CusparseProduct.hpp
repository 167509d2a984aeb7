// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUSPARSEPRODUCT_HPP
#define TRIDENT_CUSPARSEPRODUCT_HPP

#include <memory>

namespace Trident::Impl {

enum class CusparseScalar { None, Float, Double, ComplexFloat, ComplexDouble };

/// A matrix in device memory as cuSPARSE wants it: less than 2^31 entries, offsets of 32 bits.
struct CusparseMatrix {
  int rows, columns, entries;
  const int* offsets;  ///< rows + 1
  const int* indices;
  const void* values;
};

/// Whether this build has cuSPARSE.
bool hasCusparse();

/// C = A·B by cuSPARSE, in two steps, as the caller allocates C's entries once their number is
/// known. C does not depend on values. Local; A and B must stay until copy() has returned.
///
/// Of cuSPARSE's algorithms the fastest whose workspace fits the device's free memory is used. None
/// may have 2^31 or more products: they then give wrong results without saying so.
class CusparseProduct {
 public:
  /// @param offsetsC rows of A + 1, written by copy()
  /// Throws Trident::Error where it fails, or where this build has no cuSPARSE.
  CusparseProduct(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
                  long long products, int* offsetsC);
  ~CusparseProduct();
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;

  int entries() const;  ///< of C
  void copy(int* columns, void* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace Trident::Impl

#endif
