// SPDX-License-Identifier: BSD-3-Clause
// The main function of every unit test: a test passes only where it passes on all ranks.
// TRIDENT_TEST_THREADS (single, funneled, serialized, multiple: the default) is what MPI is asked
// for, as an application might.

#include <Teuchos_UnitTestRepository.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "Trident_ScopeGuard.hpp"

namespace {

int threadLevel() {
  const char* const asked = std::getenv("TRIDENT_TEST_THREADS");
  const std::string name = asked ? asked : "multiple";
  if (name == "single") return MPI_THREAD_SINGLE;
  if (name == "funneled") return MPI_THREAD_FUNNELED;
  if (name == "serialized") return MPI_THREAD_SERIALIZED;
  if (name == "multiple") return MPI_THREAD_MULTIPLE;
  throw std::invalid_argument("TRIDENT_TEST_THREADS=" + name);
}

}  // namespace

int main(int argc, char* argv[]) {
  Trident::ScopeGuard scope(&argc, &argv, threadLevel());
  Teuchos::UnitTestRepository::setGloballyReduceTestResult(true);
  return Teuchos::UnitTestRepository::runUnitTestsFromMain(argc, argv);
}
