// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_HPP
#define TRIDENT_JACOBI_HPP

// The library has code for Tpetra's types. For whole numbers, include _def.hpp, not _decl.hpp.
#include "product/Trident_Jacobi_decl.hpp"

#endif
