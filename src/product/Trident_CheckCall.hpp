// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKCALL_HPP
#define TRIDENT_CHECKCALL_HPP

#include <exception>
#include <string>
#include <vector>

#include "Trident_CheckInput.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_ThreadInside.hpp"
#include "Trident_Wait.hpp"

namespace Trident {
namespace Impl {

/// The options of a call whose input is good and the same on every rank. Collective over the first
/// operand's communicator. Throws on every rank otherwise: Teuchos' validation exceptions where a
/// rank's own parameters are bad, Trident::Error on the others and for all else.
/// @param name of C, for messages
/// @param more that all ranks must pass alike
template <class SC, class LO, class GO, class NO>
Options checkCall(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                  const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                  ResultPattern allowed, const CommonValues& more,
                  const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Options options;
  CommonValues values;
  std::string problem = ThreadInside::problem();
  std::exception_ptr badParameters;
  if (problem.empty()) {
    try {
      options = readParameters(params, &values);
      values.insert(values.begin(), {"the function called", function});
      values.insert(values.end(), more.begin(), more.end());
    } catch (const std::exception& error) {
      badParameters = std::current_exception();
      problem = error.what();
    }
  }
  const Patience patience(options.timeoutSeconds, false);
  try {
    checkInput(function, operands, C, name, allowed, problem, values);
  } catch (const Error&) {
    if (badParameters) std::rethrow_exception(badParameters);
    throw;
  }
  return options;
}

}  // namespace Impl
}  // namespace Trident

#endif
