// SPDX-License-Identifier: BSD-3-Clause
// Squares a tridiagonal matrix; the product must have five diagonals. The version must be the one
// that CMake found.

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Trident_Multiply.hpp>
#include <Trident_Version.hpp>
#include <iostream>
#include <string>
#include <vector>

using Matrix = Tpetra::CrsMatrix<>;
using Map = Tpetra::Map<>;
using GO = Map::global_ordinal_type;

static Teuchos::RCP<Matrix> tridiagonal(const Teuchos::RCP<const Map>& map) {
  const auto matrix = Teuchos::rcp(new Matrix(map, 3));
  const GO n = static_cast<GO>(map->getGlobalNumElements());
  for (GO row = map->getMinGlobalIndex(); row <= map->getMaxGlobalIndex(); ++row) {
    std::vector<GO> columns;
    for (GO column = row - 1; column <= row + 1; ++column) {
      if (column >= 0 && column < n) columns.push_back(column);
    }
    const std::vector<Matrix::scalar_type> ones(columns.size(), 1.0);
    matrix->insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns),
                               Teuchos::ArrayView<const Matrix::scalar_type>(ones));
  }
  matrix->fillComplete();
  return matrix;
}

int main(int argc, char* argv[]) {
  Tpetra::ScopeGuard scope(&argc, &argv);
  const auto comm = Tpetra::getDefaultComm();
  const Tpetra::global_size_t n = 100;
  const auto map = Teuchos::rcp(new Map(n, 0, comm));

  const auto A = tridiagonal(map);
  Matrix C(map, 0);
  Trident::Multiply(*A, *A, C);

  // Five diagonals of lengths n, 2 (n-1) and 2 (n-2).
  const size_t expected = 5 * n - 6;
  const size_t entries = C.getGlobalNumEntries();
  if (comm->getRank() == 0) {
    std::cout << "C has " << entries << " entries, expected " << expected << std::endl;
  }
  const bool oneVersion =
      Trident::version() == FOUND_VERSION && std::string(FOUND_VERSION) == TRIDENT_VERSION_STRING;
  if (!oneVersion)
    std::cout << Trident::version() << " was found as " << FOUND_VERSION << std::endl;
  return entries == expected && oneVersion ? 0 : 1;
}
