// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Mask.hpp"

#include <string>

#include "TridentDriver_Progress.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "Trident_Grid.hpp"

namespace Trident {
namespace Driver {
namespace {

using MapPtr = Teuchos::RCP<const map_type>;

std::string maskOf(const CommandLine& line) {
  return line.mask.empty() ? line.maskOutside : line.mask;
}
bool isPartOfA(const std::string& mask) { return mask == "A" || mask == "I" || mask == "A+I"; }

MapPtr rowsOf(const matrix_type& A, bool transposed) {
  return transposed ? A.getDomainMap() : A.getRowMap();
}
MapPtr columnsOf(const matrix_type& A, bool transposed) {
  return transposed ? A.getRowMap() : A.getDomainMap();
}

std::string sizeText(const map_type& rows, const map_type& columns) {
  return std::to_string(rows.getGlobalNumElements()) + " x " +
         std::to_string(columns.getGlobalNumElements());
}

/// Throws an error if a mask has another size than the product. Alike on all ranks.
void requireSize(const std::string& name, const map_type& rows, const map_type& columns,
                 const map_type& rowsOfC, const map_type& columnsOfC) {
  const std::string size = sizeText(rows, columns), wanted = sizeText(rowsOfC, columnsOfC);
  if (size != wanted)
    throw MatrixError("the mask " + name + " is " + size + ", and the product " + wanted +
                      "; choose a mask of the product's size");
}

}  // namespace

void requireMask(const CommandLine& line, const Comm& comm) {
  const std::string mask = maskOf(line);
  if (mask.empty() || isPartOfA(mask)) return;
  requireInputs(line.A, mask, comm);
  if (line.B != "A" && line.B != "restriction") requireInputs(line.B, mask, comm);
}

void takeAsOnes(matrix_type& A) {
  const MapPtr domain = A.getDomainMap(), range = A.getRangeMap();
  A.resumeFill();
  A.setAllToScalar(1);
  A.fillComplete(domain, range);
}

void addMask(const CommandLine& line, Problem& problem) {
  const std::string mask = maskOf(line);
  const MapPtr rows = rowsOf(*problem.A, line.transposeA);
  const MapPtr columns = columnsOf(*problem.B, line.transposeB);
  if (mask != "I" && isPartOfA(mask))
    requireSize(mask, *problem.A->getRowMap(), *problem.A->getDomainMap(), *rows, *columns);
  if (mask == "I" || mask == "A+I") requireSize(mask, *rows, *rows, *rows, *columns);
  problem.description += line.mask.empty() ? "\noutside of the mask " : "\nwithin the mask ";
  if (isPartOfA(mask)) {
    problem.description += mask;
    return;
  }
  Progress::say("read " + mask);
  const ReadResult read = readMatrix(mask, problem.A->getComm());
  requireSize(mask, *read.matrix->getRowMap(), *read.matrix->getDomainMap(), *rows, *columns);
  problem.mask = read.matrix;
  problem.description += read.report.description;
  problem.warnings += warningLine(read.report);
}

Report multiplyMasked(const CommandLine& line, const Problem& problem,
                      const Teuchos::RCP<Teuchos::ParameterList>& parameters, matrix_type& C) {
  const MapPtr rows = rowsOf(*problem.A, line.transposeA);
  const MapPtr columns = columnsOf(*problem.B, line.transposeB);
  const Grid<> grid(problem.A->getComm(), {rows, columnsOf(*problem.A, line.transposeA), columns},
                    parameters);
  const auto A = grid.fromTpetra(*problem.A);
  const auto B = problem.B == problem.A ? A : grid.fromTpetra(*problem.B);
  const std::string name = maskOf(line);
  Grid<>::Matrix mask = A;
  if (problem.mask.is_null() && name != "A") {
    Grid<>::vector_type ones(rows);
    ones.putScalar(1);
    mask = grid.fromDiagonal(ones);
    if (name == "A+I") mask = grid.add(A, mask);
  } else if (!problem.mask.is_null()) {
    mask = grid.fromTpetra(*problem.mask, columns, rows);
  }
  const auto left = line.transposeA ? grid.transpose(A) : A;
  const auto right = line.transposeB ? grid.transpose(B) : B;
  const auto product = line.mask.empty() ? grid.multiplyOutside(left, right, mask)
                                         : grid.multiplyWithin(left, right, mask);
  grid.toTpetra(product, C);
  return product.report();
}

}  // namespace Driver
}  // namespace Trident
