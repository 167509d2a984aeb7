// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_DIAGONAL_HPP
#define TRIDENTCLUSTERING_DIAGONAL_HPP

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

namespace Details {

/// The local column of a row's diagonal; a number that is none where there is no such column. It is
/// asked for, row by row, as a file may declare many more rows than it has entries.
struct DiagonalColumns {
  map_type::local_map_type rowMap, columnMap;

  explicit DiagonalColumns(const matrix_type& matrix)
      : rowMap(matrix.getRowMap()->getLocalMap()), columnMap(matrix.getColMap()->getLocalMap()) {}

  KOKKOS_INLINE_FUNCTION local_ordinal_type operator()(long long row) const {
    return columnMap.getLocalElement(rowMap.getGlobalElement(static_cast<local_ordinal_type>(row)));
  }
};

}  // namespace Details

}  // namespace Clustering
}  // namespace Trident

#endif
