// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MUELUMATRIX_HPP
#define TRIDENT_MUELUMATRIX_HPP

// Trilinos will drop Xpetra. No other file of src/ may name Xpetra, so that only this file must
// change one day. The test `rooms` checks this.
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_Matrix.hpp>
#include <Xpetra_MatrixUtils.hpp>
#include <Xpetra_StridedMap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <Xpetra_TpetraMap.hpp>
#include <Xpetra_TpetraMultiVector.hpp>
#include <Xpetra_TpetraVector.hpp>

namespace Trident::Impl {

/// The matrices on MueLu's levels.
template <class SC, class LO, class GO, class NO>
using MueLuMatrix = Xpetra::Matrix<SC, LO, GO, NO>;

/// MueLu's functions on the diagonal of a MueLuMatrix.
template <class SC, class LO, class GO, class NO>
using MueLuMatrixUtils = Xpetra::MatrixUtils<SC, LO, GO, NO>;

/// Returns a Tpetra matrix in the form of MueLu's levels. Both matrices share the entries. Local.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<MueLuMatrix<SC, LO, GO, NO>> mueLuMatrix(
    const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>& matrix) {
  const Teuchos::RCP<Xpetra::CrsMatrix<SC, LO, GO, NO>> inner =
      Teuchos::rcp(new Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>(matrix));
  return Teuchos::rcp(new Xpetra::CrsMatrixWrap<SC, LO, GO, NO>(inner));
}

/// Returns the Tpetra matrix inside a matrix of MueLu's. Returns null if `matrix` is null, or has
/// no such matrix inside (a blocked matrix, one of point blocks, Epetra's). Local.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>> tpetraMatrix(
    const Teuchos::RCP<MueLuMatrix<SC, LO, GO, NO>>& matrix) {
  using Wrap = Xpetra::CrsMatrixWrap<SC, LO, GO, NO>;
  using Inner = Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>;
  const auto wrap = Teuchos::rcp_dynamic_cast<Wrap>(matrix);
  if (wrap.is_null()) return Teuchos::null;
  const auto inner = Teuchos::rcp_dynamic_cast<Inner>(wrap->getCrsMatrix());
  if (inner.is_null()) return Teuchos::null;
  return inner->getTpetra_CrsMatrixNonConst();
}

/// Returns the strided row Map, which knows the unknowns of nodes; null if there is none.
/// SetFixedBlockSize() makes this Map. Local.
template <class SC, class LO, class GO, class NO>
auto stridedRows(const MueLuMatrix<SC, LO, GO, NO>& matrix) {
  using Strided = Xpetra::StridedMap<LO, GO, NO>;
  if (!matrix.IsView("stridedMaps")) return Teuchos::RCP<const Strided>();
  return Teuchos::rcp_dynamic_cast<const Strided>(matrix.getRowMap("stridedMaps"));
}

/// Returns a Map in MueLu's form that gives `indices` to this rank. Collective.
template <class LO, class GO, class NO>
auto mueLuMap(const Teuchos::ArrayView<const GO>& indices, GO base,
              const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  using Map = Tpetra::Map<LO, GO, NO>;
  const auto all = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  return Xpetra::toXpetra(Teuchos::RCP<const Map>(new Map(all, indices, base, comm)));
}

/// Returns Tpetra vectors in MueLu's form. Local.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Xpetra::MultiVector<SC, LO, GO, NO>> mueLuVectors(
    const Teuchos::RCP<Tpetra::MultiVector<SC, LO, GO, NO>>& vectors) {
  return Teuchos::rcp(new Xpetra::TpetraMultiVector<SC, LO, GO, NO>(vectors));
}

/// Returns the Tpetra vector inside a vector of MueLu's; throws std::bad_cast if there is none.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> tpetraVector(
    const Teuchos::RCP<Xpetra::Vector<SC, LO, GO, NO>>& vector) {
  using Inner = Xpetra::TpetraVector<SC, LO, GO, NO>;
  return Teuchos::rcp_dynamic_cast<Inner>(vector, true)->getTpetra_Vector();
}

}  // namespace Trident::Impl

#endif
