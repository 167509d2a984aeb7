// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_HPP
#define TRIDENT_MULTIPLYPLAN_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_MultiplyPlan_decl.hpp"

#endif
