// SPDX-License-Identifier: BSD-3-Clause
// Two triangles with a weak connection between: two clusters.
#include <Tpetra_Core.hpp>
#include <Trident_MarkovCluster.hpp>
#include <iostream>

using Matrix = Tpetra::CrsMatrix<>;
using GO = Matrix::global_ordinal_type;

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  const auto map = Teuchos::rcp(new Matrix::map_type(6, 0, Tpetra::getDefaultComm()));
  const auto A = Teuchos::rcp(new Matrix(map, 3));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i) {
    for (GO j = 3 * (i / 3); j < 3 * (i / 3) + 3; ++j)
      if (j != i) A->insertGlobalValues(i, Teuchos::tuple(j), Teuchos::tuple(1.0));
    if (i == 2 || i == 3) A->insertGlobalValues(i, Teuchos::tuple(5 - i), Teuchos::tuple(0.1));
  }
  A->fillComplete();
  const auto found = Trident::markovCluster(*A);
  const auto labels = found.labels->getData();
  bool good = found.clusters == 2;
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i)
    good = good && labels[i - map->getMinGlobalIndex()] == i / 3;
  if (map->getComm()->getRank() == 0)
    std::cout << found.clusters << " clusters, expected 2" << std::endl;
  return good ? 0 : 1;
}
