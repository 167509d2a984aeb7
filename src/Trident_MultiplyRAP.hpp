// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_HPP
#define TRIDENT_MULTIPLYRAP_HPP

// The library has code for Tpetra's types. For whole numbers, include _def.hpp, not _decl.hpp.
#include "product/Trident_MultiplyRAP_decl.hpp"

#endif
