// SPDX-License-Identifier: BSD-3-Clause
// The loops of one rank's products on the threads of Kokkos' host, again and again, for
// `openmp_sanitizer`: product, sort, values of a known structure, transpose. Each is compared with
// what std::map makes of the same matrix. Needs Kokkos and KokkosKernels, no Tpetra and no MPI.
//
//   Trident_HostLoops [rows] [mean length of a row] [repetitions]
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "matrix/Trident_TransposeRows.hpp"

namespace {

using Device = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
using Matrix = Trident::Impl::LocalMatrix<double, Device>;
using Rows = std::vector<std::map<int, double>>;

/// Draws rows of all lengths up to twice the mean: empty ones, and a hub. Their values are whole
/// numbers, so that sums do not depend on their order.
Rows randomRows(int rows, int mean) {
  std::mt19937 random(7);
  Rows made(rows);
  for (int r = 0; r < rows; ++r) {
    std::size_t length = r % 37 == 0 ? 0 : 1 + random() % (2 * mean - 1);
    if (r == rows / 2) length = rows / 2;
    while (made[r].size() < length) made[r][random() % rows] = 1 + random() % 1000;
  }
  return made;
}

Rows product(const Rows& A) {
  Rows C(A.size());
  for (std::size_t r = 0; r < A.size(); ++r)
    for (const auto& a : A[r])
      for (const auto& b : A[a.first]) C[r][b.first] += a.second * b.second;
  return C;
}

Matrix matrixOf(const Rows& rows) {
  Trident::Impl::CrsArrays<double, Device> arrays;
  const auto offsets =
      Trident::Impl::uninitialized<std::size_t, Device>("offsets", rows.size() + 1);
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.size(); at += rows[r++].size()) offsets(r) = at;
  offsets(rows.size()) = at;
  arrays.offsets = offsets;
  arrays.columns = Trident::Impl::uninitialized<int, Device>("columns", at);
  arrays.values = Trident::Impl::uninitialized<double, Device>("values", at);
  at = 0;
  for (const auto& row : rows)
    for (const auto& entry : row) {
      arrays.columns(at) = entry.first;
      arrays.values(at++) = entry.second;
    }
  return arrays.matrix(static_cast<int>(rows.size()));
}

bool same(const Matrix& C, const Rows& expected) {
  for (int r = 0; r < C.numRows(); ++r) {
    std::size_t e = C.graph.row_map(r);
    if (C.graph.row_map(r + 1) - e != expected[r].size()) return false;
    for (const auto& entry : expected[r]) {
      if (C.graph.entries(e) != entry.first || C.values(e) != entry.second) return false;
      ++e;
    }
  }
  return true;
}

/// Returns true if each entry's place is in the transpose once, in the row of its column.
bool transposes(const Matrix& A) {
  const auto transposed = Trident::Impl::transposeRows(A);
  std::vector<char> met(A.nnz(), 0);
  for (int row = 0; row < A.numCols(); ++row)
    for (std::size_t e = transposed.offsets(row); e < transposed.offsets(row + 1); ++e) {
      const std::size_t source = transposed.source(e);
      if (A.graph.entries(source) != row || met[source]++) return false;
    }
  return transposed.offsets(A.numCols()) == A.nnz();
}

int run(int rows, int mean, int repeat) {
  const Rows a = randomRows(rows, mean), expected = product(a);
  const Matrix A = matrixOf(a);
  int wrong = 0;
  for (int n = 0; n < repeat; ++n) {
    const Matrix C = Trident::Impl::hostProduct(A, A).C;
    Trident::Impl::sortRows<double, Device>(C);
    wrong += !same(C, expected);
    Kokkos::deep_copy(C.values, -1.0);
    wrong += Trident::Impl::numericProduct(A, A, C, false).strays != 0;
    wrong += !same(C, expected);
    wrong += !transposes(A);
  }
  std::printf("%d products on %d threads of %s, %d wrong results\n", repeat,
              static_cast<int>(Device::execution_space().concurrency()),
              Device::execution_space::name(), wrong);
  return wrong;
}

int argument(int argc, char** argv, int n, int otherwise) {
  return argc > n ? std::atoi(argv[n]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize();
  const int wrong =
      run(argument(argc, argv, 1, 3000), argument(argc, argv, 2, 8), argument(argc, argv, 3, 5));
  Kokkos::finalize();
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
