// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_ROWS_HPP
#define TRIDENTPROBLEMS_ROWS_HPP

#include <vector>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Returns the global indices of a Map's elements on this rank, in local order.
inline std::vector<global_ordinal_type> globalIndices(const map_type& map) {
  std::vector<global_ordinal_type> gids(numLocalElements(map));
  for (std::size_t i = 0; i < gids.size(); ++i)
    gids[i] = map.getGlobalElement(static_cast<local_ordinal_type>(i));
  return gids;
}

/// Reads a fill-complete matrix on the host, row by row, by global column indices. Local.
/// While one exists, the matrix cannot be used on a device: keep it in a small scope.
class RowReader {
 public:
  explicit RowReader(const matrix_type& matrix)
      : rowMap_(matrix.getRowMap()),
        numRows_(numLocalElements(*rowMap_)),
        columnGids_(globalIndices(*matrix.getColMap())),
        local_(matrix.getLocalMatrixHost()) {}

  std::size_t numRows() const { return numRows_; }
  std::size_t numEntries() const {
    return numRows() == 0 ? 0 : static_cast<std::size_t>(local_.graph.row_map(numRows()));
  }
  global_ordinal_type rowGid(std::size_t row) const {
    return rowMap_->getGlobalElement(static_cast<local_ordinal_type>(row));
  }

  /// \name Entries of `row` are those with numbers begin(row) .. end(row)
  ///@{
  std::size_t begin(std::size_t row) const { return local_.graph.row_map(row); }
  std::size_t end(std::size_t row) const { return local_.graph.row_map(row + 1); }
  local_ordinal_type localColumn(std::size_t entry) const { return local_.graph.entries(entry); }
  global_ordinal_type column(std::size_t entry) const {
    return columnGids_[static_cast<std::size_t>(local_.graph.entries(entry))];
  }
  scalar_type value(std::size_t entry) const { return local_.values(entry); }
  ///@}

  const std::vector<global_ordinal_type>& columnGids() const { return columnGids_; }

 private:
  Teuchos::RCP<const map_type> rowMap_;
  std::size_t numRows_;
  std::vector<global_ordinal_type> columnGids_;
  decltype(std::declval<const matrix_type&>().getLocalMatrixHost()) local_;
};

}  // namespace Problems
}  // namespace Trident

#endif
