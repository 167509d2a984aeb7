// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINSETTINGS_HPP
#define TRIDENT_DROPINSETTINGS_HPP

#include <mpi.h>

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>
#include <vector>

namespace Trident::Impl {

/// The drop-in's settings, from the environment (doc/dropin.md). A process reads them once, and
/// then begins the plans that TRIDENT_PLANS asks for (Trident_PlanCache.hpp).
struct DropInSettings {
  Teuchos::ParameterList parameters;  ///< TRIDENT_OPTIONS, as in a sublist "Trident"
  std::string report;                 ///< TRIDENT_REPORT: name of a file; empty: no report
  bool compare = false;               ///< TRIDENT_COMPARE: true: Tpetra forms each product too
  std::vector<std::string> warnings;  ///< notes for the report on settings that may be wrong
};

/// Returns the settings, which are the same on all ranks of `comm`. The first call on a
/// communicator checks that, and notes it with the communicator. Collective over `comm`. Throws
/// Trident::Error on every rank, with the remedy, if a rank lacks this library, if a value is bad,
/// or if values differ between ranks. Later calls on that communicator then throw, too.
/// Point-to-point messages look for the library before any collective call
/// (Trident_AllRanksPresent.hpp).
const DropInSettings& agreedSettings(MPI_Comm comm);

/// Returns a copy of a product's list, with those of the environment's parameters that the caller
/// does not give. If the environment gives none, returns the caller's own list.
Teuchos::RCP<Teuchos::ParameterList> withParameters(
    const DropInSettings& settings, const Teuchos::RCP<Teuchos::ParameterList>& callers);

/// Returns a sentence on each parameter of Trident's that stands beside the sublist "Trident" of a
/// product's list, where it has no effect.
std::vector<std::string> warningsOf(const Teuchos::RCP<Teuchos::ParameterList>& callers);

}  // namespace Trident::Impl

#endif
