// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUSPARSEPRODUCT_HPP
#define TRIDENT_CUSPARSEPRODUCT_HPP

#include <Kokkos_Complex.hpp>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "Trident_Error.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_TileAssembly.hpp"

// A·B and A + B by cuSPARSE. "auto" never takes its product, as Trident's own is faster
// (doc/results/decisions.md): it stays because the paper has it, and as a baseline.

namespace Trident::Impl {

enum class CusparseScalar { None, Float, Double, ComplexFloat, ComplexDouble };

/// A matrix in device memory as cuSPARSE wants it: less than 2^31 entries, offsets of 32 bits.
struct CusparseMatrix {
  int rows, columns, entries;
  const int* offsets;  ///< rows + 1
  const int* indices;
  const void* values;
};

/// Returns true if this build has cuSPARSE.
bool hasCusparse();

/// C = A·B by cuSPARSE, in two steps, as the caller allocates C's entries once their number is
/// known. C does not depend on values. Local; A and B must stay until copy() has returned.
///
/// Of cuSPARSE's algorithms the fastest whose workspace fits the device's free memory is used. None
/// may have 2^31 or more multiply-adds: they then give wrong results without saying so.
class CusparseProduct {
 public:
  /// @param offsetsC rows of A + 1, written by copy()
  /// Throws Trident::Error where it fails, or where this build has no cuSPARSE.
  CusparseProduct(CusparseScalar scalar, const CusparseMatrix& A, const CusparseMatrix& B,
                  long long multiplyAdds, int* offsetsC);
  ~CusparseProduct();
  CusparseProduct(const CusparseProduct&) = delete;
  CusparseProduct& operator=(const CusparseProduct&) = delete;

