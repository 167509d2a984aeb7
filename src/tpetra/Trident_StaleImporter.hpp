// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STALEIMPORTER_HPP
#define TRIDENT_STALEIMPORTER_HPP

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>

#include "base/Trident_Mpi.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Returns true if an Import brings all remote rows of B that this rank's part of A meets. A must
/// have an importer. Local.
template <class SC, class LO, class GO, class NO>
bool bringsRows(const Tpetra::Import<LO, GO, NO>& importer,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
  const auto columns = A.getColMap(), brought = importer.getTargetMap();
  for (const LO remote : A.getGraph()->getImporter()->getRemoteLIDs())
    if (!brought->isNodeGlobalElement(columns->getGlobalElement(remote))) return false;
  return true;
}

/// Removes the parameter "importer" from the caller's list if the importer does not fit the
/// product. The importer is an Import of B's remote rows. Tpetra::MatrixMatrix::Multiply leaves its
/// importer in the list, and takes one from the list unchecked, so that the importer of one product
/// would ruin another. Leaves an importer that fits, or a parameter of another type. Trident
/// neither uses nor makes importers, because making one takes as long as a small product.
/// Collective over A's communicator, even if ranks' lists differ.
/// @param rows the row Map of B
template <class SC, class LO, class GO, class NO>
void removeStaleImporter(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                         const Tpetra::Map<LO, GO, NO>& rows,
                         const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Pointer = Teuchos::RCP<const Tpetra::Import<LO, GO, NO>>;
  const char* const name = "importer";
  if (params.is_null() || A.getComm()->getSize() == 1) return;
  const MPI_Comm comm = rawComm(*A.getComm());
  const bool mine = params->isParameter(name) && params->isType<Pointer>(name);
  const Pointer importer = mine ? params->get<Pointer>(name) : Teuchos::null;
  const bool some = !importer.is_null();
  int any[] = {mine, some, !some};
  allReduce(MPI_IN_PLACE, any, 3, MPI_INT, MPI_MAX, comm,
            "all ranks to say whether their lists have an importer");
  if (!any[0]) return;
  int fits = any[1] && !any[2] && !A.getGraph()->getImporter().is_null() &&
             A.getDomainMap()->isSameAs(rows) && importer->getSourceMap()->isSameAs(rows);
  if (fits) {
    fits = bringsRows(*importer, A);
    allReduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, comm,
              "all ranks to say whether an importer fits");
  }
  if (mine && !fits) params->remove(name);
}

}  // namespace Trident::Impl

#endif
