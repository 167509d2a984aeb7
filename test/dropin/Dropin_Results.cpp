// SPDX-License-Identifier: BSD-3-Clause
// A program that knows Tpetra alone, and prints what its products are: results that stay open and
// go on being filled, and products of matrices that store zeros. With libtrident_dropin.so before
// Tpetra it prints the same.
#include <Teuchos_CommHelpers.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <vector>

namespace {

using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;
using Matrix = Tpetra::CrsMatrix<double>;
using MapPtr = Teuchos::RCP<const Map>;

const GO size = 12;

std::vector<GO> rowsOf(const Map& map) {
  std::vector<GO> rows;
  for (GO row = 0; row < size; ++row)
    if (map.isNodeGlobalElement(row)) rows.push_back(row);
  return rows;
}

void insert(Matrix& M, GO row, GO column, double value) {
  M.insertGlobalValues(row, 1, &value, &column);
}

/// Prints the number of entries, and a sum that tells their places and values. All values are whole
/// numbers, infinities or NaNs.
void print(const char* what, const Matrix& C) {
  double here[2] = {0, 0}, all[2] = {0, 0};
  const auto local = C.getLocalMatrixHost();
  for (int r = 0; r < local.numRows(); ++r)
    for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e) {
      const GO row = C.getRowMap()->getGlobalElement(r),
               column = C.getColMap()->getGlobalElement(local.graph.entries(e));
      const double is = local.values(e), value = std::isnan(is)   ? 777
                                                 : std::isinf(is) ? std::copysign(555, is)
                                                                  : is;
      here[0] += 1;
      here[1] += (100 + value) * static_cast<double>(1 + row * row + 1000 * column);
    }
  Teuchos::reduceAll(*C.getComm(), Teuchos::REDUCE_SUM, 2, here, all);
  if (C.getComm()->getRank() == 0) std::printf("%s: %g entries, %.17g\n", what, all[0], all[1]);
}

/// Makes A and the next column.
Matrix ring(const MapPtr& map) {
  Matrix A(map, 2);
  for (const GO row : rowsOf(*map)) {
    insert(A, row, row, 1);
    insert(A, row, (row + 1) % size, 2);
  }
  A.fillComplete();
  return A;
}

void leftOpen(const MapPtr& map, const char* what, const std::function<void(Matrix& C)>& goOn) {
  const Matrix A = ring(map);
  Matrix C(map, 10);
  Tpetra::MatrixMatrix::Multiply(A, false, A, false, C, false);
  if (map->getComm()->getRank() == 0)
    std::printf("open: locally indexed %d, globally indexed %d, active %d\n", C.isLocallyIndexed(),
                C.isGloballyIndexed(), C.isFillActive());
  goOn(C);
  C.fillComplete(map, map);
  print(what, C);
}

/// Forms a Jacobi product. A has no diagonal in odd rows, and stores a zero there in every third; B
/// stores zeros.
void jacobi(const MapPtr& map) {
  Matrix A(map, 3), B(map, 3);
  for (const GO row : rowsOf(*map)) {
    insert(A, row, (row + 2) % size, 1);
    if (row % 2 == 0) insert(A, row, row, 4);
    if (row % 2 == 1 && row % 3 == 0) insert(A, row, row, 0);
    insert(B, row, row, 3);
    insert(B, row, (row + 5) % size, 0);
  }
  A.fillComplete();
  B.fillComplete();
  Tpetra::Vector<double> D(map);
  D.putScalar(1);
  Matrix C(map, 0);
  Tpetra::MatrixMatrix::Jacobi(2.0, D, A, B, C);
  print("jacobi", C);
}

/// Forms Jacobi twice into one C. A needs remote rows of B, but C has no remote columns: B's first
/// row on each rank is empty. The second time B stores zeros, and A has no diagonal.
void jacobiAgain(const MapPtr& map) {
  const std::vector<GO> rows = rowsOf(*map);
  Matrix A(map, 1), B(map, 1), C(map, 0);
  for (const GO row : rows) {
    insert(A, row, (row + 1) % size, 1);
    if (row != rows.front()) insert(B, row, row, 3);
  }
  A.fillComplete();
  B.fillComplete();
  Tpetra::Vector<double> D(map);
  D.putScalar(1);
  Tpetra::MatrixMatrix::Jacobi(2.0, D, A, B, C);
  B.resumeFill();
  const GO last = rows.back();
  const double zero = 0;
  B.replaceGlobalValues(last, 1, &zero, &last);
  B.fillComplete();
  C.resumeFill();
  Tpetra::MatrixMatrix::Jacobi(2.0, D, A, B, C);
  print("jacobi again", C);
}

