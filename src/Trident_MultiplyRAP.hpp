// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_HPP
#define TRIDENT_MULTIPLYRAP_HPP

// Instantiated in the library for the types Tpetra was built with; for others include the _def.
#include "Trident_MultiplyRAP_decl.hpp"

#endif
