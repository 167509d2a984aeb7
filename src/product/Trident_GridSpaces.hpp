// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDSPACES_HPP
#define TRIDENT_GRIDSPACES_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_Placement.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident::Impl {

/// A grid and the index spaces of Maps on it. The object holds all that it needs, so the
/// communicator that it was made on may be freed before the object.
template <class SC, class LO, class GO, class NO>
class GridSpaces {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = GridMatrix<Scalar, Device>;
  using MapPtr = Teuchos::RCP<const typename Types::map_type>;

 public:
  /// Cuts a space for each distinct Map. Collective over `comm`; throws Trident::Error on every
  /// rank.
  /// @param maps one-to-one, on this communicator
  /// @param weigh see Placement
  GridSpaces(MPI_Comm comm, const std::vector<MapPtr>& maps, const Options& options,
             const typename Placement<SC, LO, GO, NO>::Weigh& weigh = {})
      : options_(options), placement_(comm, maps, options, report_, weigh) {
    report_.reasons = "grid " + report_.grid.name() + "; " + report_.reasons;
    endReasons(report_);
  }

  MPI_Comm comm() const { return placement_.comm(); }
  const Options& options() const { return options_; }
  const NodeLayout& layout() const { return placement_.layout(); }
  const ProcessGrid& grid() const { return placement_.exchanges()->grid(); }
  const std::string& description() const { return report_.reasons; }
  const std::string& partition() const { return report_.partition; }
  /// Returns the space of the n-th distinct Map; numbering() returns that Map's numbers.
  const std::shared_ptr<const IndexSpace>& space(int n) const { return placement_.space(n); }
  const GlobalNumbering<LO, GO, NO>& numbering(int n) const { return placement_.numbering(n); }

  /// Returns the index of a Map's space; -1 if the Map has none. Collective.
  int indexOf(const MapPtr& map) const {
    std::vector<MapPtr> known;
    for (const auto& numbering : placement_.numberings()) known.push_back(numbering->map);
    const std::size_t n = findMap(map, known);
    return n < known.size() ? static_cast<int>(n) : -1;
  }

  /// Brings a matrix or a graph onto the grid; a graph's entries get the value 1. The result shares
  /// no array with A. Collective.
  template <class Object>
  Matrix import(const Object& A, int rows, int columns, const MissingIndexMessage& lookup) const {
    LocalFailure failure;
    const IndexNumbers<Device> numbers(numbering(rows).begin(), localSize(*A.getRowMap()));
    const Matrix brought = importNumbered(numberedRows(A, numbers, true, columns, lookup, failure),
                                          rows, columns, failure);
    if (!space(rows)->rowsStay()) return brought;
    return withLocal(brought, [&] { return copyOf(brought.local()); });  // copies A's arrays
  }

  /// Brings a matrix onto the grid. The matrix may have another row Map than space `rows`, so its
  /// rows find their places by global index. Collective.
  template <class Object>
  Matrix importRows(const Object& A, int rows, int columns, const MissingIndexMessage& rowLookup,
                    const MissingIndexMessage& lookup) const {
    LocalFailure failure;
    const auto numbers = mapNumbers(*A.getRowMap(), numbering(rows), layout(), rowLookup, failure);
    return importNumbered(numberedRows(A, numbers, false, columns, lookup, failure), rows, columns,
                          failure);
  }

  /// Brings the ranks' parts of a matrix onto the grid. If rows stay, the result may share arrays
  /// with `local`. Collective.
  Matrix importNumbered(const NumberedMatrix<Scalar, Device>& local, int rows, int columns,
                        LocalFailure& failure) const {
    Traffic uncounted;
    const MatrixImport<Scalar, Device> toGrid(local, placement_.exchanges(), space(rows),
                                              space(columns), options_.rounds, uncounted, failure);
    const Matrix brought = toGrid.matrix(local.matrix, uncounted, failure);
    throwEverywhere(comm(), failure.text());
    return brought;
  }

