// SPDX-License-Identifier: BSD-3-Clause
// A rank that does not make the call, and the parameter "timeout": the others give up, and say
// where they stood. One test, as the process can use Trident no more after it.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "Trident_TestProduct.hpp"
#include "base/Trident_Wait.hpp"

namespace {

using namespace TridentTest;

/// Returns the error of a product; an empty text if it is formed.
std::string multiplySays(const matrix_type& A, double timeout) {
  const auto params = tridentList();
  params->sublist("Trident").set("timeout", timeout).set("ranks per node", 1);
  const MatrixPtr C = newResult(A);
  try {
    Trident::Multiply(A, A, *C, params);
  } catch (const Trident::Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEUCHOS_UNIT_TEST(Timeout, OthersDoNotWaitForARankThatStaysAway) {
  const CommPtr comm = world()->duplicate();
  Random random(3);
  const MatrixPtr A = makeUniform(randomSparse(random, 30, 30, true), comm);
  // In time nothing changes.
  TEST_EQUALITY(multiplySays(*A, 100), std::string());
  TEST_EQUALITY(Trident::Impl::whyAbandoned(), std::string());
  if (comm->getSize() == 1 || comm->getRank() == 0) return;
  const std::string said = multiplySays(*A, 0.5);
  out << said << "\n";
  TEST_ASSERT(contains(said, "Trident::Multiply: gave up after 0.5"));
  TEST_ASSERT(contains(said, "waits for all ranks"));
  TEST_ASSERT(contains(said, "end the program"));
  // At once, also without a bound.
  TEST_EQUALITY(multiplySays(*A, 0), said);
}

}  // namespace
