// SPDX-License-Identifier: BSD-3-Clause
// Linked into lessons and tests, whose sources need not know of it: before main().
#include "app/problems/TridentProblems_LoneStart.hpp"

static const bool startsApart = (Trident::Problems::startApart(), true);
