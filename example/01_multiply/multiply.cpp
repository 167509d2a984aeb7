// SPDX-License-Identifier: BSD-3-Clause
// Lesson 1: the product of two Tpetra matrices. Paste the last lines of main() into your program;
// doc/library.md has the other calls.
//
// Look at the first line of the report, which says what was chosen, and at the lines after
// "because", which say why. On one node, as here without options, nothing travels between nodes.
#include <Tpetra_Core.hpp>
#include <Trident_Multiply.hpp>
#include <Trident_ScopeGuard.hpp>
#include <algorithm>
#include <iostream>

using matrix_type = Tpetra::CrsMatrix<>;

/// Makes a one-dimensional Laplacian with `n` rows.
static Teuchos::RCP<matrix_type> laplacian(Tpetra::global_size_t n) {
  using GO = matrix_type::global_ordinal_type;
  const auto map = Teuchos::rcp(new matrix_type::map_type(n, 0, Tpetra::getDefaultComm()));
  const auto A = Teuchos::rcp(new matrix_type(map, 3));
  for (GO i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i)
    for (GO j = std::max<GO>(i - 1, 0); j <= std::min<GO>(i + 1, n - 1); ++j)
      A->insertGlobalValues(i, Teuchos::tuple<GO>(j), Teuchos::tuple<double>(i == j ? 2.0 : -1.0));
  A->fillComplete();
  return A;
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto A = laplacian(1000);

  const auto params = Teuchos::parameterList();
  params->sublist("Trident").set("grid", "auto");  // the default; see doc/parameters.md

  matrix_type C(A->getRowMap(), 0);
  const Trident::Report report = Trident::Multiply(*A, *A, C, params);

  const auto summary = Trident::summarize(report, *Tpetra::getDefaultComm());
  if (Tpetra::getDefaultComm()->getRank() == 0)
    std::cout << "C = A*A has " << C.getGlobalNumEntries()
              << " entries. What was chosen, what it took, "
              << "and why (doc/report.md):\n"
              << Trident::describe(report, summary);
}
