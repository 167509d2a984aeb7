// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ZEROSOFJACOBI_HPP
#define TRIDENT_ZEROSOFJACOBI_HPP

#include <Tpetra_CrsMatrix.hpp>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "dropin/Trident_WithoutStoredZeros.hpp"
#include "matrix/Trident_Device.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Returns true if B stores a zero in a row in which A has no entry on the diagonal. Local.
template <class Matrix>
bool zerosBesideDiagonal(const Matrix& A, const Matrix& B) {
  if (NonzeroEntries<Matrix>(B).zeros() == 0) return false;
  const auto a = localMatrixOf(A), b = localMatrixOf(B);
  const auto& rowsOfA = *A.getRowMap();
  const auto gids = localGids(*B.getRowMap());
  for (int r = 0; r < b.numRows(); ++r) {
    bool zero = false;
    for (auto e = b.graph.row_map(r); e < b.graph.row_map(r + 1) && !zero; ++e)
      zero = b.values(e) == typename decltype(b)::value_type(0);
    const auto row = rowsOfA.getLocalElement(gids[r]);
    if (!zero || !rowsOfA.isNodeLocalElement(row)) continue;
    const auto diagonal = A.getColMap()->getLocalElement(gids[r]);
    bool stored = false;
    for (auto e = a.graph.row_map(row); e < a.graph.row_map(row + 1) && !stored; ++e)
      stored = a.graph.entries(e) == diagonal;
    if (!stored) return true;
  }
  return false;
}

/// Throws Trident::Error on every rank if Tpetra's result B - ω D⁻¹ A B may have fewer entries than
/// Trident's. It may if a row of B stores a zero, and A has no diagonal entry in that row. Tpetra's
/// kernels for hosts drop such zeros, those for devices keep them; with a diagonal entry A·B covers
/// the whole row of B. A C that has a pattern keeps it, so there zeros of B are of no account.
/// Collective, one reduction.
/// @param A without zeros
template <class SC, class LO, class GO, class NO>
void requireNoZerosByThemselves(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  if constexpr (isHost<typename NO::device_type>) {
    if (!A.isFillComplete() || !B.isFillComplete()) return;  // which Trident refuses
    std::vector<long long> found{0};
    LocalFailure failure;
    failure.guard([&] { found[0] = isNew(C) && zerosBesideDiagonal(A, B); });
    maximumEverywhere(rawComm(*A.getComm()), found, failure);
    if (found[0] != 0)
      throw Error(
          "B stores zeros in a row in which A has no entry on the diagonal; Tpetra leaves them "
          "out");
  }
}

}  // namespace Trident::Impl

#endif
