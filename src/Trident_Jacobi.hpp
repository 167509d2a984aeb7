// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_HPP
#define TRIDENT_JACOBI_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_Jacobi_decl.hpp"

#endif
