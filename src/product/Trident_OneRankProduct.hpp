// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ONERANKPRODUCT_HPP
#define TRIDENT_ONERANKPRODUCT_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "matrix/Trident_WithoutZeros.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "rounds/Trident_ProductSinks.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// Returns the local index in `other` of each index of `map`. Both Maps lie on one rank. The list
/// is empty if no local index changes. Throws Trident::Error if `other` lacks an index.
template <class LO, class GO, class NO>
Kokkos::View<int*, typename NO::device_type> indicesIn(const Tpetra::Map<LO, GO, NO>& other,
                                                       const Tpetra::Map<LO, GO, NO>& map,
                                                       const MissingIndexMessage& lookup) {
  using Device = typename NO::device_type;
  if (&map == &other) return {};
  const auto from = map.getLocalMap();
  const auto to = other.getLocalMap();
  const long long count = localSize(map);
  long long moved = 0;
  Kokkos::parallel_reduce(
      "Trident::movedIndices", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long l, long long& sum) {
        sum += to.getLocalElement(from.getGlobalElement(static_cast<LO>(l))) != l;
      },
      moved);
  if (moved == 0) return {};
  const auto indices = scratch<int, Device>("Trident::indices", count);
  Kokkos::parallel_for(
      "Trident::indicesIn", Range<Device>(0, count), TRIDENT_LAMBDA(long long l) {
        indices(l) = to.getLocalElement(from.getGlobalElement(static_cast<LO>(l)));
      });
  requireNoneMissing(map, indices, lookup);
  return indices;
}

/// Returns a matrix with other local columns; its other arrays are those of `matrix`.
/// @param indices new local index of each column; empty if no index changes
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withColumns(const LocalMatrix<Scalar, Device>& matrix,
                                        const Kokkos::View<int*, Device>& indices, int numColumns) {
  const auto& graph = matrix.graph;
  const Kokkos::View<int*, Device> columns = indices.extent(0) == 0
                                                 ? Kokkos::View<int*, Device>(graph.entries)
                                                 : tileColumns<Device>(graph.entries, indices);
  return LocalMatrix<Scalar, Device>("Trident::operand", matrix.numRows(), numColumns, matrix.nnz(),
                                     matrix.values, graph.row_map, columns);
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> transposed(const LocalMatrix<Scalar, Device>& matrix) {
  const TransposedStructure<Device> rows = transposeRows(matrix);
  return LocalMatrix<Scalar, Device>("Trident::transposed", matrix.numCols(), matrix.numRows(),
                                     matrix.nnz(), transposedValues<Device>(matrix.values, rows),
                                     rows.offsets, rows.columns);
}

/// Returns the matrix with its rows sorted by column; the matrix itself if they are sorted.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withAscendingRows(const LocalMatrix<Scalar, Device>& matrix) {
  const auto& graph = matrix.graph;
  if (columnsAscend<Device>(graph.row_map, graph.entries, matrix.numCols())) return matrix;
  const auto columns = scratch<int, Device>("Trident::columns", graph.entries.extent(0));
  Kokkos::deep_copy(columns, graph.entries);
  const auto order = orderColumns<Device>(graph.row_map, columns, matrix.numCols());
  const Kokkos::View<Scalar*, Device> values = matrix.values;
  return LocalMatrix<Scalar, Device>(
      "Trident::operand", matrix.numRows(), matrix.numCols(), matrix.nnz(),
      order.changes() ? valuesInOrder<Device>(graph.row_map, values, order) : values, graph.row_map,
      columns);
}

/// An operand on one rank. With a reading, products compute the operand's rows from stored rows.
template <class Scalar, class Device>
struct OneRankFactor {
  LocalMatrix<Scalar, Device> matrix;
  /// Rule for reading; empty if rows are as stored.
  std::optional<RowReading<Scalar, Device>> reading;
};

/// Returns a copy of `reading`. On hosts, M's plain rows are marked in the copy. Columns of M must
/// be numbers of the right factor's rows.
template <class Scalar, class Device>
RowReading<Scalar, Device> readInPlace(const LocalMatrix<Scalar, Device>& M,
                                       RowReading<Scalar, Device> reading) {
  if constexpr (isHost<Device>) reading.plain = findPlainRows(M, M.numCols());
  return reading;
}

