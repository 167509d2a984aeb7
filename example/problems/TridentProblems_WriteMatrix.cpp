// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteMatrix.hpp"

#include "TridentProblems_CompressedRows.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_WriteMatrixMarket.hpp"

namespace Trident {
namespace Problems {

void writeMatrix(const matrix_type& matrix, const std::string& path) {
  if (endsIn(path, ".csr"))
    writeCompressedRows(matrix, path);
  else
    writeMatrixMarket(matrix, path);
}

}  // namespace Problems
}  // namespace Trident
