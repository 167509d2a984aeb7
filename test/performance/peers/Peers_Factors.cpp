// SPDX-License-Identifier: BSD-3-Clause
#include "Peers_Factors.hpp"

#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "TridentProblems_Rows.hpp"

namespace Peers {
namespace {

using namespace Trident::Problems;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using vector_type = Tpetra::Vector<scalar_type>;
using Row = std::vector<std::pair<long long, double>>;

/// Returns a row's columns, ascending, and their values.
Row sortedRow(const RowReader& read, std::size_t i) {
  Row row;
  for (std::size_t e = read.begin(i); e < read.end(i); ++e)
    row.emplace_back(read.column(e), read.value(e));
  std::sort(row.begin(), row.end());
  return row;
}

/// Returns the Map that has `count` numbers in the place of each, on the same ranks.
Teuchos::RCP<const map_type> repeated(const map_type& map, int count) {
  return Teuchos::rcp(new map_type(map.getGlobalNumElements() * count,
                                   numLocalElements(map) * static_cast<std::size_t>(count), 0,
                                   map.getComm()));
}

/// Returns the matrix with a dense block of height x width in the place of each entry of `nodes`:
/// value(row, column, the entry's). Collective.
template <class Value>
MatrixPtr inBlocks(const matrix_type& nodes, int height, int width, Value value) {
  const RowReader read(nodes);
  LocalRows rows;
  for (std::size_t i = 0; i < read.numRows(); ++i) {
    const Row row = sortedRow(read, i);
    for (long long r = read.rowGid(i) * height, end = r + height; r < end; ++r) {
      for (const auto& entry : row)
        for (long long c = entry.first * width, last = c + width; c < last; ++c)
          rows.append(static_cast<global_ordinal_type>(c), value(r, c, entry.second));
      rows.endRow();
    }
  }
  const auto rowMap = repeated(*nodes.getRowMap(), height);
  const bool square = height == width && nodes.getRowMap()->isSameAs(*nodes.getDomainMap());
  return matrixFromRows(std::move(rows), rowMap,
                        square ? rowMap : repeated(*nodes.getDomainMap(), width));
}

vector_type inverseDiagonal(const matrix_type& A, const std::string& name) {
  vector_type diagonal(A.getRowMap()), inverse(A.getRowMap());
  A.getLocalDiagCopy(diagonal);
  bool hasZero = false;
  for (const scalar_type value : diagonal.getData()) hasZero = hasZero || value == 0;
  throwEverywhere(Comm(*A.getComm()), hasZero,
                  name + ": a zero on its diagonal, so there is no smoothed prolongator");
  inverse.reciprocal(diagonal);
  return inverse;
}

/// Returns (I - 2/3 D⁻¹ A) P0. By Tpetra, so that Trident has no part in what all multiply.
MatrixPtr smoothed(const matrix_type& A, const matrix_type& P0, const std::string& name) {
  const MatrixPtr P = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  Tpetra::MatrixMatrix::Jacobi(2.0 / 3, inverseDiagonal(A, name), A, P0, *P);
  return P;
}

Factors elastic(const CommandLine& line, const matrix_type& nodes) {
  const MatrixPtr A = inBlocks(nodes, 3, 3, [](long long r, long long c, double value) {
    return r % 3 == c % 3 ? value : value / 4;
  });
  if (!line.galerkin) return {A, {}};
  const MatrixPtr P0 =
      inBlocks(*restriction(nodes, 1), 3, 6, [](long long r, long long c, double value) {
        HashStream random(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
        return value * (0.5 + random.unit());
      });
  return {A, smoothed(*A, *P0, line.A)};
}

}  // namespace

Factors readFactors(const CommandLine& line) {
  const std::string prefix = "elastic:";
  const bool isElastic = line.A.compare(0, prefix.size(), prefix) == 0;
  const std::string nodes = isElastic ? "brick3d:" + line.A.substr(prefix.size()) : line.A;
  const MatrixPtr A = readMatrix(nodes, Tpetra::getDefaultComm()).matrix;
  if (A->getRangeMap()->getGlobalNumElements() != A->getDomainMap()->getGlobalNumElements())
    throw std::runtime_error(line.A + ": not square, so there is no such product");
  if (isElastic) return elastic(line, *A);
  if (!line.galerkin) return {A, {}};
  return {A, smoothed(*A, *restriction(*A, 1), line.A)};
}

Rows rowsOf(const matrix_type& matrix, const std::string& name) {
  const RowReader read(matrix);
  const Comm ranks(*matrix.getComm());
  Rows rows;
  rows.matrixSize = static_cast<long long>(matrix.getRangeMap()->getGlobalNumElements());
  rows.size = static_cast<long long>(read.numRows());
  rows.first = ranks.sumBefore(rows.size);
  rows.matrixColumns = static_cast<long long>(matrix.getDomainMap()->getGlobalNumElements());
  rows.columnSize = static_cast<long long>(numLocalElements(*matrix.getDomainMap()));
  rows.firstColumn = ranks.sumBefore(rows.columnSize);
  const bool tooMany = read.numEntries() > std::numeric_limits<int>::max();
  throwEverywhere(ranks, tooMany, name + ": more than 2^31 entries on a rank");
  rows.offsets = {0};
  for (std::size_t i = 0; i < read.numRows(); ++i) {
    for (const auto& entry : sortedRow(read, i)) {
      rows.columns.push_back(entry.first);
      rows.values.push_back(entry.second);
    }
    rows.offsets.push_back(static_cast<int>(rows.columns.size()));
  }
  return rows;
}

}  // namespace Peers
