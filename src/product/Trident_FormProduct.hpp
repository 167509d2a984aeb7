// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FORMPRODUCT_HPP
#define TRIDENT_FORMPRODUCT_HPP

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_Product.hpp"
#include "tpetra/Trident_CheckInput.hpp"

namespace Trident::Impl {

/// The options of a call that all ranks make alike. Collective, by `agree`. Throws Teuchos'
/// validation exceptions where this rank's own parameters are bad, Trident::Error where MPI does
/// not run, and what `agree` throws else.
/// @param more that all ranks must pass alike, beside the parameters
/// @param comm whose ranks agree
/// @param agree throws Trident::Error on every rank where its first argument, what is wrong on a
///   rank, is not empty on all, or its second, what ranks must pass alike, differs
template <class Agree>
Options agreedOptions(const char* function, const CommonValues& more,
                      const Teuchos::RCP<Teuchos::ParameterList>& params, MPI_Comm comm,
                      const Agree& agree) {
  requireMpi();
  Options options;
  CommonValues values;  // none where there is nobody to compare them with: a small product feels it
  std::string problem = ThreadInside::problem();
  std::exception_ptr badParameters;
  if (problem.empty()) {
    try {
      const bool alone = isAlone(comm);
      options = readParameters(params, alone ? nullptr : &values);
      if (!alone) {
        values.insert(values.begin(), {"the function called", function});
        values.insert(values.end(), more.begin(), more.end());
      }
    } catch (const std::exception& error) {
      badParameters = std::current_exception();
      problem = error.what();
    }
  }
  const TimeoutScope timeout(options.timeoutSeconds, false);
  try {
    agree(problem, values);
  } catch (const Error&) {
    if (badParameters) std::rethrow_exception(badParameters);
    throw;
  }
  return options;
}

/// The options of a call whose input is good and the same on every rank. Collective over the first
/// operand's communicator. Throws on every rank otherwise, as agreedOptions().
/// @param name of C, for messages
/// @param more that all ranks must pass alike
template <class SC, class LO, class GO, class NO>
Options checkCall(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                  const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                  ResultPattern allowed, const CommonValues& more,
                  const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const MPI_Comm comm = rawComm(*operands[0].matrix->getComm());
  return agreedOptions(function, more, params, comm,
                       [&](const std::string& problem, CommonValues& values) {
                         checkInput(function, operands, C, name, allowed, problem, values);
                       });
}

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
    const TimeoutScope timeout(options.timeoutSeconds);
    requireSemiring(function, operands, C, name, options.rounds.semiring);
    const Report report = Product<SC, LO, GO, NO>(operands, C, options, params, complete).run();
    if (then) then();
    return report;
  });
}

}  // namespace Trident::Impl

#endif
