// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COMPARE_HPP
#define TRIDENTPROBLEMS_COMPARE_HPP

#include <cstdint>
#include <string>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Differences of a product from what it should be; equal on every rank.
struct Comparison {
  bool structureMatches = false;  ///< Maps and positions of entries are as they should be
  double maxRelError = 0;         ///< largest |C - T|_ij / (|op(A)| |op(B)|)_ij, T of Tpetra
  std::int64_t missing = 0;       ///< positions that C lacks
  std::int64_t extra = 0;         ///< positions that C has too many
  std::string detail;             ///< the first difference in words; empty where there is none
};

/// Compares C with Tpetra's op(A) op(B). Collective; A and B are untouched.
///
/// Values: against Tpetra's product, relative to the product of the moduli, which bounds the
/// rounding error of any order of summation; NaN equals NaN, an infinity itself, anything else
/// that is not finite differs infinitely. (Tpetra 13.2 skips stored zeros of A on hosts: a zero of
/// A times an infinity or NaN of B is not in its product.)
/// Structure: against Tpetra's product of the patterns (all values 1), because stored zeros of A
/// must count. Row Map: A's, or A's domain Map if transposed; domain and range Map: those of op(B)
/// and op(A). C may have rows of another order of columns, or more column indices than it uses.
/// Throws MatrixError on every rank where C is not fill-complete, and what Tpetra throws.
Comparison compareWithTpetra(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                             const matrix_type& C);

/// Returns max |C x - op(A) (op(B) x)| / max |op(A) (op(B) x)| for a vector x of positive random
/// numbers. It is formed on the device, and by memory that grows with rows alone, so for products
/// of any size. Collective.
double vectorError(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                   const matrix_type& C);

}  // namespace Problems
}  // namespace Trident

#endif
