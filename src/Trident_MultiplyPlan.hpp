// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_HPP
#define TRIDENT_MULTIPLYPLAN_HPP

// The library has it for the types Tpetra was built with; for whole numbers include the _def.
#include "product/Trident_MultiplyPlan_decl.hpp"

#endif
