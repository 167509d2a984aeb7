// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_OPERAND_HPP
#define TRIDENT_OPERAND_HPP

#include <Tpetra_Vector_decl.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "matrix/Trident_CompleteDiagonal.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "matrix/Trident_WithoutZeros.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// The form of a matrix M in a product.
enum class OperandForm {
  Itself,
  Transposed,  ///< Mᵀ, without conjugation
  Jacobi       ///< I - ω D⁻¹ M
};

/// A matrix as an operand, and its name in messages. The matrix must outlive this object.
template <class SC, class LO, class GO, class NO>
struct Operand {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using map_type = typename Types::map_type;
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;

  const crs_matrix_type* matrix = nullptr;
  std::string name;
  OperandForm form = OperandForm::Itself;
  const vector_type* inverseDiagonal = nullptr;  ///< D⁻¹, on M's row Map; only for Jacobi
  SC omega = {};                                 ///< factor ω; only for Jacobi
  /// True if zeros that the matrix stores are not entries; only for left factors. If true, a kept
  /// structure fits only matrices that have zeros at the same places.
  bool ignoresZeros = false;

  Operand(const crs_matrix_type& m, const std::string& n, bool transposed = false)
      : matrix(&m), name(n), form(transposed ? OperandForm::Transposed : OperandForm::Itself) {}
  Operand(const crs_matrix_type& m, const std::string& n, SC w, const vector_type& d)
      : matrix(&m), name(n), form(OperandForm::Jacobi), inverseDiagonal(&d), omega(w) {}

  bool transposed() const { return form == OperandForm::Transposed; }
  std::string label() const { return transposed() ? name + "^T" : name; }

  Teuchos::RCP<const map_type> rowMap() const {
    return transposed() ? matrix->getDomainMap() : matrix->getRowMap();
  }
  Teuchos::RCP<const map_type> domainMap() const {
    return transposed() ? matrix->getRangeMap() : matrix->getDomainMap();
  }
  Teuchos::RCP<const map_type> rangeMap() const {
    return transposed() ? matrix->getDomainMap() : matrix->getRangeMap();
  }
  /// Returns the Export from rowMap() to rangeMap(); null if the two Maps are the same.
  Teuchos::RCP<const typename Types::export_type> exporter() const {
    return transposed() ? Teuchos::null : matrix->getGraph()->getExporter();
  }
  /// Returns the name of rowMap() in messages.
  std::string rowMapName() const { return name + (transposed() ? "'s domain Map" : "'s row Map"); }
  std::string domainMapName() const {
    return name + (transposed() ? "'s range Map" : "'s domain Map");
  }
};

/// Returns the message for a column of `operand` that is no row of `next`.
template <class Operand>
MissingIndexMessage missingMessage(const Operand& operand, const Operand& next) {
  return {operand.label() + " has a column", next.rowMapName(),
          next.label() + " must have a row for every column of " + operand.label()};
}

/// Returns the message for a column of the last operand that is not in the operand's domain Map.
template <class Operand>
MissingIndexMessage missingMessage(const Operand& last) {
  return {last.label() + " has a column", last.domainMapName(),
          "make " + last.name + " with Maps that have all its indices"};
}

/// Returns the message for a row of a transposed operand (a matrix column) that rowMap() lacks.
template <class Operand>
MissingIndexMessage missingRowMessage(const Operand& operand) {
  return {operand.name + " has a column", operand.rowMapName(),
          "call " + operand.name + ".fillComplete() with a domain Map that has all its columns"};
}

/// Returns the message for a row of a Jacobi operand if the columns' Map lacks the row's index.
template <class Operand>
MissingIndexMessage missingDiagonalMessage(const Operand& operand,
                                           const MissingIndexMessage& columns) {
  return {operand.name + " has a row", columns.map, "Jacobi needs these rows to be the same"};
}

/// An operand on one rank before the import: whole rows or parts of rows, and the numbers of rows
/// and columns. Keeps only what depends on the matrix's structure, so each call may pass another
/// matrix of this structure.
template <class SC, class LO, class GO, class NO>
class LocalOperand {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = typename Types::local_matrix_type;
  using Numbers = IndexNumbers<Device>;

