// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERS_HPP
#define TRIDENT_PARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

namespace Trident {

/// Returns Trident's parameters with defaults, documentation and validators; doc/parameters.md is
/// made from it. They are set in the sublist "Trident" of the list that Multiply takes. That list
/// may have parameters of other packages, which Trident neither validates nor changes. Parameters
/// that few need are in a sublist "expert" of that sublist. In this version they are also taken
/// from beside it, where they were before, and the product's report says so.
Teuchos::RCP<const Teuchos::ParameterList> getValidParameters();

}  // namespace Trident

#endif
