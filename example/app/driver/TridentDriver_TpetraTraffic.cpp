// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_TpetraTraffic.hpp"

#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Vector.hpp>

namespace Trident {
namespace Driver {
namespace {

using LO = local_ordinal_type;
using GO = global_ordinal_type;
using NO = map_type::node_type;
using ordinal_vector = Tpetra::Vector<GO, LO, GO, NO>;
using import_type = Tpetra::Import<LO, GO, NO>;

/// Counts the entries in the row of B that each local column of A meets.
ordinal_vector rowLengths(const matrix_type& A, const matrix_type& B, const import_type& importer) {
  ordinal_vector owned(B.getRowMap()), met(A.getColMap());
  {  // Views end before the Import: Tpetra allows none while it moves data.
    const auto view = owned.getDataNonConst();
    for (LO row = 0; row < static_cast<LO>(owned.getLocalLength()); ++row)
      view[row] = static_cast<GO>(B.getNumEntriesInLocalRow(row));
  }
  met.doImport(owned, importer, Tpetra::INSERT);
  return met;
}

}  // namespace

Traffic tpetraTraffic(const matrix_type& A, const matrix_type& B, const std::vector<int>& nodes) {
  Traffic traffic;
  // As Tpetra does: A's own importer says which rows of B are remote; without one none is.
  if (A.getGraph()->getImporter().is_null()) return traffic;
  const import_type& importer = *A.getGraph()->getImporter();
  const ordinal_vector met = rowLengths(A, B, importer);
  const auto lengths = met.getData();
  const auto remotes = importer.getRemoteLIDs();
  const auto& distributor = importer.getDistributor();
  const auto owners = distributor.getProcsFrom();
  const auto counts = distributor.getLengthsFrom();
  const int here = nodes[A.getComm()->getRank()];
  std::size_t next = 0;  // remote rows lie owner by owner
  for (int o = 0; o < static_cast<int>(owners.size()); ++o) {
    long long bytes = 0;
    for (std::size_t n = 0; n < counts[o]; ++n) bytes += packedRowBytes(lengths[remotes[next++]]);
    traffic.count(nodes[owners[o]] != here, bytes, 2);
  }
  return traffic;
}

}  // namespace Driver
}  // namespace Trident
