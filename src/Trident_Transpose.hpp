// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSE_HPP
#define TRIDENT_TRANSPOSE_HPP

// Programs with whole numbers (long long) include product/Trident_Transpose_def.hpp instead.
#include "product/Trident_Transpose_decl.hpp"

#endif
