// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKCALL_HPP
#define TRIDENT_CHECKCALL_HPP

#include <exception>
#include <string>
#include <vector>

#include "Trident_Parameters.hpp"
#include "base/Trident_MpiCheck.hpp"
#include "base/Trident_ThreadInside.hpp"
#include "base/Trident_Wait.hpp"
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
  const Patience patience(options.timeoutSeconds, false);
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

}  // namespace Trident::Impl

#endif
