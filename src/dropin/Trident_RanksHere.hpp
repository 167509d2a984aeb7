// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RANKSHERE_HPP
#define TRIDENT_RANKSHERE_HPP

#include <mpi.h>

#include <functional>
#include <string>

namespace Trident::Impl {

/// Gets a sentence on ranks that are late.
using NoteOfLateRanks = std::function<void(const std::string&)>;

/// Throws Trident::Error where a rank of `comm` did not call this within so many seconds after this
/// one did, with the numbers of such ranks: a rank whose process has not this library is in
/// Tpetra's own product, where what is collective would wait for good. Every rank that calls it
/// throws, and names one rank that is missing at least. Collective over `comm`, by point-to-point
/// messages alone: each rank sends and gets 2·ceil(log2 P). Messages to a missing rank are left to
/// MPI. Where a rank has waited for others for a while, it tells the first rank too, and one
/// reduction follows when all have come.
/// @param noteAfter seconds after which the first rank is told who is late
/// @param note gets that, on the first rank of `comm`; may be empty, must not throw
void requireRanksHere(MPI_Comm comm, double seconds, double noteAfter, const NoteOfLateRanks& note);

}  // namespace Trident::Impl

#endif
