// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestContract.hpp"

namespace TridentTest {

Operands::Operands(std::uint64_t seed, bool transposeA, bool transposeB)
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

void Operands::form() {
  A = transA ? makeMatrix(a.transpose(), inner, rows, innerMap, rowMap, innerMap)
             : makeMatrix(a, rows, inner, rowMap, innerMap, rowMap);
  B = transB ? makeMatrix(b.transpose(), cols, inner, colMap, innerMap, colMap)
             : makeMatrix(b, inner, cols, innerMap, colMap, innerMap);
}

Expected Operands::expected() const { return Expected(a, b); }

void Operands::multiply(matrix_type& C, bool complete) const {
  Trident::Multiply(*A, transA, *B, transB, C, complete, "label", params);
}

std::string Operands::verdict(std::uint64_t seed, const std::string& problem) const {
  const std::string first = everywhere(*world(), problem);
  return first.empty() ? "" : say("seed ", seed, transA, transB, ": ", first, "\n", *params);
}

std::string checkProductWithVector(const matrix_type& C, const Expected& expected,
                                   const Indices& rows, const Indices& cols) {
  std::vector<double> x(expected.n), y(expected.m, 0.0);
  for (int j = 0; j < expected.n; ++j) x[j] = j + 1;
  for (int i = 0; i < expected.m; ++i)
    for (int j = 0; j < expected.n; ++j) y[i] += expected.value[i * expected.n + j] * x[j];
  vector_type cx(C.getRangeMap());
  C.apply(vectorOf(C.getDomainMap(), cols, x), cx);
  const auto place = rows.places();
  const auto gids = Trident::Impl::localGids(*C.getRangeMap());
  const auto values = cx.getData();
  for (int l = 0; l < static_cast<int>(gids.size()); ++l)
    if (values[l] != y[place.at(gids[l])])
      return say("(C x)(", gids[l], ") = ", values[l], ", expected ", y[place.at(gids[l])]);
  return "";
}

}  // namespace TridentTest
