// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_HPP
#define TRIDENT_JACOBI_HPP

// Programs with whole numbers (long long) include product/Trident_Jacobi_def.hpp instead.
#include "product/Trident_Jacobi_decl.hpp"

#endif
