// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_READBINARY_HPP
#define TRIDENTPROBLEMS_READBINARY_HPP

#include <string>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Problems {

/// The size of a binary matrix, on every rank, and the entries that this rank read.
struct BinaryEntries {
  std::int64_t size = 0;   ///< rows and columns
  std::int64_t total = 0;  ///< entries of the file
  std::vector<ShortEntry> entries;
};

/// Reads a square matrix by columns, little endian, without padding:
/// `int64 n, nnz; int64 colptr[n+1]; int32 row[nnz]; float64 val[nnz]`, indices from 0.
/// Each rank reads the columns of a uniform partition. Collective.
/// Throws MatrixError on every rank: unreadable, truncated, too long, inconsistent (with the byte).
BinaryEntries readBinary(const std::string& path, const Comm& comm);

}  // namespace Problems
}  // namespace Trident

#endif