 public:
  /// Numbers the rows and columns of an operand. Collective; may throw as columnNumbers() does.
  /// @param rows numbering of operand.rowMap()
  /// @param columns numbering of the Map in which columns are looked up
  /// @param lookup words for a column that this Map lacks
  /// @param failure also set if this Map lacks a column. After a failure, do not call matrix() and
  ///       numbered()
  /// @param ascends true if a transposed operand's rows should be sorted while they are made
  LocalOperand(const Operand<SC, LO, GO, NO>& operand, const GlobalNumbering<LO, GO, NO>& rows,
               const GlobalNumbering<LO, GO, NO>& columns, const NodeLayout& layout, MPI_Comm comm,
               Traffic& traffic, const MissingIndexMessage& lookup, LocalFailure& failure,
               bool ascends = false) {
    const auto& matrix = *operand.matrix;
    if (operand.transposed()) {
      rowNumbers_ = columnNumbers(*matrix.getCrsGraph(), rows, layout, comm, traffic,
                                  missingRowMessage(operand), failure);
      columnNumbers_ = mapNumbers(*matrix.getRowMap(), columns, layout, lookup, failure);
      wholeRows_ = false;
      if (isSingleRank(comm))
        failure.guard([&] { wholeRows_ = areAll(rowNumbers_, rows.end() - rows.begin()); });
    } else {
      rowNumbers_ = Numbers(rows.begin(), rows.end() - rows.begin());
      columnNumbers_ =
          columnNumbers(*matrix.getCrsGraph(), columns, layout, comm, traffic, lookup, failure);
    }
    if (operand.form == OperandForm::Itself) return;
    Numbers diagonal;
    if (operand.form == OperandForm::Jacobi)
      diagonal = mapNumbers(*matrix.getRowMap(), columns, layout,
                            missingDiagonalMessage(operand, lookup), failure);
    failure.guard([&] {
      const Matrix local = storedIn(matrix);
      if (operand.transposed())
        transposed_ = ascends ? transposeAscending(local) : transposeRows(local);
      if (operand.form == OperandForm::Jacobi) {
        jacobi_ = JacobiRows<Scalar, Device>(local, columnNumbers_, diagonal);
        if (jacobi_.missing() > 0) numberMissing(diagonal);
      }
      Kokkos::fence();
    });
  }

  /// Returns this rank's part of the operand, with its values. If the operand is the matrix itself,
  /// and no stored zeros are ignored, the arrays are the matrix's own. Local.
  NumberedMatrix<Scalar, Device> numbered(const Operand<SC, LO, GO, NO>& operand) const {
    return {matrix(operand), rowNumbers_, columnNumbers_, wholeRows_};
  }
  /// Returns this rank's part of the operand's structure, without values. Local.
  NumberedMatrix<Scalar, Device> structure(const Operand<SC, LO, GO, NO>& operand) const {
    return {withoutValues(operand), rowNumbers_, columnNumbers_, wholeRows_};
  }
  Matrix matrix(const Operand<SC, LO, GO, NO>& operand) const {
    const Matrix local = storedIn(*operand.matrix);
    const int columns = static_cast<int>(columnNumbers_.size());
    const bool passes = operand.ignoresZeros;
    if (operand.form == OperandForm::Itself) return passes ? passingZeros(local) : local;
    if (operand.form == OperandForm::Jacobi)
      return jacobi_.matrix(local, columns, static_cast<Scalar>(operand.omega),
                            operand.inverseDiagonal->getLocalViewDevice(Tpetra::Access::ReadOnly),
                            passes);
    const auto values = transposedValues<Device>(local.values, transposed_);
    const auto& offsets = transposed_.offsets;
    const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
    const Matrix transposed(operand.name, rows, columns, values.extent(0), values, offsets,
                            transposed_.columns);
    return passes ? passingZeros(transposed) : transposed;
  }

  /// Returns the structure of a transposed operand. Instead of a value, each entry has the offset
  /// of its value in the matrix. Local. Throws Trident::Error if there are too many entries.
  NumberedMatrix<unsigned, Device> sources(const Operand<SC, LO, GO, NO>& operand) const {
    if (transposed_.longSource.extent(0) > 0)
      throw Error(operand.name + " has more than 2^32 entries on a rank; use more ranks");
    const Matrix structure = withoutValues(operand);
    const LocalMatrix<unsigned, Device> matrix(
        operand.name, structure.numRows(), structure.numCols(), structure.nnz(), transposed_.source,
        structure.graph.row_map, structure.graph.entries);
    return {matrix, rowNumbers_, columnNumbers_, wholeRows_};
  }

