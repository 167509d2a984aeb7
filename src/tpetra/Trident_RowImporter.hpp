// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWIMPORTER_HPP
#define TRIDENT_ROWIMPORTER_HPP

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_Import.hpp>
#include <algorithm>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Collective.hpp"
#include "Trident_Error.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Global indices of A's columns that other ranks own, in the order of the column Map. A has an
/// importer. Local.
template <class SC, class LO, class GO, class NO>
std::vector<GO> remoteColumns(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A) {
  const auto lids = A.getGraph()->getImporter()->getRemoteLIDs();
  std::vector<GO> gids(lids.size());
  for (std::size_t c = 0; c < gids.size(); ++c) gids[c] = A.getColMap()->getGlobalElement(lids[c]);
  return gids;
}

/// Whether what a list holds brings all rows that a product needs from other ranks. Collective,
/// also where ranks' lists differ.
template <class LO, class GO, class NO>
bool bringsRows(const Teuchos::RCP<const Tpetra::Import<LO, GO, NO>>& importer,
                const Tpetra::Map<LO, GO, NO>& rows, const std::vector<GO>& needed, MPI_Comm comm) {
  const auto brought = [&](GO gid) { return importer->getTargetMap()->isNodeGlobalElement(gid); };
  const bool some = !importer.is_null();
  const bool good = some ? std::all_of(needed.begin(), needed.end(), brought) : needed.empty();
  int all[] = {good, some, !some};
  allReduce(MPI_IN_PLACE, all, 3, MPI_INT, MPI_MIN, comm,
            "all ranks to say whether an importer fits");
  return all[0] && (all[1] ? importer->getSourceMap()->isSameAs(rows) : all[2]);
}

/// The Import that brings rows of B to the ranks whose columns of A meet them, made from A's own
/// without asking around; null where every rank has its rows. Collective.
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> makeRowImporter(
    const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, const std::vector<GO>& needed) {
  const auto columns = A.getColMap();
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const auto rows = Teuchos::rcp(
      new Tpetra::Map<LO, GO, NO>(any, Teuchos::ArrayView<const GO>(needed.data(), needed.size()),
                                  columns->getIndexBase(), columns->getComm()));
  if (rows->getGlobalNumElements() == 0) return Teuchos::null;
  return A.getGraph()->getImporter()->createRemoteOnlyImport(rows);
}

/// Leaves in the caller's list what Tpetra::MatrixMatrix::Multiply leaves there, and takes from
/// there unchecked: "importer", the Import of the remote rows of B. Trident moves no rows by it; it
/// is for the next product of this structure that Tpetra forms with this list. One that fits is
/// kept, one of another product is replaced, a parameter of another type stays. As in Tpetra there
/// is none where A has no importer or there is one rank, nor where a rank lacks memory for the list
/// of its remote columns. Collective.
/// @param rows the row Map of B; where A's columns are dealt in another way, nothing is left
template <class SC, class LO, class GO, class NO>
void leaveRowImporter(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                      const Tpetra::Map<LO, GO, NO>& rows,
                      const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using Pointer = Teuchos::RCP<const Tpetra::Import<LO, GO, NO>>;
  const char* const name = "importer";
  if (params.is_null() || A.getComm()->getSize() == 1 || A.getGraph()->getImporter().is_null())
    return;
  if (!A.getDomainMap()->isSameAs(rows)) return;
  const bool given = params->isParameter(name), typed = given && params->isType<Pointer>(name);
  std::vector<GO> needed;
  try {
    runEverywhere(rawComm(*A.getComm()), [&] { needed = remoteColumns(A); });
  } catch (const Error&) {  // C is there; Tpetra makes an Import itself where the list has none
    if (typed) params->set(name, Pointer());
    return;
  }
  const Pointer found = typed ? params->get<Pointer>(name) : Teuchos::null;
  const bool keep = bringsRows(found, rows, needed, rawComm(*A.getComm()));
  const Pointer fitting = keep ? found : makeRowImporter(A, needed);
  if (!given || typed) params->set(name, fitting);
}

}  // namespace Trident::Impl

#endif
