// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_KERNELS_HOSTROWS_HPP
#define TRIDENT_KERNELS_HOSTROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "matrix/Trident_LocalMatrix.hpp"

// Random rows on a host, and what their product is to the bit.

namespace Trident::Impl {

using Host = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
using Matrix = LocalMatrix<double, Host>;
using Row = std::map<int, double>;

/// Draws columns in pages, lines and words of their own, and in shared ones.
inline std::vector<int> someColumns(std::mt19937_64& random, int columns, int count) {
  std::vector<int> some;
  while (static_cast<int>(some.size()) < count) {
    const int first = static_cast<int>(random() % columns), run = 1 + random() % 5;
    for (int c = first; c < std::min(columns, first + run); ++c) some.push_back(c);
  }
  return some;
}

inline double someValue(std::mt19937_64& random) {
  return std::ldexp(1.0 + 1e-3 * static_cast<double>(random() % 997), random() % 60) *
         (random() % 2 ? 1 : -1);
}

inline bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Returns true if a row is the expected one, sorted and to the bit.
inline bool isRow(const Row& expected, const int* columns, const double* values,
                  std::size_t entries) {
  bool same = entries == expected.size();
  std::size_t e = 0;
  for (auto entry = expected.begin(); same && entry != expected.end(); ++entry, ++e)
    same = columns[e] == entry->first && sameBits(values[e], entry->second);
  return same;
}

/// Makes a matrix of rows; columns in any order.
inline Matrix matrixOf(const std::vector<std::vector<std::pair<int, double>>>& rows, int columns) {
  std::size_t entries = 0;
  for (const auto& row : rows) entries += row.size();
  const auto offsets = uninitialized<std::size_t, Host>("offsets", rows.size() + 1);
  CrsArrays<double, Host> arrays{offsets, uninitialized<int, Host>("columns", entries),
                                 uninitialized<double, Host>("values", entries)};
  std::size_t e = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    offsets(r) = e;
    for (const auto& entry : rows[r]) {
      arrays.columns(e) = entry.first;
      arrays.values(e++) = entry.second;
    }
  }
  offsets(rows.size()) = e;
  return arrays.matrix(columns);
}

inline Row expectedRow(const Matrix& A, const Matrix& B, int r) {
  Row row;
  for (std::size_t a = A.graph.row_map(r); a < A.graph.row_map(r + 1); ++a)
    for (std::size_t b = B.graph.row_map(A.graph.entries(a));
         b < B.graph.row_map(A.graph.entries(a) + 1); ++b)
      row.emplace(B.graph.entries(b), 0.0).first->second += A.values(a) * B.values(b);
  return row;
}

/// Counts the rows of A·B that are not the expected ones.
inline int wrongRows(const Matrix& A, const Matrix& B, const Matrix& C, int step = 1) {
  int wrong = C.numRows() != A.numRows() || C.numCols() != B.numCols();
  for (int r = 0; wrong == 0 && r < A.numRows(); r += step) {
    const std::size_t first = C.graph.row_map(r);
    wrong += !isRow(expectedRow(A, B, r), C.graph.entries.data() + first, C.values.data() + first,
                    C.graph.row_map(r + 1) - first);
  }
  return wrong;
}

inline std::vector<std::vector<std::pair<int, double>>> someRows(std::mt19937_64& random, int rows,
                                                                 int columns, int most) {
  std::vector<std::vector<std::pair<int, double>>> all(rows);
  for (auto& row : all) {
    for (const int c : someColumns(random, columns, static_cast<int>(random() % (most + 1))))
      row.emplace_back(c, someValue(random));
    if (random() % 3) std::sort(row.begin(), row.end());
  }
  return all;
}

}  // namespace Trident::Impl

#endif