  /// Returns the rows to which reading() applies: the matrix's own rows, or those of matrix() if a
  /// Jacobi operand lacks diagonal entries. Not for a transpose. Local.
  Matrix stored(const Operand<SC, LO, GO, NO>& operand) const {
    return jacobi_.missing() == 0 ? storedIn(*operand.matrix) : matrix(operand);
  }
  /// Returns the rules for reading the operand's rows from stored(). Local.
  RowReading<Scalar, Device> reading(const Operand<SC, LO, GO, NO>& operand) const {
    return operand.form == OperandForm::Jacobi && jacobi_.missing() == 0
               ? jacobi_.reading(
                     static_cast<Scalar>(operand.omega),
                     operand.inverseDiagonal->getLocalViewDevice(Tpetra::Access::ReadOnly))
               : RowReading<Scalar, Device>();
  }

  /// Returns 1 for each row of stored() that has zeros to pass over, else 0; an empty list if no
  /// row has such zeros. Local.
  Kokkos::View<char*, Device> zeros(const Operand<SC, LO, GO, NO>& operand) const {
    if (!operand.ignoresZeros || jacobi_.missing() > 0) return {};
    return findRowsWithZeros(localMatrixOf(*operand.matrix));
  }

  /// Adds the bytes of all kept arrays, except numbers of rows and columns. Local.
  void countArrays(ArrayBytes& bytes) const {
    bytes.add(transposed_.offsets);
    bytes.add(transposed_.columns);
    transposed_.withSource([&](const auto& source) { bytes.add(source); });
    jacobi_.countArrays(bytes);
  }

  // Public, because CUDA forbids device lambdas in private functions.

  /// Returns true if the numbers are 0, 1, ..., count - 1. Local.
  static bool areAll(const Numbers& numbers, long long count) {
    if (numbers.size() != count) return false;
    if (numbers.isIdentity()) return true;
    long long others = 0;
    Kokkos::parallel_reduce(
        "Trident::areAll", Range<Device>(0, count),
        TRIDENT_LAMBDA(long long l, long long& sum) { sum += numbers(l) != l; }, others);
    return others == 0;
  }

  /// Numbers the columns that were added for missing diagonal entries.
  void numberMissing(const Numbers& diagonal) {
    const Numbers columns = columnNumbers_;
    const long long known = columns.size();
    const auto numbers =
        uninitialized<Position, Device>("Trident::columnNumbers", known + jacobi_.missing());
    Kokkos::parallel_for(
        "Trident::knownNumbers", Range<Device>(0, known),
        TRIDENT_LAMBDA(long long l) { numbers(l) = columns(l); });
    jacobi_.numberMissing(numbers, diagonal);
    columnNumbers_ = Numbers(numbers);
  }

 private:
  /// Returns a matrix without the zeros that it stores. If a call finds no zeros, later calls do
  /// not search: matrices of the same structure have zeros at the same places.
  Matrix passingZeros(const Matrix& matrix) const {
    if (!storesZeros_) return matrix;
    const Matrix others = withoutZeros(matrix);
    storesZeros_ = others.values.data() != matrix.values.data();
    return others;
  }
  /// Returns a matrix's own arrays. Reads the number of entries from the device once.
  Matrix storedIn(const typename Types::crs_matrix_type& matrix) const {
    const Matrix local = localMatrixOf(matrix, entries_);
    entries_ = local.nnz();
    return local;
  }
  Matrix withoutValues(const Operand<SC, LO, GO, NO>& operand) const {
    const Matrix local = storedIn(*operand.matrix);
    const int columns = static_cast<int>(columnNumbers_.size());
    const auto with = [&](const auto& offsets, const auto& entries) {
      const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
      return Matrix(operand.name, rows, columns, entries.extent(0), typename Matrix::values_type(),
                    offsets, entries);
    };
    if (operand.transposed()) return with(transposed_.offsets, transposed_.columns);
    return with(jacobi_.offsets(local), jacobi_.columns(local));
  }

  mutable std::optional<std::size_t> entries_;  ///< number of entries; empty before the first read
  mutable bool storesZeros_ = true;             ///< false after a search found no zeros
  Numbers rowNumbers_, columnNumbers_;
  bool wholeRows_ = true;  ///< NumberedMatrix::wholeRows
  TransposedStructure<Device> transposed_;
  JacobiRows<Scalar, Device> jacobi_;
};

}  // namespace Trident::Impl

#endif
