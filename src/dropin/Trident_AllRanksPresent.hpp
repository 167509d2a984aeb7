// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALLRANKSPRESENT_HPP
#define TRIDENT_ALLRANKSPRESENT_HPP

#include <mpi.h>

#include <functional>
#include <string>

namespace Trident::Impl {

/// Gets a sentence on ranks that are late.
using NoteOfLateRanks = std::function<void(const std::string&)>;

/// Throws Trident::Error on every rank that calls it, if some rank of `comm` does not call it
/// within `seconds`. The error names missing ranks. A rank whose process lacks this library never
/// calls it, and a collective would wait for it for ever; so this sends point-to-point messages
/// alone, 2·ceil(log2 P) a rank. Messages to a missing rank are left to MPI. Tells the first rank
/// who is late after `noteAfter` seconds; then one reduction follows once all have come.
/// Collective.
/// @param noteAfter seconds after which the first rank is told who is late
/// @param note gets that, on the first rank of `comm`; may be empty, must not throw
void requireAllRanksPresent(MPI_Comm comm, double seconds, double noteAfter,
                            const NoteOfLateRanks& note);

}  // namespace Trident::Impl

#endif
