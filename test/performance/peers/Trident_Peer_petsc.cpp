// SPDX-License-Identifier: BSD-3-Clause
// C = A·A by PETSc: MatMatMult, with MAT_INITIAL_MATRIX and, for --reuse, MAT_REUSE_MATRIX, timed
// as `peers` times Trident's driver.
#include <petscmat.h>

#include <limits>
#include <stdexcept>

#include "Peers_Rows.hpp"

namespace {

void check(PetscErrorCode code, const char* what) {
  if (code) throw std::runtime_error(std::string(what) + " failed in PETSc");
}

Mat matrixOf(const Peers::Rows& rows) {
  if (rows.matrixSize > std::numeric_limits<PetscInt>::max())
    throw std::runtime_error("this PETSc has no numbers for so many rows");
  const auto size = static_cast<PetscInt>(rows.size);
  const auto matrixSize = static_cast<PetscInt>(rows.matrixSize);
  const std::vector<PetscInt> offsets(rows.offsets.begin(), rows.offsets.end());
  const std::vector<PetscInt> columns(rows.columns.begin(), rows.columns.end());
  Mat A;
  check(MatCreate(PETSC_COMM_WORLD, &A), "MatCreate");
  check(MatSetSizes(A, size, size, matrixSize, matrixSize), "MatSetSizes");
  check(MatSetType(A, MATAIJ), "MatSetType");  // one of the two does something: by the ranks
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

Peers::Result measure(const Peers::CommandLine& line, const Peers::Rows& rows) {
  check(PetscInitializeNoArguments(), "PetscInitialize");
  Peers::Result result;
  Mat A = matrixOf(rows), C = nullptr;
  const auto drop = [&] { check(MatDestroy(&C), "MatDestroy"); };
  const auto multiply = [&] {
    check(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C), "MatMatMult");
  };
  const auto again = [&] {
    check(MatMatMult(A, A, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C), "MatMatMult");
  };
  Peers::timeEach(line.warmup, drop, multiply);
  result.seconds = Peers::timeEach(line.repeat, drop, multiply);
  result.reuseSeconds = Peers::timeEach(
      line.reuse, [] {}, again);
  result.checksum = checksum(C);
  drop();
  check(MatDestroy(&A), "MatDestroy");
  check(PetscFinalize(), "PetscFinalize");
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::main(argc, argv, "petsc", measure); }