/// Returns M as an operand. If `ignoresZeros`, the operand lacks the zeros that M stores.
/// @param read true if M's rows may be read where they are stored
template <class Scalar, class Device>
OneRankFactor<Scalar, Device> oneRankRows(const LocalMatrix<Scalar, Device>& M, bool ignoresZeros,
                                          bool read) {
  if (!ignoresZeros) return {M, {}};
  if (!read) return {withoutZeros(M), {}};
  RowReading<Scalar, Device> reading;
  reading.zeros = findRowsWithZeros(M);
  if (reading.zeros.extent(0) == 0) return {M, {}};
  return {M, readInPlace(M, reading)};
}

/// Returns I - ω D⁻¹ M on one rank. Local. Throws Trident::Error if a row of M is not in `next`.
/// @param M the operand's matrix; its columns are local indices of `next`
/// @param read true if M's rows may be read where they are stored
template <class Scalar, class Device, class SC, class LO, class GO, class NO>
OneRankFactor<Scalar, Device> oneRankJacobi(const Operand<SC, LO, GO, NO>& operand,
                                            const LocalMatrix<Scalar, Device>& M,
                                            const Tpetra::Map<LO, GO, NO>& next,
                                            const MissingIndexMessage& lookup, bool read) {
  const auto rows = indicesIn(next, *operand.matrix->getRowMap(), lookup);
  IndexNumbers<Device> diagonal(0, M.numRows());
  if (rows.extent(0) > 0) {
    const auto numbers = scratch<Position, Device>("Trident::diagonalColumns", rows.extent(0));
    Kokkos::deep_copy(numbers, rows);
    diagonal = IndexNumbers<Device>(numbers);
  }
  const JacobiRows<Scalar, Device> jacobi(M, IndexNumbers<Device>(0, M.numCols()), diagonal);
  const auto inverse = operand.inverseDiagonal->getLocalViewDevice(Tpetra::Access::ReadOnly);
  const Scalar omega = static_cast<Scalar>(operand.omega);
  if (jacobi.missing() > 0) {
    jacobi.placeMissing(diagonal);
  } else if (read) {
    RowReading<Scalar, Device> reading = jacobi.reading(omega, inverse);
    if (operand.ignoresZeros) reading.zeros = findRowsWithZeros(M);
    return {M, readInPlace(M, reading)};
  }
  return {jacobi.matrix(M, M.numCols(), omega, inverse, operand.ignoresZeros), {}};
}

/// Returns an operand on one rank. Its rows are in the order of operand.rowMap(). Its columns are
/// local indices of `next`. It shares unchanged arrays with the caller's matrix. Local. Throws
/// Trident::Error if a column is not in `next`.
/// @param next row Map of the right factor, or the domain Map of the last operand
/// @param read true if rows may be read where they are stored
template <class SC, class LO, class GO, class NO>
auto oneRankOperand(const Operand<SC, LO, GO, NO>& operand, const Tpetra::Map<LO, GO, NO>& next,
                    const MissingIndexMessage& lookup, bool read) {
  const auto& matrix = *operand.matrix;
  const auto local = localMatrixOf(matrix);
  const int columns = static_cast<int>(localSize(next));
  if (!operand.transposed()) {
    const auto inPlace = withColumns(local, indicesIn(next, *matrix.getColMap(), lookup), columns);
    return operand.form == OperandForm::Jacobi
               ? oneRankJacobi(operand, inPlace, next, missingDiagonalMessage(operand, lookup),
                               read)
               : oneRankRows(inPlace, operand.ignoresZeros, read);
  }
  const auto& rows = *matrix.getDomainMap();
  const auto inPlace =
      withColumns(local, indicesIn(rows, *matrix.getColMap(), missingRowMessage(operand)),
                  static_cast<int>(localSize(rows)));
  return oneRankRows(
      withColumns(transposed(inPlace), indicesIn(next, *matrix.getRowMap(), lookup), columns),
      operand.ignoresZeros, read);
}

