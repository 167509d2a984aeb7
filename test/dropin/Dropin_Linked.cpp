// SPDX-License-Identifier: BSD-3-Clause
// Makes of the program beside it one that calls Trident too.
#include <Tpetra_CrsMatrix.hpp>
#include <Trident_Multiply.hpp>
#include <cstdio>

extern void (*besides)(const Tpetra::CrsMatrix<>& A);

namespace {

void multiplyByTrident(const Tpetra::CrsMatrix<>& A) {
  Tpetra::CrsMatrix<> C(A.getRowMap(), 0);
  Trident::Multiply(A, false, A, true, C);
  const double norm = C.getFrobeniusNorm();
  if (A.getComm()->getRank() == 0) std::printf("Trident %.12g\n", norm);
}

const bool set = (besides = multiplyByTrident, true);

}  // namespace
