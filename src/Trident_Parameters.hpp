// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERS_HPP
#define TRIDENT_PARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

namespace Trident {

/// Returns Trident's parameters with defaults, documentation and validators; doc/parameters.md is
/// made from them. A program sets them in the sublist "Trident" of the list that it gives to
/// Multiply(). Beside that sublist may stand other packages' parameters, which Trident neither
/// validates nor changes. Parameters that few programs need belong in a sublist "expert" of
/// "Trident", and only there.
Teuchos::RCP<const Teuchos::ParameterList> getValidParameters();

/// Throws the exceptions that a product would throw for these parameters: Teuchos' validation
/// exceptions (Teuchos::Exceptions::InvalidParameter and its kin), with the remedy. With this, a
/// program can check its parameters before it reads its matrices. Local; only products compare
/// parameters between ranks.
/// @param params the list that products get, with the sublist "Trident", or null; is not changed
void validateParameters(const Teuchos::RCP<Teuchos::ParameterList>& params);

}  // namespace Trident

#endif
