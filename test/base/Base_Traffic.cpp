// SPDX-License-Identifier: BSD-3-Clause

#include <Teuchos_UnitTestHarness.hpp>

#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {
namespace {

TEUCHOS_UNIT_TEST(Traffic, CountsBySide) {
  Traffic traffic;
  traffic.count(true, 100);
  traffic.count(true, 5000000000ll, 75);
  traffic.count(false, 7, 0);
  TEST_EQUALITY_CONST(traffic.internodeBytes, 5000000100ll);
  TEST_EQUALITY_CONST(traffic.internodeMessages, 76);
  TEST_EQUALITY_CONST(traffic.intranodeBytes, 7);
  TEST_EQUALITY_CONST(traffic.intranodeMessages, 0);
}

TEUCHOS_UNIT_TEST(Traffic, AddsUp) {
  Traffic sum, part;
  part.count(true, 1, 2);
  part.count(false, 3, 4);
  sum += part;
  sum += part;
  TEST_EQUALITY_CONST(sum.internodeBytes, 2);
  TEST_EQUALITY_CONST(sum.internodeMessages, 4);
  TEST_EQUALITY_CONST(sum.intranodeBytes, 6);
  TEST_EQUALITY_CONST(sum.intranodeMessages, 8);
}

}  // namespace

}  // namespace Trident::Impl
