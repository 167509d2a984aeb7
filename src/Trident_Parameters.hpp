// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERS_HPP
#define TRIDENT_PARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

namespace Trident {

/// Returns Trident's parameters with defaults, documentation and validators. doc/parameters.md is
/// made from this list. A program sets parameters in the sublist "Trident" of the list that it
/// gives to Multiply(). Trident neither validates nor changes parameters of other packages beside
/// that sublist. Parameters that few programs need must be in the sublist "expert" of "Trident".
Teuchos::RCP<const Teuchos::ParameterList> getValidParameters();

/// Throws the exceptions that a product would throw for these parameters: Teuchos' validation
/// exceptions (Teuchos::Exceptions::InvalidParameter and its kin), which name the remedy. So a
/// program can check its parameters before it reads matrices. Local: only products compare
/// parameters between ranks.
/// @param params list that products get, with the sublist "Trident"; or null. Is not changed
void validateParameters(const Teuchos::RCP<Teuchos::ParameterList>& params);

}  // namespace Trident

#endif
