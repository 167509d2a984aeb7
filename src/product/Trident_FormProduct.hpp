// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FORMPRODUCT_HPP
#define TRIDENT_FORMPRODUCT_HPP

#include <functional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_CheckCall.hpp"
#include "product/Trident_Product.hpp"

namespace Trident::Impl {

/// Throws where the product cannot be over another semiring than plus-times. Ranks throw alike.
/// @param name of C
template <class SC, class LO, class GO, class NO>
void requireSemiring(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                     const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                     SemiringKind semiring) {
  if (semiring == SemiringKind::PlusTimes) return;
  const std::string asked = std::string("\"semiring\" = \"") + nameOf(semiring) + "\"";
  for (const auto& operand : operands)
    if (operand.form == OperandForm::Jacobi)
      throw Error(function, "a Jacobi step is over plus-times alone; leave " + asked + " out");
  // Its values are added to C's, or to zeros.
  if (!isNew(C))
    throw Error(function, name + " already has a pattern, into which " + asked +
                              " forms no product; pass a new CrsMatrix");
}

/// The product of a public function: input checked, formed once, and its errors in that function's
/// name. Collective over the operands' communicator.
/// @param name of C, for messages
/// @param complete whether C is to be fill-complete
/// @param more that all ranks must pass alike
/// @param then what is done once the product is there, within the same bound on waits
template <class SC, class LO, class GO, class NO>
Report formProduct(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                   Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                   ResultPattern allowed, bool complete,
                   const Teuchos::RCP<Teuchos::ParameterList>& params, CommonValues more = {},
                   const std::function<void()>& then = {}) {
  return inNameOf(function, [&] {
    more.push_back({"call_FillComplete_on_result", complete ? "true" : "false"});
    const Options options = checkCall(function, operands, C, name, allowed, more, params);
    const Patience patience(options.timeoutSeconds);
    requireSemiring(function, operands, C, name, options.rounds.semiring);
    const Report report = Product<SC, LO, GO, NO>(operands, C, options, params, complete).run();
    if (then) then();
    return report;
  });
}

}  // namespace Trident::Impl

#endif
