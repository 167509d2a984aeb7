// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_Assemble.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "TridentProblems_ColumnNumbering.hpp"
#include "TridentProblems_HostMemory.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Throws if a Map cannot have so many indices. Ranks throw alike.
void requireOrdinals(std::int64_t size, int ranks) {
  const std::int64_t most = std::numeric_limits<global_ordinal_type>::max();
  if (size > most)
    throw MatrixError("a dimension of " + std::to_string(size) +
                      " exceeds this Trilinos' global "
                      "ordinal (at most " +
                      std::to_string(most) +
                      "): build Trilinos with "
                      "-D Tpetra_INST_INT_LONG_LONG=ON");
  const std::int64_t mostHere = std::numeric_limits<local_ordinal_type>::max();
  if (size / ranks >= mostHere)
    throw MatrixError("a dimension of " + std::to_string(size) +
                      " gives each rank more indices than its local ordinals can number (" +
                      std::to_string(mostHere) + "): use more ranks");
}

/// Returns the bytes of rows and columns without entries, on all ranks together: Tpetra's offsets,
/// and the list of global columns that its Import makes.
double bytesOfMaps(std::int64_t rows, std::int64_t columns) {
  return 1.0 * sizeof(std::size_t) * static_cast<double>(rows) +
         1.0 * sizeof(global_ordinal_type) * static_cast<double>(columns);
}

std::string shapeText(std::int64_t rows, std::int64_t columns) {
  return "a matrix of " + std::to_string(rows) + " x " + std::to_string(columns);
}

}  // namespace

void requireRoomForMatrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                          std::int64_t entries, std::size_t entryBytes, const Comm& comm) {
  for (const std::int64_t size : {rows, columns}) requireOrdinals(size, comm.size());
  const double bytes =
      bytesOfMaps(rows, columns) + static_cast<double>(entryBytes) * static_cast<double>(entries);
  requireMemory(
      bytes / comm.size(),
      name + ": " + shapeText(rows, columns) + " and " + std::to_string(entries) + " entries",
      comm);
}

Teuchos::RCP<const map_type> uniformMap(std::int64_t size,
                                        const Teuchos::RCP<const comm_type>& comm) {
  requireOrdinals(size, comm->getSize());
  return Teuchos::rcp(new map_type(static_cast<Tpetra::global_size_t>(size), 0, comm));
}

std::pair<Teuchos::RCP<const map_type>, Teuchos::RCP<const map_type>> uniformMaps(
    std::int64_t rows, std::int64_t columns, const Teuchos::RCP<const comm_type>& teuchosComm,
    const Comm& comm) {
  const auto rowMap = uniformMap(rows, teuchosComm);
  const auto domainMap = rows == columns ? rowMap : uniformMap(columns, teuchosComm);
  requireMemory(bytesOfMaps(rows, columns) / comm.size(), shapeText(rows, columns), comm);
  return {rowMap, domainMap};
}

Teuchos::RCP<matrix_type> matrixFromRows(LocalRows rows, const Teuchos::RCP<const map_type>& rowMap,
                                         const Teuchos::RCP<const map_type>& domainMap) {
  HostRows local;
  std::vector<global_ordinal_type> columnGids;
  collectively(Comm(*rowMap->getComm()), [&] {
    ColumnNumbering numbering(*domainMap, rows.columns.size());
    for (const global_ordinal_type column : rows.columns) numbering.note(column);
    numbering.number();
    local = HostRows(rows.numRows(), rows.columns.size());
    std::copy(rows.offsets.begin(), rows.offsets.end(), local.offsets.data());
    std::transform(rows.columns.begin(), rows.columns.end(), local.columns.data(),
                   [&](global_ordinal_type column) { return numbering[column]; });
    std::vector<global_ordinal_type>().swap(rows.columns);
    std::copy(rows.values.begin(), rows.values.end(), local.values.data());
    rows = LocalRows();
    orderRows(local, Duplicates::sum);  // own columns come first
    columnGids = numbering.columnGids();
  });
  return matrixFromHostRows(std::move(local), columnGids, rowMap, domainMap);
}

}  // namespace Problems
}  // namespace Trident
