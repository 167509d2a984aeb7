// SPDX-License-Identifier: BSD-3-Clause
// C = A·A by hypre: hypre_ParMatmul, timed as `peers` times Trident's driver.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <_hypre_parcsr_mv.h>

#include <limits>
#include <stdexcept>

#include "Peers_Rows.hpp"

namespace {

/// hypre keeps what went wrong until somebody asks.
void check(const char* what) {
  if (HYPRE_GetError()) throw std::runtime_error(std::string(what) + " failed in hypre");
}

struct Matrix {
  HYPRE_IJMatrix ij = nullptr;
  hypre_ParCSRMatrix* parcsr = nullptr;
  explicit Matrix(const Peers::Rows& rows) {
    if (rows.matrixSize > std::numeric_limits<HYPRE_BigInt>::max())
      throw std::runtime_error("this hypre has no numbers for so many rows");
    const auto first = static_cast<HYPRE_BigInt>(rows.first);
    const auto last = static_cast<HYPRE_BigInt>(rows.first + rows.size - 1);
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    std::vector<HYPRE_Int> sizes(static_cast<std::size_t>(rows.size));
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = rows.offsets[i + 1] - rows.offsets[i];
    HYPRE_IJMatrixSetRowSizes(ij, sizes.data());
    HYPRE_IJMatrixInitialize(ij);
    const std::vector<HYPRE_BigInt> columns(rows.columns.begin(), rows.columns.end());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) continue;  // hypre takes no null pointer, which a rank without entries has
      const HYPRE_BigInt row = first + static_cast<HYPRE_BigInt>(i);
      HYPRE_IJMatrixSetValues(ij, 1, &sizes[i], &row, columns.data() + rows.offsets[i],
                              rows.values.data() + rows.offsets[i]);
    }
    HYPRE_IJMatrixAssemble(ij);
    void* object = nullptr;
    HYPRE_IJMatrixGetObject(ij, &object);
    parcsr = static_cast<hypre_ParCSRMatrix*>(object);
    check("making A");
  }
  ~Matrix() { HYPRE_IJMatrixDestroy(ij); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
};

void addEntries(hypre_CSRMatrix* part, HYPRE_BigInt firstRow, HYPRE_BigInt firstColumn,
                const HYPRE_BigInt* columns, Peers::Checksum& sums) {
  const HYPRE_Int *offsets = hypre_CSRMatrixI(part), *local = hypre_CSRMatrixJ(part);
  const HYPRE_Complex* values = hypre_CSRMatrixData(part);
  for (HYPRE_Int i = 0; i < hypre_CSRMatrixNumRows(part); ++i)
    for (HYPRE_Int e = offsets[i]; e < offsets[i + 1]; ++e)
      sums.add(firstRow + i, columns ? columns[local[e]] : firstColumn + local[e], values[e]);
}

Peers::Result measure(const Peers::CommandLine& line, const Peers::Rows& rows) {
  HYPRE_Init();
  Peers::Result result;
  {
    const Matrix A(rows);
    hypre_ParCSRMatrix* C = nullptr;
    const auto drop = [&] {
      if (C) hypre_ParCSRMatrixDestroy(C);
      C = nullptr;
    };
    const auto multiply = [&] {
      C = hypre_ParMatmul(A.parcsr, A.parcsr);
      if (!C) throw std::runtime_error("hypre_ParMatmul gave no matrix");
      check("hypre_ParMatmul");
    };
    Peers::timeEach(line.warmup, drop, multiply);
    result.seconds = Peers::timeEach(line.repeat, drop, multiply);
    addEntries(hypre_ParCSRMatrixDiag(C), hypre_ParCSRMatrixFirstRowIndex(C),
               hypre_ParCSRMatrixFirstColDiag(C), nullptr, result.checksum);
    addEntries(hypre_ParCSRMatrixOffd(C), hypre_ParCSRMatrixFirstRowIndex(C), 0,
               hypre_ParCSRMatrixColMapOffd(C), result.checksum);
    drop();
  }
  HYPRE_Finalize();
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::main(argc, argv, "hypre", measure); }
