// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTCONTRACT_HPP
#define TRIDENT_TESTCONTRACT_HPP

#include "Trident_TestProduct.hpp"

/// \file Trident_TestContract.hpp
/// A random op(A)·op(B) for the rows of Tpetra's contract (the eight-argument form).

namespace TridentTest {

struct Operands {
  Random random;
  bool transA, transB;
  Sparse a, b;  ///< op(A) and op(B)
  Indices rows, inner, cols;
  MapPtr rowMap, innerMap, colMap;
  MatrixPtr A, B;
  int lambda = 1;
  std::string shape;
  Teuchos::RCP<Teuchos::ParameterList> params;

  Operands(std::uint64_t seed, bool transposeA, bool transposeB);

  /// Makes A and B anew, of the values that a and b have now.
  void form();
  Expected expected() const;

  void multiply(matrix_type& C, bool complete) const;
  /// Returns nothing if all is well, else the problem with what it takes to see it again.
  /// Collective.
  std::string verdict(std::uint64_t seed, const std::string& problem) const;
};

/// Checks C x by place of the rows, for x = 1, 2, 3, ... by place of the columns. Collective.
std::string checkProductWithVector(const matrix_type& C, const Expected& expected,
                                   const Indices& rows, const Indices& cols);

}  // namespace TridentTest

#endif
