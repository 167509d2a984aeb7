// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_HPP
#define TRIDENT_MULTIPLYRAP_HPP

// Programs with whole numbers (long long) include product/Trident_MultiplyRAP_def.hpp instead.
#include "product/Trident_MultiplyRAP_decl.hpp"

#endif
