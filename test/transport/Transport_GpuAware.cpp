// SPDX-License-Identifier: BSD-3-Clause
// The decision whether device memory goes to MPI as it lies. Transport_GpuAwareStub has other MPIs
// than the one that is here.

#include <mpi.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdlib>
#include <optional>
#include <string>

#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {
namespace {

using Answer = std::optional<bool>;
constexpr Answer noAnswer = std::nullopt, answers[] = {noAnswer, false, true};

TEUCHOS_UNIT_TEST(GpuAware, TheAnswerWins) {
  for (const bool answer : {false, true})
    for (const bool mpich : {false, true})
      for (const Answer& enabled : answers)
        for (const Answer& assumed : answers)
          TEST_EQUALITY(takesDeviceMemory({answer, mpich, enabled, assumed}), answer);
}

TEUCHOS_UNIT_TEST(GpuAware, MpichsVariableCountsWithMpich) {
  for (const Answer& assumed : answers) {
    const bool promised = assumed.value_or(false);
    TEST_ASSERT(takesDeviceMemory({noAnswer, true, true, assumed}));
    TEST_ASSERT(!takesDeviceMemory({noAnswer, true, false, assumed}));
    TEST_EQUALITY(takesDeviceMemory({noAnswer, true, noAnswer, assumed}), promised);
    for (const Answer& enabled : answers)
      TEST_EQUALITY(takesDeviceMemory({noAnswer, false, enabled, assumed}), promised);
  }
}

TEUCHOS_UNIT_TEST(GpuAware, WhatVariablesSay) {
  for (const char* yes : {"1", "yes", "YES", "true", "True", "on", "ON"})
    TEST_ASSERT(yesOrNo(yes) == Answer(true));
  for (const char* no : {"0", "no", "No", "false", "FALSE", "off"})
    TEST_ASSERT(yesOrNo(no) == Answer(false));
  for (const char* neither : {"", "2", "10", "yes ", "enabled"}) TEST_ASSERT(!yesOrNo(neither));
  TEST_ASSERT(!yesOrNo(nullptr));
}

TEUCHOS_UNIT_TEST(GpuAware, SignsOfTheMpiThatRuns) {
  const char* const names[] = {"MPICH_GPU_SUPPORT_ENABLED", "TPETRA_ASSUME_GPU_AWARE_MPI"};
  std::optional<std::string> before[2];
  for (int v = 0; v < 2; ++v)
    if (const char* text = std::getenv(names[v])) before[v] = text;
  setenv(names[0], "1", 1);
  setenv(names[1], "off", 1);
  const GpuAwareSigns signs = gpuAwareSigns();
  TEST_ASSERT(signs.query == mpiSaysItTakesDeviceMemory());
  TEST_ASSERT(signs.mpichEnabled == Answer(true));
  TEST_ASSERT(signs.assumed == Answer(false));
#if defined(OPEN_MPI)
  TEST_ASSERT(!signs.mpich);
#elif defined(MPICH_VERSION)
  TEST_ASSERT(signs.mpich);
#endif
  TEST_EQUALITY(mpiTakesDeviceMemory(), takesDeviceMemory(signs));
  for (int v = 0; v < 2; ++v)
    before[v] ? setenv(names[v], before[v]->c_str(), 1) : unsetenv(names[v]);
}

}  // namespace
}  // namespace Trident::Impl
