// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RANKSHERE_HPP
#define TRIDENT_RANKSHERE_HPP

#include <mpi.h>

namespace Trident::Impl {

/// Throws Trident::Error where a rank of `comm` did not call this within so many seconds after this
/// one did, with the numbers of such ranks: a rank whose process has not this library is in
/// Tpetra's own product, where what is collective would wait for good. Every rank that calls it
/// throws, and names one rank that is missing at least. Collective over `comm`, by point-to-point
/// messages alone: each rank sends and gets 2·ceil(log2 P). Messages to a missing rank are left to
/// MPI.
void requireRanksHere(MPI_Comm comm, double seconds);

}  // namespace Trident::Impl

#endif
