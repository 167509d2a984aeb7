// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_ASSEMBLE_HPP
#define TRIDENTPROBLEMS_ASSEMBLE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "TridentProblems_HostRows.hpp"
#include "TridentProblems_Redistribute.hpp"

/// \file TridentProblems_Assemble.hpp
/// The way from entries or rows in memory to a fill-complete matrix, without Tpetra's insertion.

namespace Trident {
namespace Problems {

/// A rank's rows: row i holds columns[offsets[i]..offsets[i+1]), ascending and distinct.
struct LocalRows {
  std::vector<std::size_t> offsets{0};
  std::vector<global_ordinal_type> columns;
  std::vector<scalar_type> values;

  std::size_t numRows() const { return offsets.size() - 1; }
  void append(global_ordinal_type column, scalar_type value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void endRow() { offsets.push_back(columns.size()); }
};

/// Throws MatrixError on every rank where a matrix is too large for Tpetra's ordinals, or ranks
/// cannot hold their parts of it: by the head of a file, before the rest is read. Collective.
/// \param name of the file \param entryBytes what an entry takes as it is read
void requireRoomForMatrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                          std::int64_t entries, std::size_t entryBytes, const Comm& comm);

/// Makes the uniform contiguous Map of `size` elements from 0. Collective. Throws MatrixError on
/// every rank if `size` does not fit Tpetra's global ordinal, or a rank's part of it the local one.
Teuchos::RCP<const map_type> uniformMap(std::int64_t size,
                                        const Teuchos::RCP<const comm_type>& comm);

/// Makes the row and the domain Map of a matrix: uniformMap() of `rows` and of `columns`, one Map
/// if both are equal. Collective. Throws MatrixError on every rank also if the ranks of a host lack
/// memory for Tpetra's arrays by rows and by columns.
std::pair<Teuchos::RCP<const map_type>, Teuchos::RCP<const map_type>> uniformMaps(
    std::int64_t rows, std::int64_t columns, const Teuchos::RCP<const comm_type>& teuchosComm,
    const Comm& comm);

/// Makes a fill-complete matrix of `rows`, one per element of `rowMap`, which becomes its range
/// Map.
///
/// Collective. `domainMap` is contiguous. The column Map lists the domain Map's own elements
/// first, then remote ones grouped by owner, as Tpetra's does; rows are sorted.
/// Throws MatrixError on every rank where one runs out of memory or of local ordinals.
Teuchos::RCP<matrix_type> matrixFromRows(LocalRows rows, const Teuchos::RCP<const map_type>& rowMap,
                                         const Teuchos::RCP<const map_type>& domainMap);

/// An entry in 16 bytes, where rows and columns are less than 2^31.
struct ShortEntry {
  std::int32_t row, column;
  scalar_type value;
};

/// Sends entries, held by any rank, to the owners of their rows and makes the `rows` x `columns`
/// matrix of them on uniform Maps (domain = row Map where square). Collective. Throws MatrixError
/// on every rank where so many rows and columns fit no Map or no memory. \param[out] duplicates
/// entries of the whole matrix that joined another, by `rule`
Teuchos::RCP<matrix_type> matrixFromEntries(std::vector<Entry> entries, std::int64_t rows,
                                            std::int64_t columns,
                                            const Teuchos::RCP<const comm_type>& teuchosComm,
                                            const Comm& comm, std::int64_t& duplicates,
                                            Duplicates rule = Duplicates::sum);
/// Makes the matrix of entries with short indices, as the function for other entries does.
Teuchos::RCP<matrix_type> matrixFromEntries(std::vector<ShortEntry> entries, std::int64_t rows,
                                            std::int64_t columns,
                                            const Teuchos::RCP<const comm_type>& teuchosComm,
                                            const Comm& comm, std::int64_t& duplicates,
                                            Duplicates rule = Duplicates::sum);

/// Makes the matrix of entries that are with the owners of their rows, by contiguous Maps.
/// Collective. Otherwise as matrixFromEntries().
Teuchos::RCP<matrix_type> matrixFromOwnEntries(std::vector<Entry> entries,
                                               const Teuchos::RCP<const map_type>& rowMap,
                                               const Teuchos::RCP<const map_type>& domainMap,
                                               const Comm& comm, std::int64_t& duplicates,
                                               Duplicates rule = Duplicates::sum);

}  // namespace Problems
}  // namespace Trident

#endif
