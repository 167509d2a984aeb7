// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKINPUT_HPP
#define TRIDENT_CHECKINPUT_HPP

#include <string>

#include "Trident_Agreement.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_TpetraCompat.hpp"
#include "Trident_WiderRows.hpp"

namespace Trident {

/// Which results a product may be formed in.
enum class ResultPattern {
  New,  ///< without entries or pattern, as isNew() says
  Any   ///< new, or with the pattern that a fillComplete() left
};

/// Whether C has no entries and no pattern: what Tpetra calls a new matrix. Local.
template <class Matrix>
bool isNew(const Matrix& C) {
  return !C.isFillComplete() && !C.isLocallyIndexed() && !C.isGloballyIndexed();
}

namespace Impl {

template <class Map>
std::string sizeText(const Map& map) {
  return std::to_string(map.getGlobalNumElements());
}

/// "3 x 4", by Maps alone: never by global constants, which a matrix need not have.
template <class Matrix>
std::string shapeText(const Matrix& matrix) {
  return sizeText(*matrix.getRowMap()) + " x " +
         (matrix.isFillComplete() ? sizeText(*matrix.getDomainMap()) : std::string("?"));
}

template <class Matrix>
bool sameCommunicator(const Matrix& A, const Matrix& B) {
  int result = MPI_UNEQUAL;
  TRIDENT_MPI_CHECK(MPI_Comm_compare(rawComm(*A.getComm()), rawComm(*B.getComm()), &result));
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}

/// What hinders a result from being formed in C as it is; empty where nothing does. Local.
template <class Matrix>
std::string problemOfResult(const Matrix& C, ResultPattern allowed) {
  const std::string remedy = "pass a new CrsMatrix(A.getRowMap(), 0)";
  if (isNew(C)) return C.isStaticGraph() ? "C has a constant graph without entries; " + remedy : "";
  if (allowed == ResultPattern::New) return "C already has a pattern; " + remedy;
  // A pattern is what a fillComplete() left, of C or of its graph.
  const std::string again = "; call C.fillComplete(), or " + remedy;
  if (!C.isLocallyIndexed() || C.getDomainMap().is_null() || C.getRangeMap().is_null())
    return "C has entries but was never fill-complete" + again;
  const std::size_t entries = localEntries(C);
  if (entries > 0 && !C.isStorageOptimized())
    return "C has room for entries beyond its pattern, or got some since it was fill-complete" +
           again;
  return "";
}

/// What is wrong with the input as far as this rank sees; empty where nothing is.
template <class Matrix>
std::string problemOfInput(const Matrix& A, const Matrix& B, const Matrix& C,
                           ResultPattern allowed) {
  if (!A.isFillComplete()) return "A is not fill-complete; call A.fillComplete() first";
  if (!B.isFillComplete()) return "B is not fill-complete; call B.fillComplete() first";
  const std::string shapes = " (A is " + shapeText(A) + ", B is " + shapeText(B) + ")";
  if (A.getDomainMap()->getGlobalNumElements() != B.getRowMap()->getGlobalNumElements())
    return "inner sizes differ" + shapes + "; A must have as many columns as B has rows";
  if (C.getRowMap()->getGlobalNumElements() < A.getRowMap()->getGlobalNumElements())
    return "C has " + sizeText(*C.getRowMap()) + " rows" + shapes + "; make C with A's row Map";
  if (&C == &A || &C == &B) return "C is A or B; the result needs a matrix of its own";
  return problemOfResult(C, allowed);
}

}  // namespace Impl

/// Throws Trident::Error on every rank where A·B cannot be formed into C. Collective over A's
/// communicator.
template <class Matrix>
void checkInput(const Matrix& A, const Matrix& B, const Matrix& C, ResultPattern allowed) {
  const std::string function = "Trident::Multiply";
  // Communicators are compared first: the collectives below need them to be one.
  if (!Impl::sameCommunicator(A, B) || !Impl::sameCommunicator(A, C))
    throw Error(function, "A, B and C do not live on one communicator");
  throwEverywhere(rawComm(*A.getComm()), function, Impl::problemOfInput(A, B, C, allowed));
  if (!A.getRowMap()->isSameAs(*C.getRowMap())) {
    const bool within =
        rowsWithin(*A.getRowMap(), *C.getRowMap()).size() == localSize(*A.getRowMap());
    throwEverywhere(rawComm(*A.getComm()), function,
                    within ? ""
                           : "C's row Map does not contain A's rank by rank in its order; make C "
                             "with A's row Map");
  }
  // Tpetra says no of a Map without indices, unless it is uniform.
  const auto oneToOne = [](const auto& map) {
    return map.getGlobalNumElements() == 0 || map.isOneToOne();
  };
  if (!oneToOne(*A.getRowMap()) || !oneToOne(*B.getRowMap()) || !oneToOne(*B.getDomainMap()))
    throw Error(function,
                "a row or domain Map has an index that several ranks own; matrices must "
                "have one-to-one Maps");
}

}  // namespace Trident

#endif
