// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EXPORTMATRIX_HPP
#define TRIDENT_EXPORTMATRIX_HPP

#include <Teuchos_ParameterList.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "tpetra/Trident_ColumnMap.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"

namespace Trident::Impl {

/// Everything of a result that C needs; C itself is touched only by commitResult() and its like.
template <class SC, class LO, class GO, class NO>
struct ExportedMatrix {
  CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type> local;
  ColumnMap<LO, GO, NO> columns;
  long long entries = 0;  ///< of all ranks
};

/// The rows of a matrix that comes from the grid, columns in the order of a Tpetra column Map.
/// Tpetra's constructors come last: a device may still be at work on the rows. Collective over the
/// grid; throws Trident::Error on every rank where one has failed.
/// @param way a MatrixExport or a ProductExport
/// @param columns of the matrix
template <class SC, class LO, class GO, class NO, class Way>
ExportedMatrix<SC, LO, GO, NO> exportMatrix(Way& way, const MapNumbering<LO, GO, NO>& columns,
                                            const MessageOptions& options, Traffic& traffic,
                                            LocalFailure& failure) {
  ExportedMatrix<SC, LO, GO, NO> result;
  ColumnLists<LO, GO, NO> lists(way.grid(), columns, way.remotes(), options.messageBytes, traffic,
                                failure);
  failure.guard([&] { result.local = way.rows(lists.order()); });
  std::vector<long long> entries{static_cast<long long>(result.local.columns.extent(0))};
  sumEverywhere(way.grid().comm(), entries, failure);
  result.entries = entries[0];
  result.columns = lists.makeMap();
  return result;
}

/// An open matrix of the result's arrays on C's row Map, with C's label. Collective; where a rank
/// lacks memory, as on a device for what Tpetra keeps on the host, or had failed, throws
/// Trident::Error on every rank.
template <class SC, class LO, class GO, class NO>
Tpetra::CrsMatrix<SC, LO, GO, NO> openMatrix(const ExportedMatrix<SC, LO, GO, NO>& result,
                                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                                             LocalFailure failure) {
  std::optional<Tpetra::CrsMatrix<SC, LO, GO, NO>> matrix;
  failure.guard([&] {
    matrix.emplace(C.getRowMap(), result.columns.map, 0);
    matrix->setAllValues(result.local.offsets, result.local.columns, result.local.values);
    matrix->setObjectLabel(C.getObjectLabel());
  });
  throwEverywhere(rawComm(*C.getComm()), failure.text());
  return std::move(*matrix);
}

/// Makes C the result, fill-complete; C keeps its label. Collective; the last step of a product.
/// The result becomes a matrix of its own, which C takes over when nothing can fail any more: where
/// a rank lacks memory for what Tpetra does on it alone, or had failed, throws Trident::Error on
/// every rank, C untouched.
/// @param exporter from C's row Map to `range`; null where these are the same
/// @param globalConstants whether C is to have them
/// @tparam Way to find and give a graph's constants: GraphAccess or GraphReductions
template <class SC, class LO, class GO, class NO,
          class Way = GraphConstants<Tpetra::CrsMatrix<SC, LO, GO, NO>>>
void commitResult(const ExportedMatrix<SC, LO, GO, NO>& result,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& domain,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& range,
                  const Teuchos::RCP<const Tpetra::Export<LO, GO, NO>>& exporter,
                  bool globalConstants, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                  LocalFailure failure) {
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Local = typename Matrix::local_matrix_device_type;
  std::optional<Matrix> matrix;
  std::vector<long long> longestRow(1, 0);
  failure.guard([&] {
    const auto params = Teuchos::parameterList();
    params->set("compute global constants", false);
    const typename Local::staticcrsgraph_type graph(result.local.columns, result.local.offsets);
    const Local local("Trident::product", localSize(*result.columns.map), result.local.values,
                      graph);
    // This constructor copies the offsets to the host least often: on 13.2 twice, where
    // setAllValues() and expertStaticFillComplete() do it six times.
    matrix.emplace(local, C.getRowMap(), result.columns.map, domain, range, result.columns.importer,
                   exporter, params);
    matrix->setObjectLabel(C.getObjectLabel());
  });
  // Where Tpetra may reduce, a rank that failed must leave nobody waiting there.
  if (Way::localReduces) throwEverywhere(rawComm(*C.getComm()), failure.text());
  failure.guard([&] {
    Way::computeLocal(*matrix);  // 13.2 leaves them out where none are global
    longestRow[0] = longestLocalRow(*matrix);
  });
  maximumEverywhere(rawComm(*C.getComm()), longestRow, failure);
  if (globalConstants) GlobalConstants<Matrix, Way>(result.entries, longestRow[0]).restore(*matrix);
  C = std::move(*matrix);
}

/// Gives C the result and leaves it open: C gets the result's column Map, is locally indexed, and
/// waits for a fillComplete() with domain and range Maps of the caller's choice. Collective; fails
/// as commitResult().
template <class SC, class LO, class GO, class NO>
void commitOpen(const ExportedMatrix<SC, LO, GO, NO>& result, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                const LocalFailure& failure) {
  C = openMatrix(result, C, failure);
}

}  // namespace Trident::Impl

#endif
