// SPDX-License-Identifier: BSD-3-Clause
// The main function of every unit test: a test passes only where it passes on all ranks.

#include <Teuchos_UnitTestRepository.hpp>
#include <Tpetra_Core.hpp>

int main(int argc, char* argv[]) {
  Tpetra::ScopeGuard scope(&argc, &argv);
  Teuchos::UnitTestRepository::setGloballyReduceTestResult(true);
  return Teuchos::UnitTestRepository::runUnitTestsFromMain(argc, argv);
}
