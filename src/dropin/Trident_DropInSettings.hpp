// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINSETTINGS_HPP
#define TRIDENT_DROPINSETTINGS_HPP

#include <mpi.h>

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>
#include <vector>

namespace Trident::Impl {

/// The settings that the environment gives the drop-in (doc/dropin.md). They are read once
/// in a process; with them the plans begin that TRIDENT_PLANS asks for (Trident_PlanCache.hpp).
struct DropInSettings {
  Teuchos::ParameterList parameters;  ///< TRIDENT_OPTIONS, as a sublist "Trident" of a product's
                                      ///< list has them
  std::string report;                 ///< TRIDENT_REPORT: a file; empty: none is written
  bool compare = false;               ///< TRIDENT_COMPARE: true if Tpetra forms each product too
  std::vector<std::string> warnings;  ///< notes for the report on settings that may be wrong
};

/// Returns the settings, which are equal on all ranks of `comm`. The first call on a communicator
/// asks the other ranks for them, and keeps the answer with the communicator. Collective over
/// `comm`. Throws Trident::Error on every rank, with the remedy, if a rank has not this library, a
/// value is bad, or ranks' values differ. It looks for the library by point-to-point messages,
/// before anything that is collective (Trident_AllRanksPresent.hpp). Later calls on that
/// communicator then throw, too.
const DropInSettings& agreedSettings(MPI_Comm comm);

/// Returns a product's list with the environment's parameters, as far as the caller gives none of
/// that name. It is the caller's own list if there are none.
Teuchos::RCP<Teuchos::ParameterList> withParameters(
    const DropInSettings& settings, const Teuchos::RCP<Teuchos::ParameterList>& callers);

/// Returns sentences on Trident's parameters that stand in a product's list itself, where they do
/// nothing, and not in its sublist "Trident".
std::vector<std::string> warningsOf(const Teuchos::RCP<Teuchos::ParameterList>& callers);

}  // namespace Trident::Impl

#endif
