// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_HPP
#define TRIDENT_MULTIPLY_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "Trident_Multiply_decl.hpp"

#endif
