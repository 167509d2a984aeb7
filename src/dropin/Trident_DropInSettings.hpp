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
  std::string report;                 ///< TRIDENT_REPORT, a file name; empty for no report
  bool compare = false;               ///< TRIDENT_COMPARE; if true, Tpetra forms products too
  std::vector<std::string> warnings;  ///< notes for the report on settings that may be wrong
};

/// Returns the settings. The first call on a communicator checks that its ranks have the same
/// settings, and notes this with the communicator. Before any collective call, point-to-point
/// messages check that each rank has this library (Trident_AllRanksPresent.hpp). Collective over
/// `comm`. Throws Trident::Error on every rank, with the remedy, if a rank lacks this library, if a
/// value is bad, or if values differ between ranks. Later calls on `comm` then throw, too.
const DropInSettings& agreedSettings(MPI_Comm comm);

/// Returns a copy of a product's list, with the environment's parameters that the list lacks.
/// Returns the caller's own list if the environment gives no parameters.
Teuchos::RCP<Teuchos::ParameterList> withParameters(
    const DropInSettings& settings, const Teuchos::RCP<Teuchos::ParameterList>& callers);

/// Returns a sentence on each parameter of Trident's that has no effect, because it stands beside
/// the sublist "Trident" of a product's list, not in the sublist.
std::vector<std::string> warningsOf(const Teuchos::RCP<Teuchos::ParameterList>& callers);

}  // namespace Trident::Impl

#endif
