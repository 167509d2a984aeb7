// SPDX-License-Identifier: BSD-3-Clause
// C = A·A by PETSc's MatMatMult, or P'·A·P by its MatPtAP, which its multigrid (GAMG) takes: with
// MAT_INITIAL_MATRIX and, for --reuse, MAT_REUSE_MATRIX, timed as `measure peers` times Trident's
// driver. On GPUs matrices are of the type aijcusparse.
#include <petscmat.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "Peers_Device.hpp"
#include "Peers_Rows.hpp"

namespace {

std::string said;  // by PETSc, when the first thing went wrong

/// Handles PETSc's errors, to have their text in one line.
PetscErrorCode note(MPI_Comm, int, const char*, const char*, PetscErrorCode code,
                    PetscErrorType type, const char* message, void*) {
  if (type == PETSC_ERROR_INITIAL && message) said = message;
  return code;
}

void check(PetscErrorCode code, const char* what) {
  if (code) throw std::runtime_error(std::string(what) + " failed in PETSc: " + said);
}

Mat matrixOf(const Peers::Rows& rows) {
  if (std::max(rows.matrixSize, rows.matrixColumns) > std::numeric_limits<PetscInt>::max())
    throw std::runtime_error("this PETSc has no numbers for so many rows or columns");
  const auto size = static_cast<PetscInt>(rows.size);
  const auto columnSize = static_cast<PetscInt>(rows.columnSize);
  const auto matrixSize = static_cast<PetscInt>(rows.matrixSize);
  const auto matrixColumns = static_cast<PetscInt>(rows.matrixColumns);
  const std::vector<PetscInt> offsets(rows.offsets.begin(), rows.offsets.end());
  const std::vector<PetscInt> columns(rows.columns.begin(), rows.columns.end());
  Mat A;
  check(MatCreate(PETSC_COMM_WORLD, &A), "MatCreate");
  check(MatSetSizes(A, size, columnSize, matrixSize, matrixColumns), "MatSetSizes");
  check(MatSetType(A, Peers::onDevice() ? MATAIJCUSPARSE : MATAIJ), "MatSetType");
  // One of the two does something: by the ranks.
  check(MatSeqAIJSetPreallocationCSR(A, offsets.data(), columns.data(), rows.values.data()),
        "MatSeqAIJSetPreallocationCSR");
  check(MatMPIAIJSetPreallocationCSR(A, offsets.data(), columns.data(), rows.values.data()),
        "MatMPIAIJSetPreallocationCSR");
  return A;
}

Peers::Checksum checksum(Mat C) {
  Peers::Checksum sums;
  PetscInt first, last;
  check(MatGetOwnershipRange(C, &first, &last), "MatGetOwnershipRange");
  for (PetscInt row = first; row < last; ++row) {
    PetscInt count;
    const PetscInt* columns;
    const PetscScalar* values;
    check(MatGetRow(C, row, &count, &columns, &values), "MatGetRow");
    for (PetscInt e = 0; e < count; ++e) sums.add(row, columns[e], values[e]);
    check(MatRestoreRow(C, row, &count, &columns, &values), "MatRestoreRow");
  }
  return sums;
}

/// Initializes PETSc. Unless told so, a PETSc for GPUs ends if it finds no MPI that takes their
/// memory.
void initialize(bool deviceMpi) {
  if (Peers::onDevice())
    check(PetscOptionsSetValue(nullptr, "-use_gpu_aware_mpi", deviceMpi ? "1" : "0"),
          "PetscOptionsSetValue");
  check(PetscInitializeNoArguments(), "PetscInitialize");
  check(PetscPushErrorHandler(note, nullptr), "PetscPushErrorHandler");
}

/// Forms C or, by MAT_REUSE_MATRIX, its values. P is null where A·A is asked for.
void multiply(Mat A, Mat P, MatReuse how, Mat* C) {
  if (P)
    check(MatPtAP(A, P, how, PETSC_DEFAULT, C), "MatPtAP");
  else
    check(MatMatMult(A, A, how, PETSC_DEFAULT, C), "MatMatMult");
}

Peers::Result measure(const Peers::CommandLine& line, const Peers::Problem& problem) {
  Peers::requireWay(line, {});
  initialize(line.deviceMpi);
  Mat A = matrixOf(problem.A), P = nullptr, C = nullptr;
  if (line.galerkin) P = matrixOf(problem.P);
  Peers::Steps steps;
  steps.drop = [&] { check(MatDestroy(&C), "MatDestroy"); };
  steps.first = [&] { multiply(A, P, MAT_INITIAL_MATRIX, &C); };
  steps.again = [&] { multiply(A, P, MAT_REUSE_MATRIX, &C); };
  steps.scale = [&](double ofA, double ofP) {
    check(MatScale(A, ofA), "MatScale");
    if (P) check(MatScale(P, ofP), "MatScale");
  };
  Peers::Result result = Peers::timeProducts(line, steps);
  result.checksum = checksum(C);
  for (Mat* matrix : {&C, &P, &A}) check(MatDestroy(matrix), "MatDestroy");
  check(PetscFinalize(), "PetscFinalize");
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::main(argc, argv, "petsc", measure); }
