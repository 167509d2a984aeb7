// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_HPP
#define TRIDENT_MULTIPLY_HPP

// Programs with whole numbers (long long) include product/Trident_Multiply_def.hpp instead.
#include "product/Trident_Multiply_decl.hpp"

#endif
