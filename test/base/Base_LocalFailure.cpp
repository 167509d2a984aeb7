// SPDX-License-Identifier: BSD-3-Clause
// A rank that failed keeps the first reason and does no more work.

#include <Teuchos_UnitTestHarness.hpp>
#include <new>
#include <stdexcept>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(LocalFailure, WorkRunsWhileNothingFails) {
  LocalFailure failure;
  int runs = 0;
  for (int n = 0; n < 3; ++n) failure.guard([&] { ++runs; });
  TEST_EQUALITY_CONST(runs, 3);
  TEST_ASSERT(!failure.failed());
  TEST_EQUALITY(failure.text(), std::string());
}

TEUCHOS_UNIT_TEST(LocalFailure, KeepsTheFirstAndSkipsLaterWork) {
  LocalFailure failure;
  bool ran = false;
  TEST_NOTHROW(failure.guard([] { throw std::runtime_error("first"); }));
  TEST_NOTHROW(failure.guard([&] {
    ran = true;
    throw std::runtime_error("second");
  }));
  TEST_ASSERT(failure.failed());
  TEST_ASSERT(!ran);
  TEST_EQUALITY(failure.text(), std::string("first"));
}

TEUCHOS_UNIT_TEST(LocalFailure, AttemptsRunAlsoAfterAFailureAndTheFirstIsKept) {
  LocalFailure failure;
  int runs = 0;
  failure.attempt([&] { ++runs; });
  TEST_ASSERT(!failure.failed());
  TEST_NOTHROW(failure.attempt([] { throw Error("f", "first"); }));
  TEST_NOTHROW(failure.attempt([&] {
    ++runs;
    throw std::runtime_error("second");
  }));
  failure.attempt([&] { ++runs; });
  TEST_EQUALITY_CONST(runs, 3);
  TEST_EQUALITY(failure.text(), std::string("first"));
}

TEUCHOS_UNIT_TEST(LocalFailure, WorkBeforeTheThrowHasHappened) {
  LocalFailure failure;
  int done = 0;
  failure.guard([&] {
    done = 1;
    throw Error("f", "late");
  });
  TEST_EQUALITY_CONST(done, 1);
  TEST_EQUALITY(failure.text(), std::string("late"));  // whoever agrees on it names a function
}

TEUCHOS_UNIT_TEST(LocalFailure, EveryKindOfExceptionIsAFailureWithText) {
  LocalFailure number, silent, memory;
  TEST_NOTHROW(number.guard([] { throw 7; }));
  TEST_NOTHROW(silent.guard([] { throw std::runtime_error(""); }));
  TEST_NOTHROW(memory.guard([] { throw std::bad_alloc(); }));
  for (const LocalFailure* failure : {&number, &silent, &memory}) {
    out << failure->text() << "\n";
    TEST_ASSERT(failure->failed());
    TEST_ASSERT(!failure->text().empty());  // an empty text would mean success to throwEverywhere
  }
}

}  // namespace

}  // namespace Trident::Impl
