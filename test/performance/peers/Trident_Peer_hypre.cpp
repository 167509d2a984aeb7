// SPDX-License-Identifier: BSD-3-Clause
// C = A·A by hypre, or P'·A·P in the ways of BoomerAMG's setup, timed as `measure peers`
// times Trident's driver. Those are (hypre_BoomerAMGSetup() in par_amg_setup.c of hypre 2.26):
//
//   setup      hypre_BoomerAMGBuildCoarseOperatorKT, which it takes on hosts unless told otherwise
//   two-calls  A·P, then P'·(A·P): after HYPRE_BoomerAMGSetRAP2
//   modular    hypre_ParCSRMatrixRAPKT: after HYPRE_BoomerAMGSetModuleRAP2, and on devices
//
// None of them keeps anything for a next product with the same structure. On GPUs there is no first
// way, and each may be called NAME-own, A·A's "own": by hypre's own local product. Without it
// cuSPARSE forms that, which is hypre's choice.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <_hypre_parcsr_ls.h>
#include <_hypre_parcsr_mv.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "Peers_Device.hpp"
#include "Peers_Rows.hpp"

// Functions of later versions than hypre 2.26; null with that one, which computes on hosts.
extern "C" {
__attribute__((weak)) HYPRE_Int HYPRE_DeviceInitialize();
__attribute__((weak)) HYPRE_Int HYPRE_SetGpuAwareMPI(HYPRE_Int);
}

