// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STALEIMPORTER_HPP
#define TRIDENT_STALEIMPORTER_HPP

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Import.hpp>

#include "base/Trident_Mpi.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Returns true if an Import brings a rank all rows of B that its columns of A meet on other ranks.
/// A has an importer. Local.
template <class SC, class LO, class GO, class NO>
bool bringsRows(const Tpetra::Import<LO, GO, NO>& importer,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
  const auto columns = A.getColMap(), brought = importer.getTargetMap();
  for (const LO remote : A.getGraph()->getImporter()->getRemoteLIDs())
    if (!brought->isNodeGlobalElement(columns->getGlobalElement(remote))) return false;
  return true;
}

/// Removes from the caller's list an "importer" that does not fit the product. That is the Import
/// of the remote rows of B, which Tpetra::MatrixMatrix::Multiply leaves in a list and takes from
/// there unchecked; so a list of one product ruins another. One that fits stays; where there is
/// none, Tpetra makes one. Trident moves no rows by it, and makes none: that would take as long as
/// a small product. A parameter of another type stays. Collective over A's communicator, also where
/// ranks' lists differ.
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
