// SPDX-License-Identifier: BSD-3-Clause
// The version, as text, as macros and as a number, is one: that of Version.cmake.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Trident_Version.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(Version, OfTheLibraryIsThatOfTheHeader) {
  const auto text = [](int part) { return std::to_string(part); };
  const std::string parts = text(TRIDENT_VERSION_MAJOR) + "." + text(TRIDENT_VERSION_MINOR) + "." +
                            text(TRIDENT_VERSION_PATCH);
  TEST_EQUALITY(parts, std::string(TRIDENT_VERSION_STRING));
  TEST_EQUALITY(version(), parts);
}

TEUCHOS_UNIT_TEST(Version, IsThatOfVersionCmake) {
  TEST_EQUALITY(std::string(TRIDENT_VERSION_STRING), std::string(TRIDENT_TEST_VERSION));
}

// The preprocessor must be able to compare: that is what a number is for.
#if TRIDENT_VERSION < TRIDENT_MAKE_VERSION(0, 1, 0)
#error this Trident is older than its first version
#endif
#if TRIDENT_VERSION >= \
    TRIDENT_MAKE_VERSION(TRIDENT_VERSION_MAJOR, TRIDENT_VERSION_MINOR, TRIDENT_VERSION_PATCH + 1)
#error this Trident is as new as the next one
#endif

TEUCHOS_UNIT_TEST(Version, SaysWhatWasBuiltInAsOneOrZero) {
  for (const int have :
       {TRIDENT_HAVE_CUDA, TRIDENT_HAVE_NCCL, TRIDENT_HAVE_CUSPARSE, TRIDENT_HAVE_MUELU,
        TRIDENT_HAVE_GRAPH_ACCESS, TRIDENT_HAVE_IMPORT_ACCESS}) {
    TEST_ASSERT(have == 0 || have == 1);
  }
  // What uses the CUDA runtime is not built in without it.
  TEST_ASSERT(TRIDENT_HAVE_CUDA >= TRIDENT_HAVE_NCCL);
  TEST_ASSERT(TRIDENT_HAVE_CUDA >= TRIDENT_HAVE_CUSPARSE);
}

}  // namespace

}  // namespace Trident::Impl
