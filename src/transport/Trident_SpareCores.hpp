// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SPARECORES_HPP
#define TRIDENT_SPARECORES_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Whether every rank's host has, beside the cores that its ranks of `comm` compute with, one more
/// for each of them. Cores are those that these ranks may run on. Collective; the same on all
/// ranks.
bool haveSpareCores(MPI_Comm comm);

}  // namespace Trident::Impl

#endif
