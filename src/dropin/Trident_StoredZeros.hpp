// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDZEROS_HPP
#define TRIDENT_STOREDZEROS_HPP

#include <Tpetra_CrsMatrix.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "matrix/Trident_WithoutZeros.hpp"
#include "product/Trident_ProductCall.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// Returns the call with one change for hosts: zeros that left factors store are no entries.
/// Tpetra's kernels for hosts pass over such zeros; those for devices do not. MueLu filters a
/// matrix by writing zeros. As entries, they would fill its coarse matrices.
template <class SC, class LO, class GO, class NO>
ProductCall<SC, LO, GO, NO> passingZeros(ProductCall<SC, LO, GO, NO> call) {
  for (std::size_t p = 0; p + 1 < call.operands.size(); ++p)
    call.operands[p].ignoresZeros = isHost<typename NO::device_type>;
  return call;
}

/// Returns true if B stores a zero in a row whose diagonal entry in A is missing or 0. Local.
template <class Matrix>
bool zerosBesideDiagonal(const Matrix& A, const Matrix& B) {
  const auto a = localMatrixOf(A), b = localMatrixOf(B);
  const auto zeros = findRowsWithZeros(b);
  if (zeros.extent(0) == 0) return false;
  const auto& rowsOfA = *A.getRowMap();
  const auto gids = localGids(*B.getRowMap());
  for (int r = 0; r < b.numRows(); ++r) {
    const auto row = rowsOfA.getLocalElement(gids[r]);
    if (!zeros(r) || !rowsOfA.isNodeLocalElement(row)) continue;
    const auto diagonal = A.getColMap()->getLocalElement(gids[r]);
    bool stored = false;
    for (auto e = a.graph.row_map(row); e < a.graph.row_map(row + 1) && !stored; ++e)
      stored =
          a.graph.entries(e) == diagonal && !(a.values(e) == typename decltype(a)::value_type(0));
    if (!stored) return true;
  }
  return false;
}

/// Throws Trident::Error on every rank if Tpetra's result B - ω D⁻¹ A B may have fewer entries than
/// Trident's. In the first term, Tpetra's kernels for hosts drop zeros; those for devices do not.
/// If A stores A(i, i) ≠ 0, A·B has all entries of row i of B, so zeros in this row do not matter.
/// Does not throw if C has a pattern, because C keeps it. Collective: one reduction.
template <class SC, class LO, class GO, class NO>
void requireNoZerosByThemselves(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  if constexpr (isHost<typename NO::device_type>) {
    if (!A.isFillComplete() || !B.isFillComplete()) return;  // the product will refuse A or B
    std::vector<long long> found{0};
    LocalFailure failure;
    failure.guard([&] {
      const std::string refused = SingleThreadGuard::problem();  // another thread may be inside
      if (!refused.empty()) throw Error(refused);
      found[0] = isNew(C) && zerosBesideDiagonal(A, B);
    });
    maximumEverywhere(rawComm(*A.getComm()), found, failure);
    if (found[0] != 0)
      throw Error(
          "B stores zeros in a row in which A has no entry on the diagonal; Tpetra leaves them "
          "out");
  }
}

}  // namespace Trident::Impl

#endif