namespace {

/// Throws if something went wrong, which hypre keeps until somebody asks.
void check(const char* what) {
  if (HYPRE_GetError()) throw std::runtime_error(std::string(what) + " failed in hypre");
}

struct Matrix {
  HYPRE_IJMatrix ij = nullptr;
  hypre_ParCSRMatrix* parcsr = nullptr;
  explicit Matrix(const Peers::Rows& rows) {
    if (std::max(rows.matrixSize, rows.matrixColumns) > std::numeric_limits<HYPRE_BigInt>::max())
      throw std::runtime_error("this hypre has no numbers for so many rows or columns");
    const auto first = static_cast<HYPRE_BigInt>(rows.first);
    const auto last = static_cast<HYPRE_BigInt>(rows.first + rows.size - 1);
    const auto firstColumn = static_cast<HYPRE_BigInt>(rows.firstColumn);
    const auto lastColumn = static_cast<HYPRE_BigInt>(rows.firstColumn + rows.columnSize - 1);
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, firstColumn, lastColumn, &ij);
    HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
    std::vector<HYPRE_Int> sizes(static_cast<std::size_t>(rows.size));
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = rows.offsets[i + 1] - rows.offsets[i];
    HYPRE_IJMatrixSetRowSizes(ij, sizes.data());
    HYPRE_IJMatrixInitialize_v2(ij, HYPRE_MEMORY_HOST);
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
    // A setup has it by then, and not every way makes it where it is missing.
    if (!hypre_ParCSRMatrixCommPkg(parcsr)) hypre_MatvecCommPkgCreate(parcsr);
    if (Peers::onDevice()) hypre_ParCSRMatrixMigrate(parcsr, HYPRE_MEMORY_DEVICE);
    check("making a matrix");
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

/// Sums C up, which is on the host then.
Peers::Checksum checksum(hypre_ParCSRMatrix* C) {
  if (Peers::onDevice()) hypre_ParCSRMatrixMigrate(C, HYPRE_MEMORY_HOST);
  Peers::Checksum sums;
  addEntries(hypre_ParCSRMatrixDiag(C), hypre_ParCSRMatrixFirstRowIndex(C),
             hypre_ParCSRMatrixFirstColDiag(C), nullptr, sums);
  addEntries(hypre_ParCSRMatrixOffd(C), hypre_ParCSRMatrixFirstRowIndex(C), 0,
             hypre_ParCSRMatrixColMapOffd(C), sums);
  return sums;
}

using MatrixPtr = hypre_ParCSRMatrix*;

/// Forms P'·A·P by hypre_ParCSRMatrixRAPKT(), which may be told that C needs a diagonal from hypre
/// 3 on.
template <class... Flags>
MatrixPtr modular(MatrixPtr (*function)(MatrixPtr, MatrixPtr, MatrixPtr, HYPRE_Int, Flags...),
                  MatrixPtr A, MatrixPtr P) {
  return function(P, A, P, 0, Flags{1}...);
}

/// Multiplies by the functions that BoomerAMG calls if matrices are on hosts, and on GPUs.
hypre_ParCSRMatrix* multiply(hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* B) {
  return Peers::onDevice() ? hypre_ParCSRMatMat(A, B) : hypre_ParMatmul(A, B);
}
hypre_ParCSRMatrix* multiplyTransposed(hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* B) {
  return Peers::onDevice() ? hypre_ParCSRTMatMatKT(A, B, 0) : hypre_ParTMatmul(A, B);
}

/// Forms P'·A·P as the setup forms it, with C's pattern of communication if there are several
/// ranks.
hypre_ParCSRMatrix* galerkin(const std::string& way, hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* P) {
  hypre_ParCSRMatrix* C = nullptr;
  if (way == "two-calls") {
    hypre_ParCSRMatrix* const AP = multiply(A, P);
    C = multiplyTransposed(P, AP);
    hypre_ParCSRMatrixDestroy(AP);
  } else if (way == "modular") {
    C = modular(hypre_ParCSRMatrixRAPKT, A, P);
  } else {
    hypre_BoomerAMGBuildCoarseOperatorKT(P, A, P, 0, &C);
  }
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (C && ranks > 1 && !hypre_ParCSRMatrixCommPkg(C)) hypre_MatvecCommPkgCreate(C);
  return C;
}

/// Starts hypre, and returns the way without what asks for hypre's own local product. Throws where
/// there is no such way.
std::string initialize(const Peers::CommandLine& line) {
  using Ways = std::vector<std::string>;
  const bool onDevice = Peers::onDevice();
  Peers::requireWay(line, !line.galerkin ? (onDevice ? Ways{"own"} : Ways{})
                          : onDevice ? Ways{"two-calls", "two-calls-own", "modular", "modular-own"}
                                     : Ways{"setup", "two-calls", "modular"});
  HYPRE_Init();
  if (!onDevice) return line.way;
  if (HYPRE_DeviceInitialize) HYPRE_DeviceInitialize();  // sets limits that its kernels have
  HYPRE_SetMemoryLocation(HYPRE_MEMORY_DEVICE);
  HYPRE_SetExecutionPolicy(HYPRE_EXEC_DEVICE);
  const std::size_t own = line.way.rfind("own");
  HYPRE_SetSpGemmUseVendor(own == std::string::npos);
  if (HYPRE_SetGpuAwareMPI) HYPRE_SetGpuAwareMPI(line.deviceMpi);
  if (line.galerkin && line.way.empty()) return "modular";
  return own == std::string::npos || own == 0 ? line.way : line.way.substr(0, own - 1);
}

Peers::Result measure(const Peers::CommandLine& line, const Peers::Problem& problem) {
  const std::string way = initialize(line);
  Peers::Result result;
  {
    const Matrix A(problem.A);
    const auto P = line.galerkin ? std::make_unique<Matrix>(problem.P) : nullptr;
    hypre_ParCSRMatrix* C = nullptr;
    Peers::Steps steps;
    steps.drop = [&] {
      if (C) hypre_ParCSRMatrixDestroy(C);
      C = nullptr;
    };
    steps.first = [&] {
      C = P ? galerkin(way, A.parcsr, P->parcsr) : multiply(A.parcsr, A.parcsr);
      if (!C) throw std::runtime_error("hypre's product gave no matrix");
      check("the product");
    };
    result = Peers::timeProducts(line, steps);
    result.checksum = checksum(C);
    steps.drop();
  }
  HYPRE_Finalize();
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::main(argc, argv, "hypre", measure); }
