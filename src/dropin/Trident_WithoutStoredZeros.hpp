// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WITHOUTSTOREDZEROS_HPP
#define TRIDENT_WITHOUTSTOREDZEROS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>

#include "matrix/Trident_Device.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// withoutStoredZeros() on a host.
template <class Matrix>
Teuchos::RCP<const Matrix> withoutZerosOnHost(const Matrix& A) {
  const auto local = localMatrixOf(A);
  using Local = typename Matrix::local_matrix_device_type;
  using Index = typename Matrix::local_ordinal_type;
  using Offset = typename Local::size_type;
  using Rows = Kokkos::RangePolicy<typename Matrix::execution_space, Index>;
  const auto begins = local.graph.row_map;
  const auto columns = local.graph.entries;
  const auto values = local.values;
  const auto isZero = [=](std::size_t e) { return values(e) == typename Local::value_type(0); };

  const Rows rows(0, local.numRows());
  std::size_t zeros = 0;
  Kokkos::parallel_reduce(
      "Trident::storedZeros", rows,
      [=](Index r, std::size_t& sum) {
        for (std::size_t e = begins(r); e < begins(r + 1); ++e) sum += isZero(e);
      },
      zeros);
  if (zeros == 0) return Teuchos::rcpFromRef(A);

  typename Local::row_map_type::non_const_type offsets("Trident::offsets", local.numRows() + 1);
  typename Local::index_type::non_const_type keptColumns("Trident::columns",
                                                         columns.extent(0) - zeros);
  typename Local::values_type keptValues("Trident::values", columns.extent(0) - zeros);
  Kokkos::parallel_scan("Trident::withoutZeros", rows, [=](Index r, Offset& sum, bool last) {
    for (std::size_t e = begins(r); e < begins(r + 1); ++e) {
      if (isZero(e)) continue;
      if (last) {
        keptColumns(sum) = columns(e);
        keptValues(sum) = values(e);
      }
      ++sum;
    }
    if (last) offsets(r + 1) = sum;
  });
  const auto result =
      Teuchos::rcp(new Matrix(A.getRowMap(), A.getColMap(), offsets, keptColumns, keptValues));
  const auto list = Teuchos::parameterList();
  list->set("compute global constants", false);  // ranks without zeros are not here
  result->expertStaticFillComplete(A.getDomainMap(), A.getRangeMap(), A.getGraph()->getImporter(),
                                   A.getGraph()->getExporter(), list);
  return result;
}

/// A without the zeros that it stores, on the same Maps; A itself where this rank stores none. So
/// Tpetra's kernels for hosts take a left factor, and programs count on it: MueLu filters a matrix
/// by writing zeros, which would fill its coarse matrices. Tpetra's kernels for devices keep zeros,
/// so there it is A. The result must not outlive A. Local.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::CrsMatrix<SC, LO, GO, NO>> withoutStoredZeros(
    const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
  if constexpr (isHost<typename NO::device_type>) {
    if (A.isFillComplete()) return withoutZerosOnHost(A);
  }
  return Teuchos::rcpFromRef(A);
}

}  // namespace Trident::Impl

#endif
