// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_HPP
#define TRIDENT_MULTIPLYPLAN_HPP

// Programs with whole numbers (long long) include product/Trident_MultiplyPlan_def.hpp instead.
#include "product/Trident_MultiplyPlan_decl.hpp"

#endif
