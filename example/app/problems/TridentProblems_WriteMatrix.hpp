// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_WRITEMATRIX_HPP
#define TRIDENTPROBLEMS_WRITEMATRIX_HPP

#include <string>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Throws MatrixError where writeMatrix() writes no file of the format that the name says. Local.
void requireFormat(const std::string& path);

/// Writes a file of the format that its name says: NAME.csr by rows (writeCompressedRows()), others
/// as Matrix Market (writeMatrixMarket()), whose errors and those of requireFormat() these are.
/// Collective.
void writeMatrix(const matrix_type& matrix, const std::string& path);

/// Writes a fill-complete matrix as a Matrix Market file (coordinate real general; the fewest
/// digits that read as the same values), all ranks at once; rows in rank order, so contiguous row
/// Maps give the same file on any number of ranks. Gzipped where the name ends in .gz, each rank's
/// rows by that rank: the same text. Collective over the matrix' communicator.
///
/// Throws MatrixError on every rank where the matrix is not fill-complete or the file cannot be
/// written (path, permission, full disk); an older file of that name then stays.
void writeMatrixMarket(const matrix_type& matrix, const std::string& path);

}  // namespace Problems
}  // namespace Trident

#endif
