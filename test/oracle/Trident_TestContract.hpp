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

  Operands(std::uint64_t seed, bool transposeA, bool transposeB)
      : random(seed), transA(transposeA), transB(transposeB) {
    const int m = random.between(1, 40), l = random.between(1, 40), n = random.between(1, 40);
    rows = randomIndices(random, m);
    inner = randomIndices(random, l);
    cols = randomIndices(random, n);
    rowMap = makeMap(random, rows, randomLayout(random), world());
    innerMap = makeMap(random, inner, randomLayout(random), world());
    colMap = makeMap(random, cols, randomLayout(random), world());
    a = randomSparse(random, m, l, true);
    b = randomSparse(random, l, n, true);
    form();
    params = randomParameters(random, world()->getSize(), lambda, shape);
  }

  /// A and B anew, of the values that a and b have now.
  void form() {
    A = transA ? makeMatrix(a.transpose(), inner, rows, innerMap, rowMap, innerMap)
               : makeMatrix(a, rows, inner, rowMap, innerMap, rowMap);
    B = transB ? makeMatrix(b.transpose(), cols, inner, colMap, innerMap, colMap)
               : makeMatrix(b, inner, cols, innerMap, colMap, innerMap);
  }
  Expected expected() const { return Expected(a, b); }

  void multiply(matrix_type& C, bool complete) const {
    Trident::Multiply(*A, transA, *B, transB, C, complete, "label", params);
  }
  /// Nothing where all is well, else the problem with what it takes to see it again. Collective.
  std::string verdict(std::uint64_t seed, const std::string& problem) const {
    const std::string first = everywhere(*world(), problem);
    return first.empty() ? "" : say("seed ", seed, transA, transB, ": ", first, "\n", *params);
  }
};

/// C x by place of the rows, for x = 1, 2, 3, ... by place of the columns. Collective.
inline std::string checkProductWithVector(const matrix_type& C, const Expected& expected,
                                          const Indices& rows, const Indices& cols) {
  std::vector<double> x(expected.n), y(expected.m, 0.0);
  for (int j = 0; j < expected.n; ++j) x[j] = j + 1;
  for (int i = 0; i < expected.m; ++i)
    for (int j = 0; j < expected.n; ++j) y[i] += expected.value[i * expected.n + j] * x[j];
  vector_type cx(C.getRangeMap());
  C.apply(vectorOf(C.getDomainMap(), cols, x), cx);
  const auto place = rows.places();
  const auto gids = Trident::localGids(*C.getRangeMap());
  const auto values = cx.getData();
  for (int l = 0; l < static_cast<int>(gids.size()); ++l)
    if (values[l] != y[place.at(gids[l])])
      return say("(C x)(", gids[l], ") = ", values[l], ", expected ", y[place.at(gids[l])]);
  return "";
}

}  // namespace TridentTest

#endif