  /// Transposes a matrix. Collective.
  Matrix transposed(const Matrix& A, int rows, int columns) const {
    Traffic uncounted;
    // wholeRows is false on all other ranks, so it must be false on a failed rank, too.
    NumberedMatrix<Scalar, Device> local{{}, {}, {}, false};
    LocalFailure failure;
    failure.guard([&] { local = transposedSlice(A); });
    const MatrixImport<Scalar, Device> toGrid(local, placement_.exchanges(), space(columns),
                                              space(rows), options_.rounds, uncounted, failure);
    const Matrix made = toGrid.matrix(local.matrix, uncounted, failure);
    throwEverywhere(comm(), failure.text());
    return made;
  }

  /// Forms alpha·A + beta·B. Collective.
  Matrix sum(Scalar alpha, const Matrix& A, Scalar beta, const Matrix& B) const {
    return withLocal(A, [&] {
      const auto a = copyOf(A.local(), alpha), b = copyOf(B.local(), beta);
      sortRows(a);
      sortRows(b);
      return addLocal(a, b);
    });
  }

  /// Sorts the rows of A and B in place, if A·B needs this to add terms in order. Collective.
  void orderFactors(const Matrix& A, const Matrix& B) const {
    const auto& kernel = options_.rounds;
    const bool orderA = !A.rowsAscend() && addsInOrder<Scalar, Device>(kernel);
    const bool orderB = !B.rowsAscend() && rightFactorsAscend<Scalar, Device>(kernel);
    if (!orderA && !orderB) return;
    runEverywhere(comm(), [&] {
      if (orderA) sortRows(A.local());
      if (orderB) sortRows(B.local());
      Kokkos::fence();
    });
  }

  /// Sorts the rows of a matrix in place, unless they are known to ascend. Collective. Throws on
  /// every rank if a row has a column twice.
  void orderRows(const Matrix& A, const std::string& name) const {
    if (A.rowsAscend()) return;
    runEverywhere(comm(), [&] {
      sortRows(A.local());
      Kokkos::fence();
      if (!rowsAscend(A.local()))
        throw Error("a row of " + name +
                    " has a column twice; let fillComplete() merge its entries");
    });
  }

  /// Makes a matrix on the spaces of another one. make() returns this rank's slice. If a rank
  /// fails, throws Trident::Error on every rank. Collective.
  template <class Make>
  Matrix withLocal(const Matrix& like, const Make& make, RowOrder order = RowOrder::Any) const {
    Matrix made;
    runEverywhere(comm(), [&] {
      made = Matrix(like.exchanges(), like.rows(), like.columns(), make(), order);
      Kokkos::fence();
    });
    return made;
  }

  // Public, because CUDA requires this of functions that have kernels.

  /// Transposes this rank's slice of a matrix, and numbers the result. Rows of the result are
  /// columns of this rank's tile; columns of the result are rows of this rank's slice. Local.
  static NumberedMatrix<Scalar, Device> transposedSlice(const Matrix& A) {
    const LocalMatrix<Scalar, Device> slice = A.local();
    const GridCoordinates& me = A.grid().me();
    const auto rows = transposeRows(slice);
    const auto values = transposedValues<Device>(slice.values, rows);
    const auto rowNumbers = uninitialized<Position, Device>("Trident::numbers", slice.numCols());
    const Position corner = A.columns()->tileColBegin(me.j);
    Kokkos::parallel_for(
        "Trident::tileNumbers", Range<Device>(0, rowNumbers.extent(0)),
        TRIDENT_LAMBDA(long long c) { rowNumbers(c) = corner + c; });
    const auto columnNumbers = uninitialized<Position, Device>("Trident::numbers", slice.numRows());
    const RowPositions<Device> positions(*A.rows(), me.i, me.k);
    Kokkos::parallel_for(
        "Trident::sliceNumbers", Range<Device>(0, columnNumbers.extent(0)),
        TRIDENT_LAMBDA(long long r) { columnNumbers(r) = positions(static_cast<int>(r)); });
    Kokkos::fence();
    const LocalMatrix<Scalar, Device> transposed("Trident::transposed", slice.numCols(),
                                                 slice.numRows(), values.extent(0), values,
                                                 rows.offsets, rows.columns);
    return {transposed, IndexNumbers<Device>(rowNumbers), IndexNumbers<Device>(columnNumbers),
            false};
  }

