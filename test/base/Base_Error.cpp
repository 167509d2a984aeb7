// SPDX-License-Identifier: BSD-3-Clause
// Texts of errors, and failed MPI calls, which become errors.

#include <Teuchos_UnitTestHarness.hpp>
#include <new>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEUCHOS_UNIT_TEST(Error, NamesTheFunctionAndIsARuntimeError) {
  try {
    throw Error("Trident::Multiply", "A is 3 x 4, B is 5 x 6");
  } catch (const std::runtime_error& e) {  // as applications catch what Tpetra throws
    TEST_EQUALITY(std::string(e.what()), std::string("Trident::Multiply: A is 3 x 4, B is 5 x 6"));
    return;
  }
  TEST_ASSERT(false);
}

/// Returns the message of an Error thrown by `work()` once it has left Trident::Outer.
template <class Work>
std::string fromOuter(Work&& work) {
  try {
    withErrorContext("Trident::Outer", work);
  } catch (const Error& e) {
    return e.what();
  }
  return "no Error";
}

TEUCHOS_UNIT_TEST(Error, LeavesInTheNameOfTheFunctionThatWasCalled) {
  const std::string expected = "Trident::Outer: a: b";
  TEST_EQUALITY(fromOuter([] { throw Error("Trident::Inner", "a: b"); }), expected);
  TEST_EQUALITY(fromOuter([] { throw Error("a: b"); }), expected);
  TEST_EQUALITY(fromOuter([] {
                  withErrorContext("Trident::Middle",
                                   [] { throw Error("Trident::Inner", "a: b"); });
                }),
                expected);
  TEST_EQUALITY(fromOuter([] {}), std::string("no Error"));
  TEST_THROW(fromOuter([] { throw std::bad_alloc(); }), std::bad_alloc);
  TEST_EQUALITY(withErrorContext("Trident::Outer", [] { return 7; }), 7);
}

TEUCHOS_UNIT_TEST(Error, MpiSuccessIsSilent) {
  int initialized = 0;
  TEST_NOTHROW(TRIDENT_MPI_CHECK(MPI_Initialized(&initialized)));
  TEST_EQUALITY_CONST(initialized, 1);
}

TEUCHOS_UNIT_TEST(Error, FailedMpiCallIsNamedWithItsPlaceAndMpisText) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(MPI_ERR_RANK, text, &length);
  std::string what;
  const int line = __LINE__ + 2;
  try {
    TRIDENT_MPI_CHECK(MPI_ERR_RANK);
  } catch (const Error& e) {
    what = e.what();
  }
  out << what << "\n";
  TEST_ASSERT(contains(what, "MPI_ERR_RANK failed"));
  TEST_ASSERT(contains(what, "Base_Error.cpp:" + std::to_string(line)));
  TEST_ASSERT(contains(what, std::string(text, length)));
#ifdef TRIDENT_TEST_SOURCE  // where the compiler can leave it out
  TEST_ASSERT(!contains(what, TRIDENT_TEST_SOURCE));
#endif
}

TEUCHOS_UNIT_TEST(Error, NoThrowTwinNeverThrows) {
  TEST_NOTHROW(TRIDENT_MPI_CHECK_NOTHROW(MPI_ERR_RANK));
}

}  // namespace

}  // namespace Trident::Impl
