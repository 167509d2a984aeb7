// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_READPARAMETERS_HPP
#define TRIDENT_READPARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#include "Trident_Parameters.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Options.hpp"

namespace Trident::Impl {

/// The sublist of parameters that few need.
constexpr const char* expertName = "expert";

/// Tpetra's parameter (of Trilinos 17.1) that asks for no error where a product has entries that
/// the pattern of C lacks. It stands beside the sublist "Trident", as products of Tpetra read it.
constexpr const char* throwsOutsideName = "MM Throw For Non-Existent Entries";

/// Returns true if that parameter, a bool, is false in a list (which may be null): then such
/// entries are dropped. Local.
bool dropsOutside(const Teuchos::RCP<Teuchos::ParameterList>& params);

/// Throws Teuchos' exception of a parameter that stands beside the sublist "Trident".
[[noreturn]] void failBeside(const std::string& name);

/// Throws if a caller's list has something for Trident that would not be read: a sublist of another
/// name that begins with "Trident", or beside the sublist, also in a sublist "expert", a parameter
/// that only Trident has; or if a parameter that is read beside it has another type. Local.
void requireReadable(const Teuchos::ParameterList& params);

/// Plain options of one call.
struct Options {
  GridOptions grid;           ///< options of the grid and its cuts
  RoundOptions rounds;        ///< options of the rounds
  double timeoutSeconds = 0;  ///< bound of one wait for other ranks; 0: none
  bool dropsOutside = false;  ///< true: entries that C's pattern lacks are dropped; false: an error
  bool rereadsStructures = false;  ///< true: plans read structures that cannot have changed, too
};

/// Reads the sublist "Trident" of `params` (which may be null). Local. Throws Teuchos' validation
/// exceptions (Teuchos::Exceptions::InvalidParameter and its kin) for an unknown name, a wrong type
/// or a value out of range. It also throws them for a parameter at another place than its own, and
/// as requireReadable(). Ranks that were given equal lists throw alike.
/// @param values where given, gets the values that ranks must pass alike: all parameters
Options readParameters(const Teuchos::RCP<Teuchos::ParameterList>& params,
                       CollectiveArguments* values = nullptr);

/// Reads a list of those parameters that a product on a grid may have of its own (its semiring,
/// what of it is kept, and in how much memory) into `rounds`; others stay. Local; throws as
/// readParameters().
/// @param values gets the values that ranks must pass alike
void readProductOptions(const Teuchos::ParameterList& list, RoundOptions& rounds,
                        CollectiveArguments& values);

}  // namespace Trident::Impl

#endif
