// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKARGUMENTS_HPP
#define TRIDENT_CHECKARGUMENTS_HPP

#include <string>

#include "Trident_Agreement.hpp"
#include "Trident_Error.hpp"
#include "Trident_ThreadInside.hpp"

namespace Trident::Impl {

/// Throws Trident::Error on every rank where another thread of a rank is inside Trident, a rank's
/// arguments are bad, or ranks' arguments differ. Collective over `comm`, one reduction where
/// nothing is wrong.
/// @param check returns what is wrong with this rank's arguments, empty where nothing is, and adds
///   what ranks must pass alike to the CommonValues it gets; local, may throw
template <class Check>
void checkArguments(MPI_Comm comm, const std::string& function, const Check& check) {
  CommonValues values;
  LocalFailure failure;
  failure.guard([&] {
    std::string problem = ThreadInside::problem();
    if (problem.empty()) problem = check(values);
    if (!problem.empty()) throw Error(problem);
  });
  requireAlike(comm, function, failure.text(), values);
}

}  // namespace Trident::Impl

#endif
