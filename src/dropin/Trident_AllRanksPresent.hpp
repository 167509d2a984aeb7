// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALLRANKSPRESENT_HPP
#define TRIDENT_ALLRANKSPRESENT_HPP

#include <mpi.h>

#include <functional>
#include <string>

namespace Trident::Impl {

/// Throws Trident::Error on every rank that calls this function, if some rank of `comm` does not
/// call it within `seconds`. The error names one such rank. A rank whose process lacks this library
/// never calls it, and in a collective all others would wait for that rank forever. So this sends
/// only point-to-point messages, 2·ceil(log2 P) from each rank. Messages to a missing rank are left
/// to MPI. Collective.
/// @param note called with a sentence, once, by the first rank when it has waited for a minute, or
///   for half of `seconds` if that is less; must not throw
void requireAllRanksPresent(MPI_Comm comm, double seconds,
                            const std::function<void(const std::string&)>& note);

}  // namespace Trident::Impl

#endif
