// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FIRSTTEXT_HPP
#define TRIDENT_FIRSTTEXT_HPP

#include <mpi.h>

#include <string>

namespace Trident {

/// The text of the lowest rank of `comm` that has one, on every rank; empty where none has.
/// Collective over `comm`.
std::string firstText(MPI_Comm comm, const std::string& text);

}  // namespace Trident

#endif
