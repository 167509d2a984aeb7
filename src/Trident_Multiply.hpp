// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_HPP
#define TRIDENT_MULTIPLY_HPP

// The library has it for the types Tpetra was built with; for whole numbers include the _def.
#include "product/Trident_Multiply_decl.hpp"

#endif
