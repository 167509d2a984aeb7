// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKARGUMENTS_HPP
#define TRIDENT_CHECKARGUMENTS_HPP

#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_MpiCheck.hpp"
#include "base/Trident_ThreadInside.hpp"

namespace Trident::Impl {

/// Throws Trident::Error where MPI does not run, and on every rank where another thread of a rank
/// is inside Trident, a rank's arguments are bad, or ranks' arguments differ. Collective over
/// `comm`, one reduction where nothing is wrong.
/// @param check returns what is wrong with this rank's arguments, empty where nothing is, and adds
///   what ranks must pass alike to the CommonValues it gets; local, may throw
/// @param later done after it, if nothing is wrong: what it throws counts only where arguments are
///   alike on all ranks; returns whether something holds for this rank. Local
/// @return whether that holds for some rank
template <class Check, class Later>
bool checkArguments(MPI_Comm comm, const std::string& function, const Check& check,
                    const Later& later) {
  requireMpi();
  CommonValues values;
  LocalFailure failure;
  failure.guard([&] {
    std::string problem = ThreadInside::problem();
    if (problem.empty()) problem = check(values);
    if (!problem.empty()) throw Error(problem);
  });
  bool any = false;
  LocalFailure second;
  if (!failure.failed()) second.guard([&] { any = later(); });
  requireAlike(comm, function, failure.text(), values, second.text(), &any);
  return any;
}
template <class Check>
void checkArguments(MPI_Comm comm, const std::string& function, const Check& check) {
  checkArguments(comm, function, check, [] { return false; });
}

}  // namespace Trident::Impl

#endif
