// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_HPP
#define TRIDENT_JACOBI_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "Trident_Jacobi_decl.hpp"

#endif
