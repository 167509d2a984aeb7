// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUSPARSESUM_HPP
#define TRIDENT_CUSPARSESUM_HPP

#include <Kokkos_Complex.hpp>
#include <limits>
#include <memory>
#include <type_traits>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

// A + B by cuSPARSE, as in the paper. cuSPARSE's product is not used: Trident's own is 1.9 to 22
// times as fast, and can have 2^31 multiply-adds and more (doc/results/gpu.md).

namespace Trident::Impl {

enum class CusparseScalar { None, Float, Double, ComplexFloat, ComplexDouble };

/// A matrix in device memory in cuSPARSE's form: less than 2^31 entries, and offsets of 32 bits.
struct CusparseMatrix {
  int rows, columns, entries;
  const int* offsets;  ///< array of rows + 1 offsets
  const int* indices;
  const void* values;
};

bool hasCusparse();

/// C = A + B by cuSPARSE's csrgeam2. The constructor finds the number of C's entries, the caller
/// allocates the entries, and compute() writes them. The rows of A, B and C are sorted. A and B
/// have less than 2^31 entries together. Local. Objects share a workspace, so use one at a time.
class CusparseSum {
 public:
  /// Throws Trident::Error if cuSPARSE fails, or if this build has no cuSPARSE.
  /// @param offsetsC gets the rows + 1 offsets of C
  CusparseSum(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
              int* offsetsC);
  ~CusparseSum();
  CusparseSum(const CusparseSum&) = delete;
  CusparseSum& operator=(const CusparseSum&) = delete;

  int entries() const;  ///< number of C's entries
  void compute(int* columns, void* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The name that cuSPARSE has for a scalar; None if there is no such name.
template <class Scalar>
constexpr CusparseScalar cusparseScalar =
    std::is_same<Scalar, float>::value                     ? CusparseScalar::Float
    : std::is_same<Scalar, double>::value                  ? CusparseScalar::Double
    : std::is_same<Scalar, Kokkos::complex<float>>::value  ? CusparseScalar::ComplexFloat
    : std::is_same<Scalar, Kokkos::complex<double>>::value ? CusparseScalar::ComplexDouble
                                                           : CusparseScalar::None;

/// Largest number of entries that cuSPARSE's 32-bit integers can count.
constexpr long long cusparseMost = std::numeric_limits<int>::max();

template <class Scalar, class Device>
Kokkos::View<int*, Device> narrowOffsets(const LocalMatrix<Scalar, Device>& matrix) {
  const auto narrow = uninitialized<int, Device>("Trident::offsets32", matrix.numRows() + 1);
  const auto wide = matrix.graph.row_map;
  Kokkos::parallel_for(
      "Trident::narrowOffsets", Range<Device>(0, matrix.numRows() + 1LL),
      TRIDENT_LAMBDA(long long r) { narrow(r) = static_cast<int>(wide(r)); });
  return narrow;
}

/// A local matrix in cuSPARSE's form. Owns the offsets; the other arrays are the local matrix's.
template <class Scalar, class Device>
struct CusparseOperand {
  Kokkos::View<int*, Device> offsets;
  CusparseMatrix matrix;

  explicit CusparseOperand(const LocalMatrix<Scalar, Device>& from) : offsets(narrowOffsets(from)) {
    matrix = {from.numRows(),
              from.numCols(),
              static_cast<int>(from.nnz()),
              offsets.data(),
              from.graph.entries.data(),
              from.values.data()};
  }
};

template <class Device>
Kokkos::View<std::size_t*, Device> widen(const Kokkos::View<int*, Device>& narrow) {
  const auto wide = uninitialized<std::size_t, Device>("Trident::offsets", narrow.extent(0));
  Kokkos::parallel_for(
      "Trident::widenOffsets", Range<Device>(0, narrow.extent(0)),
      TRIDENT_LAMBDA(long long r) { wide(r) = static_cast<std::size_t>(narrow(r)); });
  return wide;
}

template <class Scalar, class Device>
bool cusparseCanAdd(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
  return isCuda<Device> && cusparseScalar<Scalar> != CusparseScalar::None && hasCusparse() &&
         static_cast<long long>(A.nnz() + B.nnz()) <= cusparseMost;
}

/// Forms A + B by cuSPARSE. The rows of A and of B must be sorted.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> cusparseSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B) {
  const CusparseOperand<Scalar, Device> a(A), b(B);
  const auto offsets = uninitialized<int, Device>("Trident::offsets32", A.numRows() + 1);
  CusparseSum sum(cusparseScalar<Scalar>, a.matrix, b.matrix, offsets.data());
  CrsArrays<Scalar, Device> C;
  C.columns = uninitialized<int, Device>("Trident::columns", sum.entries());
  C.values = uninitialized<Scalar, Device>("Trident::values", sum.entries());
  sum.compute(C.columns.data(), C.values.data());
  C.offsets = widen<Device>(offsets);
  return C.matrix(A.numCols());
}

}  // namespace Trident::Impl

#endif
