// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSE_HPP
#define TRIDENT_TRANSPOSE_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_Transpose_decl.hpp"

#endif
