// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_HPP
#define TRIDENT_MULTIPLYPLAN_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "Trident_MultiplyPlan_decl.hpp"

#endif
