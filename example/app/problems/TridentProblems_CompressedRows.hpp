// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COMPRESSEDROWS_HPP
#define TRIDENTPROBLEMS_COMPRESSEDROWS_HPP

#include <string>

#include "TridentProblems_Comm.hpp"

/// \file TridentProblems_CompressedRows.hpp
/// Files .csr: a matrix by rows, little endian, without padding:
/// `int64 rows, columns, nnz; int64 rowptr[rows+1]; int32 column[nnz]; float64 val[nnz]`, indices
/// from 0; then `char mark[8] = "checksum"; uint64 sum` (BinarySum). Ranks read and write their own
/// rows straight from and to the arrays of the matrix.

namespace Trident {
namespace Problems {

/// Reads a matrix onto uniform Maps (domain = row Map where square). Collective.
/// Throws MatrixError on every rank: unreadable, truncated, too long, inconsistent (with the byte),
/// more than Maps or memory hold, or another checksum than the file says.
/// \param[out] duplicates entries that were added to another
/// \param[out] hasSum whether the file has a checksum; those of others and older ones have none
Teuchos::RCP<matrix_type> readCompressedRows(const std::string& path,
                                             const Teuchos::RCP<const comm_type>& teuchosComm,
                                             const Comm& comm, std::int64_t& duplicates,
                                             bool& hasSum);

/// Writes a matrix of which the rows lie along a contiguous Map. Collective. Throws MatrixError on
/// every rank where it is not fill-complete, fits not the format, or the file cannot be written.
void writeCompressedRows(const matrix_type& matrix, const std::string& path);

}  // namespace Problems
}  // namespace Trident

#endif
