// SPDX-License-Identifier: BSD-3-Clause
// Products of whole numbers, which the library has not: instantiated from the _def headers, as a
// program does it that needs them. Here, so that the tests which use them compile them once.

#include "Trident_TestMatrices.hpp"
#include "product/Trident_Jacobi_def.hpp"
#include "product/Trident_MultiplyPlan_def.hpp"
#include "product/Trident_Multiply_def.hpp"

using TridentTest::GO;
using TridentTest::LO;
using NO = TridentTest::matrix_type::node_type;

TRIDENT_MULTIPLY_INSTANT(GO, LO, GO, NO)
TRIDENT_MULTIPLYPLAN_INSTANT(GO, LO, GO, NO)
TRIDENT_JACOBI_INSTANT(GO, LO, GO, NO)
