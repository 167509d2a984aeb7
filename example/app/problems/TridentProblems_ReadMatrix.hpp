// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_READMATRIX_HPP
#define TRIDENTPROBLEMS_READMATRIX_HPP

#include <cstdint>
#include <string>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// A report of what was read, equal on every rank.
struct ReadReport {
  std::int64_t entries = 0;     ///< stored entries of the matrix
  std::int64_t duplicates = 0;  ///< entries added to another of the same position
  bool pattern = false;         ///< the file has no values: all are 1
  std::string warning;          ///< a sentence where the matrix may not be what was meant, or empty
  std::string description;      ///< one line: what it was and its size
};

/// Returns a program's warning on standard error about a file: a line, or nothing.
std::string warningLine(const ReadReport& report);

/// A matrix, fill-complete, and where it came from.
struct ReadResult {
  Teuchos::RCP<matrix_type> matrix;
  ReadReport report;
};

/// Reads or makes a matrix. Collective over `comm`; `spec` is the same on every rank.
///
/// \param spec one of
///   - a Matrix Market file, coordinate: real, integer or pattern (values 1); general, symmetric or
///     skew-symmetric (both halves are made); gzipped or not, which the first bytes say. A plain
///     file is read by all ranks, a gzipped one by rank 0
///   - "-", standard input, or a pipe: the same text, gzipped or not, read by rank 0
///   - a file NAME.bin: by columns, see readBinary(); NAME.csr: by rows, see readCompressedRows()
///   - a generator, such as er:n=1000,d=16,seed=1, see generatorHelp(): the same matrix on any
///     number of ranks
/// \return an m x n matrix on the uniform contiguous row and range Map of m; the domain Map is the
///   row Map itself where m = n, else the uniform contiguous Map of n. Indices begin at 0. Entries
///   of one position are summed, stored zeros kept.
///
/// Throws MatrixError on every rank, with the file, the line or byte, and the remedy; never hangs
/// because one rank could not read.
ReadResult readMatrix(const std::string& spec, const Teuchos::RCP<const comm_type>& comm);

/// Throws MatrixError on every rank where one of two inputs cannot be read, or both are one that is
/// read once: before either is. Collective. \param A a spec of readMatrix() \param B likewise, or
/// "A" or "restriction", which are made of A
void requireInputs(const std::string& A, const std::string& B, const Comm& comm);

/// Counts the stored entries of all ranks anew: works if the matrix has no global constants.
/// Collective.
std::int64_t countEntries(const matrix_type& matrix);

}  // namespace Problems
}  // namespace Trident

#endif
