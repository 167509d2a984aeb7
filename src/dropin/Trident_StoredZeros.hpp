// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDZEROS_HPP
#define TRIDENT_STOREDZEROS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// The entries of this rank's part of a matrix on a host that are not zero.
template <class Matrix>
class NonzeroEntries {
  using Local = typename Matrix::local_matrix_device_type;
  using Index = typename Matrix::local_ordinal_type;
  using Rows = Kokkos::RangePolicy<typename Matrix::execution_space, Index>;

 public:
  /// Counts them, and keeps nothing of A but its arrays.
  explicit NonzeroEntries(const Matrix& A) : A_(localMatrixOf(A)) {
    // In blocks, and by an if: so compilers make vector instructions of the loop.
    constexpr std::size_t block = 512;
    const auto* const all = A_.values.data();
    const std::size_t count = A_.values.extent(0);
    Kokkos::parallel_reduce(
        "Trident::storedZeros",
        Kokkos::RangePolicy<typename Matrix::execution_space, std::size_t>(
            0, (count + block - 1) / block),
        [=](std::size_t b, std::size_t& sum) {
          const std::size_t end = std::min(count, (b + 1) * block);
          long long zeros = 0;
          for (std::size_t e = b * block; e < end; ++e)
            if (all[e] == typename Local::value_type(0)) ++zeros;
          sum += zeros;
        },
        zeros_);
  }

  std::size_t zeros() const { return zeros_; }

  /// Copies them.
  void copy() {
    const std::size_t count = A_.values.extent(0) - zeros_;
    const auto raw = [](const std::string& name) {
      return Kokkos::view_alloc(Kokkos::WithoutInitializing, name);
    };
    offsets = Offsets("Trident::offsets", A_.numRows() + 1);
    columns = Columns(raw("Trident::columns"), count);
    values = Values(raw("Trident::values"), count);
    Kokkos::parallel_scan("Trident::withoutZeros", Rows(0, A_.numRows()),
                          [from = A_, into = *this](Index r, std::size_t& sum, bool last) {
                            for (std::size_t e = from.graph.row_map(r);
                                 e < from.graph.row_map(r + 1); ++e) {
                              if (from.values(e) == typename Local::value_type(0)) continue;
                              if (last) {
                                into.columns(sum) = from.graph.entries(e);
                                into.values(sum) = from.values(e);
                              }
                              ++sum;
                            }
                            if (last) into.offsets(r + 1) = sum;
                          });
  }

  using Offsets = typename Local::row_map_type::non_const_type;
  using Columns = typename Local::index_type::non_const_type;
  using Values = typename Local::values_type;
  Offsets offsets;
  Columns columns;
  Values values;

 private:
  Local A_;
  std::size_t zeros_ = 0;
};

/// Returns A without the zeros that it stores, on the same Maps; A itself if no rank stores one.
/// Tpetra's kernels for hosts take a left factor so, and programs count on it: MueLu filters a
/// matrix by writing zeros, which would fill its coarse matrices. Tpetra's kernels for devices keep
/// zeros, so there it is A. The result must not outlive A. Collective, one reduction, and more if a
/// rank stores zeros; throws Trident::Error on every rank, as for lack of memory.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::CrsMatrix<SC, LO, GO, NO>> withoutStoredZeros(
    const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  if constexpr (isHost<typename NO::device_type>) {
    if (!A.isFillComplete()) return Teuchos::rcpFromRef(A);
    const MPI_Comm comm = rawComm(*A.getComm());
    std::optional<NonzeroEntries<Matrix>> entries;
    std::vector<long long> zeros{0};
    LocalFailure failure;
    failure.guard([&] {
      const std::string refused =
          SingleThreadGuard::problem();  // Tpetra is for one thread at a time
      if (!refused.empty()) throw Error(refused);
      entries.emplace(A);
      zeros[0] = static_cast<long long>(entries->zeros());
    });
    maximumEverywhere(comm, zeros, failure);
    if (zeros[0] == 0) return Teuchos::rcpFromRef(A);

    Teuchos::RCP<Matrix> result;
    runEverywhere(comm, "libtrident_dropin", [&] {
      entries->copy();
      result = Teuchos::rcp(new Matrix(A.getRowMap(), A.getColMap(), entries->offsets,
                                       entries->columns, entries->values));
    });
    const auto list = Teuchos::parameterList();
    list->set("compute global constants", false);  // nobody asks for them
    result->expertStaticFillComplete(A.getDomainMap(), A.getRangeMap(), A.getGraph()->getImporter(),
                                     A.getGraph()->getExporter(), list);
    return result;
  }
  return Teuchos::rcpFromRef(A);
}

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
