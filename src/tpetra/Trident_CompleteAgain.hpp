// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPLETEAGAIN_HPP
#define TRIDENT_COMPLETEAGAIN_HPP

#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Whether Tpetra compares Maps of this matrix when its fill ends once more, by a reduction: those
/// that are different objects, with no Import or Export between them. Tpetra needs that this is
/// alike on all ranks. Local.
template <class Matrix>
bool endOfFillReduces(const Matrix& C) {
  const auto& graph = *C.getCrsGraph();
  return (graph.getImporter().is_null() && C.getDomainMap() != C.getColMap()) ||
         (graph.getExporter().is_null() && C.getRangeMap() != C.getRowMap());
}

/// fillComplete() of an open matrix whose pattern and Maps stay: what of it can fail on one rank
/// comes first, then all ranks throw and the matrix is open on all; global constants, which are
/// reduced, come last. Collective.
template <class Matrix>
void completeOpen(Matrix& C, bool globalConstants) {
  const MPI_Comm comm = rawComm(*C.getComm());
  LocalFailure failure;
  failure.guard([&] { fillCompleteHere(C); });
  try {
    throwEverywhere(comm, failure.text());
  } catch (const Error&) {
    C.resumeFill();
    throw;
  }
  if (globalConstants) computeGlobalConstants(C);
}

/// Lets Tpetra forget what it has cached of the values of a fill-complete matrix, such as its norm,
/// by the one public way there is: resuming fill and ending it. Values may then be written, until
/// something asks for what is cached. Global constants stay if there are any. Collective; where a
/// rank lacks memory, throws Trident::Error on every rank, and the matrix is as it was, unless
/// memory is lacking a second time: then open.
/// @param failure all throw where one has it
template <class Matrix>
void completeAgain(Matrix& C, LocalFailure failure = {}) {
  const GlobalConstants<Matrix> constants(C);
  // A rank that failed does not end fill, and must leave nobody waiting in Tpetra's reduction.
  if (endOfFillReduces(C)) throwEverywhere(rawComm(*C.getComm()), failure.text());
  failure.guard([&] {
    C.resumeFill();
    fillCompleteHere(C);
  });
  try {
    throwEverywhere(rawComm(*C.getComm()), failure.text());
  } catch (const Error&) {
    if (C.isFillComplete()) C.resumeFill();
    try {
      completeOpen(C, constants.known());
    } catch (const Error&) {
    }
    throw;
  }
  constants.restore(C);
}

}  // namespace Trident::Impl

#endif
