// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALLRANKSPRESENT_HPP
#define TRIDENT_ALLRANKSPRESENT_HPP

#include <mpi.h>

#include <functional>
#include <string>

namespace Trident::Impl {

/// Throws Trident::Error on every rank that calls this function, if some rank of `comm` does not
/// call it within `seconds`. The error names one missing rank. A rank whose process lacks this
/// library never calls this function, and a collective would wait for that rank forever. So each
/// rank sends only point-to-point messages, 2·ceil(log2 P) of them. Messages to a missing rank stay
/// unreceived. Collective.
/// @param note function that gets a sentence. The first rank calls it once, if it has waited for
///   min(60, `seconds` / 2) seconds. Must not throw
void requireAllRanksPresent(MPI_Comm comm, double seconds,
                            const std::function<void(const std::string&)>& note);

}  // namespace Trident::Impl

#endif
