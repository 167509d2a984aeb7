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

/// The name of the sublist for parameters that few programs need.
constexpr const char* expertName = "expert";

/// The name of a bool parameter of Tpetra (Trilinos 17.1). If false, entries of a product that C's
/// pattern lacks are dropped. It stands beside the sublist "Trident", as Tpetra's products read it.
constexpr const char* throwsOutsideName = "MM Throw For Non-Existent Entries";

/// Returns true if `throwsOutsideName` is false in a list. The list may be null. Local.
bool dropsOutside(const Teuchos::RCP<Teuchos::ParameterList>& params);

/// Throws Teuchos' exception for a parameter that stands beside the sublist "Trident", not in it.
[[noreturn]] void failBeside(const std::string& name);

/// Throws if a part of a caller's list is meant for Trident but would not be read. This is a
/// sublist whose name is almost "Trident", or a parameter of Trident's outside of the sublist
/// "Trident". Also throws if a parameter that Trident reads beside the sublist has a wrong type.
/// Local.
void requireReadable(const Teuchos::ParameterList& params);

/// The options of one call, as plain values.
struct Options {
  GridOptions grid;           ///< options of the grid and its cuts
  RoundOptions rounds;        ///< options of the rounds
  double timeoutSeconds = 0;  ///< seconds of the longest wait for other ranks; 0 means no bound
  /// False: entries of a product that C's pattern lacks are an error; true: they are dropped.
  bool dropsOutside = false;
  bool rereadsStructures = false;  ///< true: plans reread even structures that cannot have changed
};

/// Reads the sublist "Trident" of `params` (which may be null). Local. Throws Teuchos' validation
/// exceptions (Teuchos::Exceptions::InvalidParameter and its kin) for an unknown name, a wrong
/// type, a value out of range, a parameter in a wrong place, and the faults that requireReadable()
/// finds. Ranks with equal lists throw the same.
/// @param values null, or gets the values of all parameters, which must be the same on all ranks
Options readParameters(const Teuchos::RCP<Teuchos::ParameterList>& params,
                       CollectiveArguments* values = nullptr);

/// Reads into `rounds` the parameters that one product on a grid may set: its semiring, its filters
/// and its memory bound. Local. Throws like readParameters(), and also for other parameters.
/// @param values gets the values that must be the same on all ranks
void readProductOptions(const Teuchos::ParameterList& list, RoundOptions& rounds,
                        CollectiveArguments& values);

}  // namespace Trident::Impl

#endif
