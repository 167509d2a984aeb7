// SPDX-License-Identifier: BSD-3-Clause
// Random products against a dense product and Tpetra's, for every rank count this runs on. These
// promises must hold of each; a failure says which one is broken, by what, and how to run it again:
//   the call returns;
//   C has the Maps, the columns' order and the importer that Tpetra gives;
//   C's row Map is the object that it was;
//   C's entries are those of the dense product;
//   A and B are what they were;
//   C's count of all entries is right;
//   the report says what was asked for and done;
//   C times a vector is what A and B make of it;
//   C is Tpetra's product, where Tpetra can form it.

#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <Teuchos_UnitTestRepository.hpp>

#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;

int firstSeed = 0;  // 0: by the number of ranks
int cases = 0;      // 0: by the number of ranks

TEUCHOS_STATIC_SETUP() {
  Teuchos::CommandLineProcessor& clp = Teuchos::UnitTestRepository::getCLP();
  clp.setOption("first-seed", &firstSeed, "Seed of the first random product");
  clp.setOption("cases", &cases, "How many random products");
}

TEUCHOS_UNIT_TEST(Multiply, Random) {
  const CommPtr comm = world();
  const int P = comm->getSize();
  const int first = firstSeed ? firstSeed : 1000 * P;
  const int count = cases ? cases : P <= 3 ? 300 : P <= 8 ? 150 : 100;
  out << count << " products, seeds from " << first << " on " << P << " ranks\n";
  int failures = 0;
  for (int seed = first; seed < first + count; ++seed) {
    const std::string problem = checkRandomProduct(seed, comm);
    if (problem.empty()) continue;
    out << problem << "\n";
    if (++failures == 3) break;  // the first few say enough
  }
  TEST_EQUALITY(failures, 0);
}

}  // namespace
