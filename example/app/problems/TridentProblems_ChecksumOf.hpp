// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_CHECKSUMOF_HPP
#define TRIDENTPROBLEMS_CHECKSUMOF_HPP

#include "TridentProblems_Checksum.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Problems {

/// Returns the sums over the entries of a fill-complete matrix, of all ranks. Collective.
inline Checksum checksumOf(const matrix_type& matrix) {
  const Comm comm(*matrix.getComm());
  Checksum sums;
  collectively(comm, [&] {
    const RowReader rows(matrix);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t entry = rows.begin(row); entry < rows.end(row); ++entry)
        sums.add(rows.rowGid(row), rows.column(entry), rows.value(entry));
  });
  checkMpi(sums.sum(comm.get()), "MPI_Allreduce");
  return sums;
}

}  // namespace Problems
}  // namespace Trident

#endif
