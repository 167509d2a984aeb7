// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRECONDITIONER_HPP
#define TRIDENT_PRECONDITIONER_HPP

// Instantiated in the library trident_muelu for the types Tpetra was built with; for others include
// the _def.
#include "muelu/Trident_Preconditioner_decl.hpp"

#endif
