// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_OPERAND_HPP
#define TRIDENT_OPERAND_HPP

#include <Tpetra_Vector_decl.hpp>
#include <string>

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

}  // namespace Trident::Impl

#endif
