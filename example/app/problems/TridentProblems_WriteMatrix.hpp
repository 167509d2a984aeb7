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

}  // namespace Problems
}  // namespace Trident

#endif