  int entries() const;  ///< of C
  void copy(int* columns, void* values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

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

/// cuSPARSE's name of a scalar; None where it has none.
template <class Scalar>
constexpr CusparseScalar cusparseScalar =
    std::is_same<Scalar, float>::value                     ? CusparseScalar::Float
    : std::is_same<Scalar, double>::value                  ? CusparseScalar::Double
    : std::is_same<Scalar, Kokkos::complex<float>>::value  ? CusparseScalar::ComplexFloat
    : std::is_same<Scalar, Kokkos::complex<double>>::value ? CusparseScalar::ComplexDouble
                                                           : CusparseScalar::None;

/// Entries, or multiply-adds, that cuSPARSE's 32-bit integers count.
constexpr long long cusparseMost = std::numeric_limits<int>::max();

/// Returns the offsets of rows begin .. begin + rows, counted from their first entry, in 32 bits.
template <class Scalar, class Device>
Kokkos::View<int*, Device> narrowOffsets(const LocalMatrix<Scalar, Device>& matrix, int begin,
                                         int rows, std::size_t firstEntry, long long entries) {
  if (entries > cusparseMost)
    throw Error("Trident::CusparseProduct", "cuSPARSE takes less than 2^31 entries, not " +
                                                std::to_string(entries) +
                                                "; use \"kernel\" = \"kokkos-kernels\"");
  const auto narrow = uninitialized<int, Device>("Trident::offsets32", rows + 1);
  const auto wide = matrix.graph.row_map;
  Kokkos::parallel_for(
      "Trident::narrowOffsets", Range<Device>(0, rows + 1LL),
      TRIDENT_LAMBDA(long long r) { narrow(r) = static_cast<int>(wide(begin + r) - firstEntry); });
  return narrow;
}

/// Rows of a matrix as cuSPARSE takes them.
template <class Scalar, class Device>
struct CusparseRows {
  Kokkos::View<int*, Device> offsets;
  CusparseMatrix matrix;

  /// @param firstEntry the offset of row `begin`
  CusparseRows(const LocalMatrix<Scalar, Device>& from, int begin, int rows, std::size_t firstEntry,
               long long entries)
      : offsets(narrowOffsets(from, begin, rows, firstEntry, entries)) {
    matrix = {rows,
              from.numCols(),
              static_cast<int>(entries),
              offsets.data(),
              from.graph.entries.data() + firstEntry,
              from.values.data() + firstEntry};
  }
  explicit CusparseRows(const LocalMatrix<Scalar, Device>& whole)
      : CusparseRows(whole, 0, whole.numRows(), 0, whole.nnz()) {}
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
LocalMatrix<Scalar, Device> cusparseRowsProduct(const CusparseRows<Scalar, Device>& A,
                                                const CusparseRows<Scalar, Device>& B,
                                                long long multiplyAdds) {
  const int rows = A.matrix.rows, columns = B.matrix.columns;
  const auto offsets = uninitialized<int, Device>("Trident::offsets32", rows + 1);
  CusparseProduct product(cusparseScalar<Scalar>, A.matrix, B.matrix, multiplyAdds, offsets.data());
  if (product.entries() == 0) return emptyMatrix<Scalar, Device>(rows, columns);
  CrsArrays<Scalar, Device> C;
  C.columns = uninitialized<int, Device>("Trident::columns", product.entries());
  C.values = uninitialized<Scalar, Device>("Trident::values", product.entries());
  product.copy(C.columns.data(), C.values.data());
  C.offsets = widen<Device>(offsets);
  return C.matrix(columns);
}

/// Joins matrices one below the other; they are taken apart on the way, to need less memory.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> stackRows(std::vector<LocalMatrix<Scalar, Device>>& parts, int rows,
                                      int columns) {
  std::size_t entries = 0;
  for (const auto& part : parts) entries += part.nnz();
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  const CrsArrays<Scalar, Device> C{offsets,
                                    uninitialized<int, Device>("Trident::columns", entries),
                                    uninitialized<Scalar, Device>("Trident::values", entries)};
  const RowArrays<Scalar> tile{offsets.data(), C.columns.data(), C.values.data()};
  RowBlock block{0, 0, 0};
  for (auto& part : parts) {
    block.rows = part.numRows();
    writeRows<Scalar, Device>(part, 0, block, tile);
    block.rowBegin += part.numRows();
    block.entryBegin += part.nnz();
    part = LocalMatrix<Scalar, Device>();
  }
  Kokkos::deep_copy(Kokkos::subview(offsets, rows), entries);
  return C.matrix(columns);
}

/// Cuts A's rows so that each piece has at most `most` multiply-adds, and entries; a row that has
/// more is a piece of its own. The list begins with 0 and ends with the rows.
/// @param before multiply-adds of all rows before a row, rows + 1
template <class Offsets, class Counts>
std::vector<int> cutRows(const Offsets& offsets, const Counts& before, int rows, long long most) {
  std::vector<int> cuts{0};
  for (int r = 1; r <= rows; ++r) {
    const int begin = cuts.back();
    const bool tooMany = before(r) - before(begin) > most ||
                         static_cast<long long>(offsets(r) - offsets(begin)) > most;
    if (tooMany && r - 1 > begin) cuts.push_back(r - 1);
  }
  cuts.push_back(rows);
  return cuts;
}

/// Forms A·B by cuSPARSE; rows of A in as many pieces as its integers need.
/// @param most multiply-adds of a piece; fewer than cusparseMost are for tests
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> cusparseProduct(const LocalMatrix<Scalar, Device>& A,
                                            const LocalMatrix<Scalar, Device>& B,
                                            long long most = cusparseMost) {
  const CusparseRows<Scalar, Device> wholeB(B);
  const long long multiplyAdds = countMultiplyAdds(A, B);
  if (multiplyAdds == 0) return emptyMatrix<Scalar, Device>(A.numRows(), B.numCols());
  if (multiplyAdds <= most && static_cast<long long>(A.nnz()) <= most)
    return cusparseRowsProduct(CusparseRows<Scalar, Device>(A), wholeB, multiplyAdds);

  const Kokkos::HostSpace host;
  const auto offsets = Kokkos::create_mirror_view_and_copy(host, A.graph.row_map);
  const auto before = Kokkos::create_mirror_view_and_copy(host, multiplyAddsBeforeRows(A, B));
  const std::vector<int> cuts = cutRows(offsets, before, A.numRows(), most);
  std::vector<LocalMatrix<Scalar, Device>> parts;
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
    const int begin = cuts[c], end = cuts[c + 1];
    const long long entries = static_cast<long long>(offsets(end) - offsets(begin));
    const long long here = before(end) - before(begin);
    parts.push_back(here == 0
                        ? emptyMatrix<Scalar, Device>(end - begin, B.numCols())
                        : cusparseRowsProduct(CusparseRows<Scalar, Device>(A, begin, end - begin,
                                                                           offsets(begin), entries),
                                              wholeB, here));
  }
  return stackRows(parts, A.numRows(), B.numCols());
}

/// Returns true if cusparseSum() can add two matrices.
template <class Scalar, class Device>
bool cusparseCanAdd(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
  return isCuda<Device> && cusparseScalar<Scalar> != CusparseScalar::None && hasCusparse() &&
         static_cast<long long>(A.nnz() + B.nnz()) <= cusparseMost;
}

/// Forms A + B by cuSPARSE; their rows are sorted.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> cusparseSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B) {
  const CusparseRows<Scalar, Device> a(A), b(B);
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
