// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_OPENRESULT_HPP
#define TRIDENT_OPENRESULT_HPP

#include <Teuchos_ArrayViewDecl.hpp>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// The rows of a result on the host, with global columns.
template <class SC, class LO, class GO, class NO>
class ResultEntries {
  using Result = ExportedMatrix<SC, LO, GO, NO>;
  template <class Array>
  using OnHost = decltype(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Array()));

 public:
  explicit ResultEntries(const Result& result)
      : columnGids_(localGids(*result.columns.map)),
        offsets_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.local.offsets)),
        columns_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.local.columns)),
        values_(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), result.local.values)) {}

  std::size_t length(std::size_t row) const {
    return offsets_.extent(0) > row + 1 ? offsets_(row + 1) - offsets_(row) : 0;
  }
  /// Inserts a row, even an empty one, into a matrix that has room for it. The first insertion
  /// makes the matrix globally indexed.
  void insert(std::size_t row, GO globalRow, Tpetra::CrsMatrix<SC, LO, GO, NO>& matrix) {
    const std::size_t count = length(row), first = count > 0 ? offsets_(row) : 0;
    gids_.resize(count);
    for (std::size_t e = 0; e < count; ++e) gids_[e] = columnGids_[columns_(first + e)];
    const auto* const values = reinterpret_cast<const SC*>(values_.data() + first);
    matrix.insertGlobalValues(globalRow, static_cast<LO>(count), values, gids_.data());
  }

 private:
  decltype(localGids(std::declval<const Tpetra::Map<LO, GO, NO>&>())) columnGids_;
  OnHost<decltype(Result::local.offsets)> offsets_;
  OnHost<decltype(Result::local.columns)> columns_;
  OnHost<decltype(Result::local.values)> values_;
  std::vector<GO> gids_;
};

/// Returns an open matrix with the result's entries, C's row Map and C's label. The matrix is
/// globally indexed, without a column Map. Each row has as much room as in C, or more if the result
/// needs it. Collective; throws Trident::Error on every rank if a rank lacks memory, or has failed
/// before.
template <class SC, class LO, class GO, class NO>
Tpetra::CrsMatrix<SC, LO, GO, NO> openMatrix(const ExportedMatrix<SC, LO, GO, NO>& result,
                                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                                             LocalFailure failure) {
  std::optional<Tpetra::CrsMatrix<SC, LO, GO, NO>> matrix;
  failure.guard([&] {
    const auto globalRows = localGids(*C.getRowMap());
    ResultEntries<SC, LO, GO, NO> rows(result);
    std::vector<std::size_t> room(globalRows.size());
    for (std::size_t r = 0; r < room.size(); ++r)
      room[r] = std::max(rows.length(r),
                         C.getCrsGraph()->getNumAllocatedEntriesInLocalRow(static_cast<LO>(r)));
    matrix.emplace(C.getRowMap(), Teuchos::ArrayView<const std::size_t>(room));
    for (std::size_t r = 0; r < room.size(); ++r) rows.insert(r, globalRows[r], *matrix);
    matrix->setObjectLabel(C.getObjectLabel());
  });
  throwEverywhere(rawComm(*C.getComm()), failure.text());
  return std::move(*matrix);
}

/// Moves the result into C, and leaves C open. The caller may then insert entries, as far as rows
/// have room, and call fillComplete() with any Maps. Collective; throws like openMatrix().
template <class SC, class LO, class GO, class NO>
void commitOpen(const ExportedMatrix<SC, LO, GO, NO>& result, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                const LocalFailure& failure) {
  C = openMatrix(result, C, failure);
}

}  // namespace Trident::Impl

#endif
