// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_HOSTROWS_HPP
#define TRIDENTPROBLEMS_HOSTROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Treatments of entries of the same position.
enum class Duplicates { sum, largest };

/// An array of the host that a matrix of hosts takes over without a copy.
template <class T>
using HostArray = Kokkos::View<T*, Kokkos::HostSpace>;

/// \param size of the array, whose memory is not written before it is used
template <class T>
HostArray<T> hostArray(const std::string& label, std::size_t size) {
  return HostArray<T>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size);
}

/// A rank's rows by local columns: entries offsets(i) to before offsets(i + 1) are those of row i.
struct HostRows {
  HostArray<std::size_t> offsets;
  HostArray<local_ordinal_type> columns;
  HostArray<scalar_type> values;

  /// Throws std::bad_alloc. Offsets are 0, the others are not set.
  HostRows(std::size_t numRows, std::size_t numEntries)
      : offsets("offsets", numRows + 1),
        columns(hostArray<local_ordinal_type>("columns", numEntries)),
        values(hostArray<scalar_type>("values", numEntries)) {}
  HostRows() = default;

  std::size_t numRows() const { return offsets.extent(0) - 1; }
};

/// Sorts the rows that do not ascend. Entries of the same position become one: their largest, or
/// their sum, taken in an order that depends on their values only. Local.
/// \return how many joined another
std::int64_t orderRows(HostRows& rows, Duplicates rule);

/// Makes a fill-complete matrix of rows that ascend, one per element of `rowMap`, which becomes its
/// range Map. Collective. \param columnGids of the local columns Throws MatrixError on every rank
/// where one runs out of memory.
Teuchos::RCP<matrix_type> matrixFromHostRows(HostRows rows,
                                             const std::vector<global_ordinal_type>& columnGids,
                                             const Teuchos::RCP<const map_type>& rowMap,
                                             const Teuchos::RCP<const map_type>& domainMap);

}  // namespace Problems
}  // namespace Trident

#endif
