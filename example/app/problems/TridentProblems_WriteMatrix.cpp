// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteMatrix.hpp"

#include "TridentProblems_CompressedRows.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_WriteMatrixMarket.hpp"

namespace Trident {
namespace Problems {

void requireFormat(const std::string& path) {
  for (const char* ending : {".bin", ".bin.gz", ".csr.gz", ".bz2", ".xz", ".zst", ".zip"})
    if (endsIn(path, ending))
      throw MatrixError(path + " cannot be written: " + ending +
                        " files are not written; name it .csr (by rows), .mtx or .mtx.gz");
}

void writeMatrix(const matrix_type& matrix, const std::string& path) {
  requireFormat(path);
  if (endsIn(path, ".csr"))
    writeCompressedRows(matrix, path);
  else
    writeMatrixMarket(matrix, path);
}

}  // namespace Problems
}  // namespace Trident
