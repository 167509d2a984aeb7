// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Problem.hpp"

#include <algorithm>
#include <limits>

#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Permute.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "TridentProblems_Rows.hpp"

namespace Trident {
namespace Predict {

using namespace Problems;

namespace {

/// Numbers of a uniform contiguous Map.
Numbering uniform(Position size, int ranks) {
  const UniformPartition partition(size, ranks);
  Numbering numbering;
  for (int p = 0; p <= ranks; ++p) numbering.rankBegin.push_back(partition.begin(p));
  numbering.consecutive = true;
  return numbering;
}

/// Returns the vertices of the set that restriction() aggregates around.
std::vector<Position> rootsOf(const matrix_type& A, int seed) {
  const Comm comm(*A.getComm());
  const std::vector<char> isRoot = mis2(Graph(A, comm), seed, comm);
  std::vector<Position> roots;
  for (std::size_t v = 0; v < isRoot.size(); ++v)
    if (isRoot[v] != 0) roots.push_back(static_cast<Position>(v));
  return roots;
}

}  // namespace

Pattern patternOf(const matrix_type& matrix) {
  const RowReader rows(matrix);
  Pattern pattern;
  pattern.columns = static_cast<Position>(matrix.getDomainMap()->getGlobalNumElements());
  if (pattern.columns > std::numeric_limits<int>::max())
    throw MatrixError("a matrix has 2^31 columns or more, which a prediction does not hold");
  pattern.begin.reserve(rows.numRows() + 1);
  pattern.column.reserve(rows.numEntries());
  for (std::size_t row = 0; row < rows.numRows(); ++row) {
    for (std::size_t e = rows.begin(row); e < rows.end(row); ++e)
      pattern.column.push_back(static_cast<int>(rows.column(e)));
    std::sort(pattern.column.begin() + pattern.begin.back(), pattern.column.end());
    pattern.begin.push_back(static_cast<long long>(pattern.column.size()));
  }
  return pattern;
}

Numbering Problem::rowsOf(int ranks) const { return uniform(A->rows(), ranks); }
Numbering Problem::innerOf(int ranks) const { return uniform(B->rows(), ranks); }

Numbering Problem::columnsOf(int ranks) const {
  Numbering numbering = uniform(B->columns, ranks);
  if (roots.empty()) return numbering;
  const Numbering rows = rowsOf(ranks);
  for (int p = 0; p <= ranks; ++p)
    numbering.rankBegin[p] =
        std::lower_bound(roots.begin(), roots.end(), rows.rankBegin[p]) - roots.begin();
  return numbering;
}

Problem readProblem(const std::string& specA, const std::string& specB, bool permute, int seed,
                    const Teuchos::RCP<const comm_type>& comm) {
  const auto structure = [&](const matrix_type& matrix) {
    return std::make_shared<const Pattern>(patternOf(permute ? *permuted(matrix, seed) : matrix));
  };
  Problem problem;
  requireInputs(specA, specB, Comm(*comm));
  const ReadResult a = readMatrix(specA, comm);
  problem.A = structure(*a.matrix);
  problem.description = "A: " + a.report.description;
  problem.warnings = warningLine(a.report);
  if (specB == "A") {
    problem.B = problem.A;
  } else if (specB == "restriction") {
    problem.B = structure(*restriction(*a.matrix, seed));
    problem.roots = rootsOf(*a.matrix, seed);
    problem.description += "\nB: piecewise-constant restriction to " +
                           std::to_string(problem.B->columns) + " aggregates";
  } else {
    const ReadResult b = readMatrix(specB, comm);
    problem.B = structure(*b.matrix);
    problem.description += "\nB: " + b.report.description;
    problem.warnings += warningLine(b.report);
  }
  if (permute)
    problem.description += "\nrows and columns are permuted, by seed " + std::to_string(seed);
  if (problem.A->columns != problem.B->rows())
    throw MatrixError("A has " + std::to_string(problem.A->columns) + " columns and B " +
                      std::to_string(problem.B->rows()) + " rows; they must be equally many");
  return problem;
}

}  // namespace Predict
}  // namespace Trident
