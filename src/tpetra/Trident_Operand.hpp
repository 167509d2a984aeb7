// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_OPERAND_HPP
#define TRIDENT_OPERAND_HPP

#include <Tpetra_Vector_decl.hpp>
#include <string>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "matrix/Trident_CompleteDiagonal.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// What a product takes from a matrix M on its way in.
enum class OperandForm {
  Itself,
  Transposed,  ///< Mᵀ, without conjugation
  Jacobi       ///< I - ω D⁻¹ M
};

/// A matrix as an operand of a product, and its name in messages. The matrix outlives it.
template <class SC, class LO, class GO, class NO>
struct Operand {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using map_type = typename Types::map_type;
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;

  const crs_matrix_type* matrix = nullptr;
  std::string name;
  OperandForm form = OperandForm::Itself;
  const vector_type* inverseDiagonal = nullptr;  ///< D⁻¹, on M's row Map; of Jacobi alone
  SC omega = {};                                 ///< of Jacobi alone

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
  /// From rowMap() to rangeMap(); null where these are the same.
  Teuchos::RCP<const typename Types::export_type> exporter() const {
    return transposed() ? Teuchos::null : matrix->getGraph()->getExporter();
  }
  /// Which Map of the matrix rowMap() is, in words; and domainMap().
  std::string rowMapName() const { return name + (transposed() ? "'s domain Map" : "'s row Map"); }
  std::string domainMapName() const {
    return name + (transposed() ? "'s range Map" : "'s domain Map");
  }
};

/// Of an operand's columns, which meet the rows of the next one.
template <class Operand>
LookupText lookupOf(const Operand& operand, const Operand& next) {
  return {operand.label() + " has a column", next.rowMapName(),
          next.label() + " must have a row for every column of " + operand.label()};
}

/// Of the columns of the last operand, which meet none.
template <class Operand>
LookupText lookupOf(const Operand& last) {
  return {last.label() + " has a column", last.domainMapName(),
          "make " + last.name + " with Maps that have all its indices"};
}

/// Of the columns of a matrix that is transposed, which are rows in the product.
template <class Operand>
LookupText lookupOfRows(const Operand& operand) {
  return {operand.name + " has a column", operand.rowMapName(),
          "call " + operand.name + ".fillComplete() with a domain Map that has all its columns"};
}

/// Of the diagonal of a Jacobi operand, which has the columns of its rows.
template <class Operand>
LookupText lookupOfDiagonal(const Operand& operand, const LookupText& columns) {
  return {operand.name + " has a row", columns.map, "Jacobi needs these rows to be the same"};
}

/// What one rank has of an operand before it is on the grid: parts of its rows or whole ones, with
/// their numbers. Found by the matrix's structure; values are taken of it or of others of the same
/// structure.
template <class SC, class LO, class GO, class NO>
class LocalOperand {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = typename Types::local_matrix_type;
  using Numbers = IndexNumbers<Device>;

 public:
  /// Collective; may throw as columnNumbers().
  /// @param rows, columns of operand.rowMap(), and of the rows that its columns meet
  /// @param lookup of these columns
  /// @param failure a column that is not among the rows that it meets is one, too; with one
  ///   matrix() and numbered() must not be called
  LocalOperand(const Operand<SC, LO, GO, NO>& operand, const GlobalNumbering<LO, GO, NO>& rows,
               const GlobalNumbering<LO, GO, NO>& columns, const NodeLayout& layout, MPI_Comm comm,
               Traffic& traffic, const LookupText& lookup, LocalFailure& failure) {
    const auto& matrix = *operand.matrix;
    if (operand.transposed()) {
      rowNumbers_ = columnNumbers(*matrix.getCrsGraph(), rows, layout, comm, traffic,
                                  lookupOfRows(operand), failure);
      columnNumbers_ = mapNumbers(*matrix.getRowMap(), columns, layout, lookup, failure);
    } else {
      rowNumbers_ = Numbers(rows.begin(), rows.end() - rows.begin());
      columnNumbers_ =
          columnNumbers(*matrix.getCrsGraph(), columns, layout, comm, traffic, lookup, failure);
    }
    if (operand.form == OperandForm::Itself) return;
    Numbers diagonal;
    if (operand.form == OperandForm::Jacobi)
      diagonal = mapNumbers(*matrix.getRowMap(), columns, layout, lookupOfDiagonal(operand, lookup),
                            failure);
    failure.guard([&] {
      const Matrix local = localMatrixOf(matrix);
      if (operand.transposed()) ownStructure(transposeRows(local));
      if (operand.form == OperandForm::Jacobi) ownDiagonal(local, diagonal);
      Kokkos::fence();
    });
  }

