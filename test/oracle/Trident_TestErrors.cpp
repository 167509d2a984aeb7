// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestErrors.hpp"

namespace TridentTest {

Fixture::Fixture(const CommPtr& comm, int m, int l, int n) {
  Random random(11);
  rows = contiguousIndices(m);
  inner = contiguousIndices(l, 1);
  cols = contiguousIndices(n);
  a = randomSparse(random, m, l, true);
  b = randomSparse(random, l, n, true);
  const MapPtr rowMap = makeMap(random, rows, Layout::Cyclic, comm);
  const MapPtr innerMap = makeMap(random, inner, Layout::Uniform, comm);
  A = makeMatrix(a, rows, inner, rowMap, innerMap, rowMap);
  B = makeMatrix(b, inner, cols, innerMap, makeMap(random, cols, Layout::Uneven, comm), innerMap);
}

std::string expectUsable(const Fixture& f, matrix_type& C) {
  Trident::Multiply(*f.A, *f.B, C);
  const std::string problem = checkForm(*f.A, *f.B, C);
  if (!problem.empty()) return problem;
  return everywhere(*f.A->getComm(), checkEntries(C, Expected(f.a, f.b), f.rows, f.cols, true));
}

}  // namespace TridentTest
