// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_HPP
#define TRIDENT_MULTIPLYRAP_HPP

// The library has it for the types Tpetra was built with; for whole numbers include the _def.
#include "product/Trident_MultiplyRAP_decl.hpp"

#endif