/// Makes a matrix of nodes of some unknowns, each of which meets the nodes beside it up to the
/// fourth. It stores zeros of both signs, also all those of a row that meet a node.
/// @param seed other zeros and values
/// @param odd true if some values are infinities and NaNs
/// @param zero in the place of zeros
Matrix nodes(const MapPtr& map, GO unknowns, unsigned seed, bool odd, double zero = 0) {
  const GO rows = static_cast<GO>(map->getGlobalNumElements());
  Matrix A(map, static_cast<std::size_t>(9 * unknowns));
  for (GO row = 0; row < rows; ++row) {
    if (!map->isNodeGlobalElement(row)) continue;
    const GO node = row / unknowns;
    for (GO column = std::max<GO>(0, node - 4) * unknowns;
         column < std::min(rows, (node + 5) * unknowns); ++column) {
      const auto drawn = [&](GO first, GO second) {
        return static_cast<unsigned>(first * 7919 + second * 104729 + seed * 31) % 1009;
      };
      const unsigned draw = drawn(row, column / unknowns) < 60 ? 0 : drawn(row, column);
      const double value = draw < 30 ? zero : draw < 50 ? -zero : draw % 7 + 1.;
      const double limit = std::numeric_limits<double>::infinity();
      insert(A, row, column, !odd || draw < 1003 ? value : draw % 2 ? limit : std::nan(""));
    }
  }
  A.fillComplete();
  return A;
}

/// Forms products of matrices that store zeros, again, and then with zeros at other places.
void zeros(const MapPtr& map) {
  Tpetra::Vector<double> inverse(map);
  inverse.putScalar(1);
  for (const GO unknowns : {1, 3, 4, 8})
    for (const unsigned seed : {1u, 1u, 4u}) {
      const auto drawn = [&](unsigned which, bool odd) {
        return nodes(map, unknowns, seed + which, odd);
      };
      const Matrix A = drawn(0, false), B = drawn(1, false), R = drawn(2, false),
                   oddA = drawn(0, true), oddB = drawn(1, true),
                   whole = nodes(map, unknowns, seed, false, 8);
      for (const bool transposeA : {false, true})
        for (const bool transposeB : {false, true}) {
          Matrix C(map, 0);
          Tpetra::MatrixMatrix::Multiply(oddA, transposeA, oddB, transposeB, C);
          print("nodes", C);
        }
      Matrix C(map, 0), D(map, 0);
      if (map->getComm()->getSize() ==
          1) {  // on more, Tpetra's own ends in a segmentation fault (13.2)
        Tpetra::TripleMatrixMultiply::MultiplyRAP(R, false, A, false, B, false, C);
        print("three of nodes", C);
      }
      Tpetra::MatrixMatrix::Jacobi(2.0, inverse, A, whole, D);
      print("jacobi of nodes", D);
    }
}

void all(const MapPtr& map) {
  const auto rows = rowsOf(*map);
  const auto atOffset = [&](GO offset) {
    return [&, offset](Matrix& C) {
      for (const GO row : rows) insert(C, row, (row + offset) % size, 5);
    };
  };
  leftOpen(map, "as it is", [](Matrix&) {});
  leftOpen(map, "a column that is there", atOffset(0));
  leftOpen(map, "another column", atOffset(3));
  leftOpen(map, "a far column", atOffset(size / 2));
  leftOpen(map, "values", [&](Matrix& C) {
    const double five = 5;
    for (const GO row : rows) C.sumIntoGlobalValues(row, 1, &five, &row);
  });
  leftOpen(map, "scaled", [](Matrix& C) { C.scale(2); });
  leftOpen(map, "a sum",
           [&](Matrix& C) { Tpetra::MatrixMatrix::Add(ring(map), false, 5.0, C, 1.0); });
  jacobi(map);
  jacobiAgain(map);
  zeros(Teuchos::rcp(new Map(90, 0, map->getComm())));
}

}  // namespace

int main(int argc, char** argv) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  try {
    const auto comm = Tpetra::getDefaultComm();
    all(Teuchos::rcp(new Map(size, 0, comm)));
  } catch (const std::exception& error) {
    std::printf("throws %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return 0;
}
