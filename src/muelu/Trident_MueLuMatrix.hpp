// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TPETRAOFXPETRA_HPP
#define TRIDENT_TPETRAOFXPETRA_HPP

#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_Matrix.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <Xpetra_TpetraVector.hpp>

namespace Trident::Impl {

/// The Tpetra matrix inside an Xpetra one; null where there is none (a blocked matrix, one of
/// point blocks, Epetra's) or no matrix at all.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>> tpetraMatrix(
    const Teuchos::RCP<Xpetra::Matrix<SC, LO, GO, NO>>& matrix) {
  using Wrap = Xpetra::CrsMatrixWrap<SC, LO, GO, NO>;
  using Inner = Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>;
  const auto wrap = Teuchos::rcp_dynamic_cast<Wrap>(matrix);
  if (wrap.is_null()) return Teuchos::null;
  const auto inner = Teuchos::rcp_dynamic_cast<Inner>(wrap->getCrsMatrix());
  if (inner.is_null()) return Teuchos::null;
  return inner->getTpetra_CrsMatrixNonConst();
}

/// The Tpetra vector inside an Xpetra one, of a Tpetra Map.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> tpetraVector(
    const Teuchos::RCP<Xpetra::Vector<SC, LO, GO, NO>>& vector) {
  using Inner = Xpetra::TpetraVector<SC, LO, GO, NO>;
  return Teuchos::rcp_dynamic_cast<Inner>(vector, true)->getTpetra_Vector();
}

}  // namespace Trident::Impl

#endif
