// SPDX-License-Identifier: BSD-3-Clause
// Matrices of entries. Of what ranks hold most is for entries, and half of the time goes for new
// pages of memory: so entries go straight to the arrays of the matrix.
#include <algorithm>
#include <numeric>
#include <utility>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_ColumnNumbering.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Problems {

namespace {

template <class EntryType>
ColumnNumbering numberColumns(const std::vector<EntryType>& entries, const map_type& domainMap) {
  ColumnNumbering numbering(domainMap, entries.size());
  for (const EntryType& entry : entries) numbering.note(entry.column);
  numbering.number();
  return numbering;
}

/// Groups entries row by row, those of a row in the order that they came in.
template <class EntryType>
HostRows groupByRow(const std::vector<EntryType>& entries, global_ordinal_type firstRow,
                    std::size_t numRows, const ColumnNumbering& numbering) {
  const auto rowOf = [&](const EntryType& e) { return static_cast<std::size_t>(e.row - firstRow); };
  HostRows rows(numRows, entries.size());
  std::size_t* const offsets = rows.offsets.data();
  for (const EntryType& entry : entries) ++offsets[rowOf(entry) + 1];
  std::partial_sum(offsets, offsets + numRows + 1, offsets);
  for (const EntryType& entry : entries) {  // turns offsets[i] from row i's begin into its end
    const std::size_t at = offsets[rowOf(entry)]++;
    rows.columns(at) = numbering[entry.column];
    rows.values(at) = entry.value;
  }
  std::copy_backward(offsets, offsets + numRows, offsets + numRows + 1);
  offsets[0] = 0;
  return rows;
}

/// Makes the matrix of entries that are with the owners of their rows.
template <class EntryType>
Teuchos::RCP<matrix_type> assembleOwn(std::vector<EntryType> entries,
                                      const Teuchos::RCP<const map_type>& rowMap,
                                      const Teuchos::RCP<const map_type>& domainMap,
                                      const Comm& comm, std::int64_t& duplicates, Duplicates rule) {
  const std::size_t numRows = numLocalElements(*rowMap);
  HostRows rows;
  std::vector<global_ordinal_type> columnGids;
  std::int64_t merged = 0;
  collectively(comm, [&] {
    const ColumnNumbering numbering = numberColumns(entries, *domainMap);
    rows = groupByRow(entries, numRows > 0 ? rowMap->getMinGlobalIndex() : 0, numRows, numbering);
    std::vector<EntryType>().swap(entries);
    merged = orderRows(rows, rule);
    columnGids = numbering.columnGids();
  });
  duplicates = comm.sum(merged);
  return matrixFromHostRows(std::move(rows), columnGids, rowMap, domainMap);
}

/// Sends entries to the owners of their rows.
template <class EntryType>
Teuchos::RCP<matrix_type> assemble(std::vector<EntryType> entries, std::int64_t rows,
                                   std::int64_t columns,
                                   const Teuchos::RCP<const comm_type>& teuchosComm,
                                   const Comm& comm, std::int64_t& duplicates, Duplicates rule) {
  const auto [rowMap, domainMap] = uniformMaps(rows, columns, teuchosComm, comm);
  const UniformPartition partition(rows, comm.size());
  entries = redistributeEntries(
      std::move(entries), [&](const EntryType& entry) { return partition.owner(entry.row); }, comm);
  return assembleOwn(std::move(entries), rowMap, domainMap, comm, duplicates, rule);
}

}  // namespace

Teuchos::RCP<matrix_type> matrixFromOwnEntries(std::vector<Entry> entries,
                                               const Teuchos::RCP<const map_type>& rowMap,
                                               const Teuchos::RCP<const map_type>& domainMap,
                                               const Comm& comm, std::int64_t& duplicates,
                                               Duplicates rule) {
  return assembleOwn(std::move(entries), rowMap, domainMap, comm, duplicates, rule);
}

Teuchos::RCP<matrix_type> matrixFromEntries(std::vector<Entry> entries, std::int64_t rows,
                                            std::int64_t columns,
                                            const Teuchos::RCP<const comm_type>& teuchosComm,
                                            const Comm& comm, std::int64_t& duplicates,
                                            Duplicates rule) {
  return assemble(std::move(entries), rows, columns, teuchosComm, comm, duplicates, rule);
}

Teuchos::RCP<matrix_type> matrixFromEntries(std::vector<ShortEntry> entries, std::int64_t rows,
                                            std::int64_t columns,
                                            const Teuchos::RCP<const comm_type>& teuchosComm,
                                            const Comm& comm, std::int64_t& duplicates,
                                            Duplicates rule) {
  return assemble(std::move(entries), rows, columns, teuchosComm, comm, duplicates, rule);
}

}  // namespace Problems
}  // namespace Trident