  /// Returns a copy of a matrix whose values are multiplied by a number. Local.
  static LocalMatrix<Scalar, Device> copyOf(const LocalMatrix<Scalar, Device>& matrix,
                                            Scalar factor = Scalar(1)) {
    const auto offsets =
        Kokkos::View<std::size_t*, Device>("Trident::offsets", matrix.numRows() + 1);
    const auto columns = uninitialized<int, Device>("Trident::columns", matrix.nnz());
    const auto values = uninitialized<Scalar, Device>("Trident::values", matrix.nnz());
    if (matrix.graph.row_map.extent(0) > 0) Kokkos::deep_copy(offsets, matrix.graph.row_map);
    Kokkos::deep_copy(columns, matrix.graph.entries);
    const auto from = matrix.values;
    Kokkos::parallel_for(
        "Trident::scaledValues", Range<Device>(0, values.extent(0)),
        TRIDENT_LAMBDA(long long e) { values(e) = factor * from(e); });
    return LocalMatrix<Scalar, Device>("Trident::slice", matrix.numRows(), matrix.numCols(),
                                       matrix.nnz(), values, offsets, columns);
  }

  /// Makes a matrix of a graph's structure. Each value is 1. Offsets and columns are the graph's
  /// own arrays. Local.
  template <class Graph>
  static LocalMatrix<Scalar, Device> entriesOf(const Graph& graph) {
    const auto local = localGraphOf(graph);
    const auto ones = uninitialized<Scalar, Device>("Trident::values", local.entries.extent(0));
    Kokkos::deep_copy(ones, Scalar(1));
    return LocalMatrix<Scalar, Device>("Trident::graph",
                                       static_cast<int>(localSize(*graph.getRowMap())),
                                       static_cast<int>(localSize(*graph.getColMap())),
                                       ones.extent(0), ones, local.row_map, local.entries);
  }
  static LocalMatrix<Scalar, Device> entriesOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
    return localMatrixOf(A);
  }

 private:
  using Graph = Tpetra::CrsGraph<LO, GO, NO>;
  static const Graph& graphOf(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
    return *A.getCrsGraph();
  }
  static const Graph& graphOf(const Graph& graph) { return graph; }

  /// Numbers the columns of this rank's part of a matrix or graph. Collective.
  /// @param numbers, whole become rowNumbers and wholeRows of the returned matrix
  /// @param failure gets this rank's failure, such as a column that is not in the Map
  template <class Object>
  NumberedMatrix<Scalar, Device> numberedRows(const Object& A, const IndexNumbers<Device>& numbers,
                                              bool whole, int columns,
                                              const MissingIndexMessage& lookup,
                                              LocalFailure& failure) const {
    Traffic uncounted;
    NumberedMatrix<Scalar, Device> local{{}, numbers, {}, whole};
    local.columnNumbers =
        columnNumbers(graphOf(A), numbering(columns), layout(), comm(), uncounted, lookup, failure);
    failure.guard([&] {
      local.matrix = entriesOf(A);
      Kokkos::fence();
    });
    return local;
  }

  Options options_;
  Report report_;  // report of the placement
  Placement<SC, LO, GO, NO> placement_;
};

/// A matrix on a grid, and the Maps along which it lies.
template <class SC, class LO, class GO, class NO>
struct PlacedMatrix {
  using Types = TpetraTypes<SC, LO, GO, NO>;

  std::shared_ptr<const GridSpaces<SC, LO, GO, NO>> grid;
  int rows, columns;  ///< indices, in `grid`, of the space of rows and the space of columns
  GridMatrix<typename Types::scalar_type, typename Types::device_type> matrix;
  Report report;  ///< report of the product that formed the matrix, if any
};

template <class SC, class LO, class GO, class NO, class Matrix>
std::shared_ptr<const PlacedMatrix<SC, LO, GO, NO>> placedMatrix(
    const std::shared_ptr<const GridSpaces<SC, LO, GO, NO>>& grid, int rows, int columns,
    const Matrix& matrix, const Report& report = Report()) {
  return std::make_shared<const PlacedMatrix<SC, LO, GO, NO>>(
      PlacedMatrix<SC, LO, GO, NO>{grid, rows, columns, matrix, report});
}

}  // namespace Trident::Impl

#endif
