// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRECONDITIONER_HPP
#define TRIDENT_PRECONDITIONER_HPP

// Link trident_muelu. For types that it lacks, include muelu/Trident_Preconditioner_def.hpp.
#include "muelu/Trident_Preconditioner_decl.hpp"

#endif
