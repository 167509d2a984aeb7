// SPDX-License-Identifier: BSD-3-Clause
// Lesson 2: a product whose values change and whose structure does not, as in time steps. The plan
// finds the structure once. R·A·P and Jacobi steps have plans too: doc/library.md has code for
// each.
//
// Look at the ratio at the end: how much shorter a product is whose structure is known. The first
// product of a program also makes communicators and threads, so it is formed twice here.
#include <Tpetra_Core.hpp>
#include <Trident_Multiply.hpp>
#include <Trident_MultiplyPlan.hpp>
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

/// A step of a program. A plan that is a member of a class begins empty.
struct Step {
  Trident::MultiplyPlan<> plan;
  Trident::Report form(const matrix_type& A, const matrix_type& B, matrix_type& C) {
    if (plan) return plan.multiply(A, B, C);
    plan = Trident::MultiplyPlan(A, B, C);  // C = A·B, and what structure decides
    return plan.report();
  }
};

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto A = laplacian(100000);

  matrix_type once(A->getRowMap(), 0);
  Trident::Multiply(*A, *A, once);  // makes what is made once, and is not timed

  matrix_type C(A->getRowMap(), 0);
  Step square;
  const double first = square.form(*A, *A, C).totalSeconds;

  double again = 0;
  for (int step = 1; step <= 10; ++step) {
    A->resumeFill();
    A->scale(0.5);  // new values
    A->fillComplete();
    again += square.form(*A, *A, C).totalSeconds;
  }
  const double norm = C.getFrobeniusNorm();  // collective
  if (Tpetra::getDefaultComm()->getRank() == 0)
    std::cout << "first product " << first << " s, later ones " << again / 10 << " s each: ratio "
              << first / (again / 10) << "; norm of the last " << norm << "\n";
}
