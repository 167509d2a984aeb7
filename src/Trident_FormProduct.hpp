// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FORMPRODUCT_HPP
#define TRIDENT_FORMPRODUCT_HPP

#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Product.hpp"

namespace Trident {
namespace Impl {

/// The product of a public function: input checked, formed once, and its errors in that function's
/// name. Collective over the operands' communicator.
/// @param name of C, for messages
/// @param complete whether C is to be fill-complete
template <class SC, class LO, class GO, class NO>
Report formProduct(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                   Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                   ResultPattern allowed, bool complete,
                   const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return inNameOf(function, [&] {
    const Options options = readParameters(params);
    checkInput(function, operands, C, name, allowed);
    return Product<SC, LO, GO, NO>(operands, C, options, params, complete).run();
  });
}

}  // namespace Impl
}  // namespace Trident

#endif
