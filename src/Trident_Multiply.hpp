// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_HPP
#define TRIDENT_MULTIPLY_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_Multiply_decl.hpp"

#endif
