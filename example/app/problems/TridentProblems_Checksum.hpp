// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_CHECKSUM_HPP
#define TRIDENTPROBLEMS_CHECKSUM_HPP

#include <mpi.h>

#include <cmath>
#include <cstdint>

#include "TridentProblems_Hash.hpp"

namespace Trident {
namespace Problems {

/// Numbers that two programs find alike for one matrix, whatever the order of its entries and
/// whichever rank holds them: but for rounding, and for the zeros that one of them may store.
/// Needs no Tpetra: programs of other libraries use it too.
struct Checksum {
  std::int64_t entries = 0, zeros = 0;  ///< stored; stored with value 0
  double bilinear = 0;                  ///< xᵀ C y with x and y in [1, 2), fixed by the index
  double absolute = 0;                  ///< sum of |C|

  void add(std::int64_t row, std::int64_t column, double value) {
    ++entries;
    if (value == 0) ++zeros;
    bilinear += weight(static_cast<std::uint64_t>(row)) * value *
                weight(~static_cast<std::uint64_t>(column));
    absolute += std::abs(value);
  }

  /// Sums over all ranks. Collective. \return a code of MPI
  int sum(MPI_Comm comm) {
    std::int64_t counts[] = {entries, zeros};
    double sums[] = {bilinear, absolute};
    int code = MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, comm);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, comm);
    entries = counts[0];
    zeros = counts[1];
    bilinear = sums[0];
    absolute = sums[1];
    return code;
  }

 private:
  static double weight(std::uint64_t index) {
    return 1 + static_cast<double>(hash(index) >> 11) * 0x1p-53;
  }
};

}  // namespace Problems
}  // namespace Trident

#endif
