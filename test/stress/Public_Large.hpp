// SPDX-License-Identifier: BSD-3-Clause
// Products whose tiles are as large as a small /dev/shm, and more.
#ifndef TRIDENT_PUBLIC_LARGE_HPP
#define TRIDENT_PUBLIC_LARGE_HPP

#include "Public_Products.hpp"
#include "Trident_TestLarge.hpp"

namespace TridentTest {
namespace PublicStress {

/// Checks C·x against A·(B·x), for x = 1, 2, 3, 1, ... Collective.
inline std::string checkBySteps(const matrix_type& A, const matrix_type& B, const matrix_type& C) {
  vector_type x(B.getDomainMap()), bx(B.getRangeMap()), abx(A.getRangeMap()), cx(C.getRangeMap());
  const auto gids = Trident::Impl::localGids(*x.getMap());
  for (LO l = 0; l < static_cast<LO>(gids.size()); ++l)
    x.replaceLocalValue(l, static_cast<double>(1 + gids[l] % 3));
  B.apply(x, bx);
  A.apply(bx, abx);
  C.apply(x, cx);
  const auto expected = abx.getData(), found = cx.getData();
  for (int l = 0; l < static_cast<int>(found.size()); ++l)
    if (found[l] != expected[l]) return say("(C x)(", l, ") = ", found[l], " not ", expected[l]);
  return "";
}

/// Multiplies a diagonal with up to 72 MB of columns and values.
inline Outcome runLarge(const Setting& s) {
  const Parameters parameters = ParametersDraw(s.random, s.part, s.arguments).draw();
  const int n = 50000, degree = s.random.oneOf<int>({4, 20, 120}), seed = s.random.below(1000);
  s.tell(say("large product, ", n, " rows of ", degree, "; ", parameters.text()), parameters.tags);
  const MatrixPtr A = bandedRows(n, 0, s.part.comm());
  const MatrixPtr B = randomRows(n, degree, seed, s.part.comm());
  const MatrixPtr C = newResult(*A);
  const Must must = s.arguments.scarce && parameters.asksForShared ? Must::BeEither : Must::BeRight;
  return Attempt{s.part, *C, [&] { Trident::Multiply(*A, *B, *C, parameters.list); },
                 [&] { return checkBySteps(*A, *B, *C); }}
      .make(must);
}

}  // namespace PublicStress
}  // namespace TridentTest

#endif
