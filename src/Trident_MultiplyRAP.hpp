// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_HPP
#define TRIDENT_MULTIPLYRAP_HPP

// The library has this for the types of Tpetra's build. For whole numbers, include the _def.
#include "product/Trident_MultiplyRAP_decl.hpp"

#endif
