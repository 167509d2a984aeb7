// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRECONDITIONER_HPP
#define TRIDENT_PRECONDITIONER_HPP

// Library trident_muelu has code for Tpetra's types. For others, include _def.hpp, not _decl.hpp.
#include "muelu/Trident_Preconditioner_decl.hpp"

#endif