/// Returns true if options ask for a product over plus-times, and for nothing that needs a grid.
inline bool needsNoGrid(const Options& options) {
  const GridOptions& grid = options.grid;
  const RoundOptions& rounds = options.rounds;
  return grid.algorithm == Algorithm::Trident && grid.choice == GridChoice::Auto &&
         !grid.predictVolume && !rounds.filters() && rounds.fetch == FetchKind::Auto &&
         rounds.exchange == ExchangeKind::Auto && rounds.gather == GatherKind::Auto &&
         !rounds.synchronize && rounds.semiring == SemiringKind::PlusTimes;
}

/// A product on one rank. It uses no grid, because a grid would slow small products. The result is
/// that of a grid of one rank, bit for bit.
template <class SC, class LO, class GO, class NO>
class OneRankProduct {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = LocalMatrix<Scalar, Device>;
  using Factor = OneRankFactor<Scalar, Device>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Returns true if this class can form the product of operands. All must be on one communicator.
  static bool suits(const Operands& operands, const Options& options) {
    return isSingleRank(rawComm(*operands[0].matrix->getComm())) && needsNoGrid(options);
  }

  /// Prepares the product. All arguments must outlive this object.
  /// @param report gets the choices, counts, phases and times
  OneRankProduct(const Operands& operands, const Options& options, Report& report)
      : operands_(operands), options_(options), report_(report) {}

  /// Forms the product. Rows have the order of the first operand's row Map; columns have the order
  /// of the last operand's domain Map. Throws Trident::Error if an operand's column meets no row,
  /// or if the options' kernel does not exist. Throws Kokkos' exceptions if memory is short.
  Matrix run() {
    const std::string whyNot = whyNoKernel<Scalar, Device>(options_.rounds.kernel);
    if (!whyNot.empty()) throw Error(whyNot);
    report_.partition = nameOf(options_.grid.partition);
    for (const auto& operand : operands_)
      report_.operands.push_back(
          {operand.label(), static_cast<long long>(localEntries(*operand.matrix))});
    Matrix product = operand(operands_.size() - 1).matrix;
    for (std::size_t p = operands_.size() - 1; p-- > 0;) product = multiplied(operand(p), product);
    return product;
  }

 private:
  /// Returns operand p. Its rows are sorted if the kernel adds in the order of entries.
  Factor operand(std::size_t p) {
    const PhaseScope scope(report_.seconds, Phase::Import);
    const bool last = p + 1 == operands_.size();
    const auto& of = operands_[p];
    const auto next = last ? of.domainMap() : operands_[p + 1].rowMap();
    const bool ordered = last ? rightFactorsAscend<Scalar, Device>(options_.rounds)
                              : addsInOrder<Scalar, Device>(options_.rounds);
    const bool read = !last && ordered && readsRows<Scalar, Device>(options_.rounds);
    Factor factor = oneRankOperand(
        of, *next, last ? missingMessage(of) : missingMessage(of, operands_[p + 1]), read);
    if (ordered && !factor.reading) factor.matrix = withAscendingRows(factor.matrix);
    return factor;
  }

  Matrix multiplied(const Factor& factor, const Matrix& right) {
    const Matrix& left = factor.matrix;
    RoundCounters counters;
    counters.exchange = "none";
    counters.exchangeReason = "one rank: nothing travels";
    counters.gather = nameOf(GatherKind::Mpi);
    counters.gatherReason = "one rank: nothing is sent";
    counters.fetch = nameOf(FetchKind::Tiles);
    PartialSums<Scalar, Device> sums(options_.rounds, counters);
    if (factor.reading) {
      RowReading<Scalar, Device> reading = *factor.reading;
      reading.right = right;
      sums.readBy(reading);
    }
    runOneRound(counters, matrixBytes(right), [&] { sums.add(left, right, {}); });
    if (counters.kernel.empty())
      counters.kernel = nameOf(formingKernel<Scalar, Device>(options_.rounds));
    counters.multiplySeconds = steadySeconds() - counters.roundsBegan;
    noteRounds(report_, counters, left, right, sums.sum());
    return sums.sum();
  }

  const Operands& operands_;
  const Options& options_;
  Report& report_;
};

}  // namespace Trident::Impl

#endif