  /// What this rank has of the operand, with the values of its matrix: its very arrays where the
  /// operand is the matrix itself. Local.
  NumberedMatrix<Scalar, Device> numbered(const Operand<SC, LO, GO, NO>& operand) const {
    return {matrix(operand), rowNumbers_, columnNumbers_, !operand.transposed()};
  }
  Matrix matrix(const Operand<SC, LO, GO, NO>& operand) const {
    const Matrix local = localMatrixOf(*operand.matrix);
    if (operand.form == OperandForm::Itself) return local;
    typename Matrix::row_map_type offsets = local.graph.row_map;
    typename Matrix::index_type columns = local.graph.entries;
    if (source_.extent(0) > 0 || operand.transposed()) {
      offsets = offsets_;
      columns = columns_;
    }
    const auto values = operand.transposed() ? transposedValues<Device>(local.values, source_)
                                             : smoothed(local, offsets, columns, operand);
    const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
    return Matrix(operand.name, rows, static_cast<int>(columnNumbers_.size()), values.extent(0),
                  values, offsets, columns);
  }

  /// Adds the arrays that are kept, but for numbers of rows and columns. Local.
  void countArrays(ArrayBytes& bytes) const {
    bytes.add(offsets_);
    bytes.add(columns_);
    bytes.add(source_);
    bytes.add(diagonal_);
  }

  // Not private, as CUDA wants it of what has kernels.

  /// Values of I - ω D⁻¹ M.
  template <class Offsets, class Columns>
  Kokkos::View<Scalar*, Device> smoothed(const Matrix& local, const Offsets& offsets,
                                         const Columns& columns,
                                         const Operand<SC, LO, GO, NO>& operand) const {
    const auto values = scratch<Scalar, Device>("Trident::values", columns.extent(0));
    const auto from = local.values;
    const auto source = source_;
    const auto diagonal = diagonal_;
    const auto inverse = operand.inverseDiagonal->getLocalViewDevice(Tpetra::Access::ReadOnly);
    const Scalar minusOmega = -static_cast<Scalar>(operand.omega);
    const long long rows = diagonal.extent(0);
    const std::size_t count = columns.extent(0);
    if (source.extent(0) == 0)
      forRowEntries<Device>(
          "Trident::jacobiValues", rows, count, offsets,
          TRIDENT_LAMBDA(long long r, std::size_t e) {
            values(e) = minusOmega * inverse(r, 0) * from(e);
          });
    else
      forRowEntries<Device>(
          "Trident::jacobiValues", rows, count, offsets,
          TRIDENT_LAMBDA(long long r, std::size_t e) {
            const std::size_t at = source(e);
            values(e) = at == notStored ? Scalar(0) : minusOmega * inverse(r, 0) * from(at);
          });
    Kokkos::parallel_for(
        "Trident::jacobiDiagonal", Range<Device>(0, rows),
        TRIDENT_LAMBDA(long long r) { values(diagonal(r)) += Scalar(1); });
    return values;
  }

  /// Numbers the columns that completed rows have behind the matrix's own.
  /// @param before how many diagonal entries are missing before each row; one more
  void numberMissing(const Kokkos::View<std::size_t*, Device>& before, std::size_t missing,
                     const Numbers& diagonal) {
    const Numbers columns = columnNumbers_;
    const long long known = columns.size();
    const auto numbers = uninitialized<Position, Device>("Trident::columnNumbers", known + missing);
    Kokkos::parallel_for(
        "Trident::knownNumbers", Range<Device>(0, known),
        TRIDENT_LAMBDA(long long l) { numbers(l) = columns(l); });
    Kokkos::parallel_for(
        "Trident::numberMissing", Range<Device>(0, diagonal.size()), TRIDENT_LAMBDA(long long r) {
          if (before(r + 1) > before(r)) numbers(known + before(r)) = diagonal(r);
        });
    columnNumbers_ = Numbers(numbers);
  }

 private:
  /// @param rows of another structure than the matrix's own
  template <class Rows>
  void ownStructure(const Rows& rows) {
    offsets_ = rows.offsets;
    columns_ = rows.columns;
    source_ = rows.source;
  }

  /// Finds the diagonal, and gives the operand a structure of its own where entries of it are
  /// missing.
  void ownDiagonal(const Matrix& local, const Numbers& diagonal) {
    diagonal_ = findDiagonal(local, columnNumbers_, diagonal);
    const auto before = missingBefore<Device>(diagonal_);
    std::size_t missing = 0;
    Kokkos::deep_copy(missing, Kokkos::subview(before, local.numRows()));
    if (missing == 0) return;
    ownStructure(completeDiagonal(local, before, missing, diagonal_));
    numberMissing(before, missing, diagonal);
  }

  Numbers rowNumbers_, columnNumbers_;
  // Where the structure is not the matrix's own.
  Kokkos::View<const std::size_t*, Device> offsets_;
  Kokkos::View<int*, Device> columns_;
  Kokkos::View<std::size_t*, Device> source_;    // index of each entry in the matrix, or notStored
  Kokkos::View<std::size_t*, Device> diagonal_;  // index of each row's diagonal entry; of Jacobi
};

}  // namespace Trident::Impl

#endif
