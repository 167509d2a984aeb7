// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_HPP
#define TRIDENT_JACOBI_HPP

// The library has it for the types Tpetra was built with; for whole numbers include the _def.
#include "product/Trident_Jacobi_decl.hpp"

#endif
