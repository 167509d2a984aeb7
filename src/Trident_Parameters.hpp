// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERS_HPP
#define TRIDENT_PARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

namespace Trident {

/// Returns Trident's parameters with defaults, documentation and validators; doc/parameters.md is
/// made from it. They are set in the sublist "Trident" of the list that Multiply takes. That list
/// may have parameters of other packages, which Trident neither validates nor changes. Parameters
/// that few need are in a sublist "expert" of that sublist. Each has its one place.
Teuchos::RCP<const Teuchos::ParameterList> getValidParameters();

/// Throws the exceptions that a product would throw for these parameters: Teuchos'
/// (Teuchos::Exceptions::InvalidParameter and its kin), with the remedy. So a program hears of a
/// wrong parameter before it reads its matrices. Local; only products compare the ranks'
/// parameters.
/// @param params as products take them, with the sublist "Trident"; may be null, and stays as it is
void validateParameters(const Teuchos::RCP<Teuchos::ParameterList>& params);

}  // namespace Trident

#endif
