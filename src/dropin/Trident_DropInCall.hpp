// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINCALL_HPP
#define TRIDENT_DROPINCALL_HPP

#include <mpi.h>

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <functional>
#include <string>

#include "Trident_Report.hpp"

namespace Trident::Impl {

class LocalFailure;
class PlanCache;

/// A call of one of Tpetra's functions, without its types.
struct DropInCall {
  using Parameters = Teuchos::RCP<Teuchos::ParameterList>;

  DropInCall(const char* name, const std::string& callers, const Parameters& list)
      : function(name), label(callers), params(list) {}

  const char* function;           ///< Tpetra's: "Multiply", "Jacobi", "MultiplyRAP"
  const std::string& label;       ///< the caller's
  const Parameters& params;       ///< the caller's, null or not
  MPI_Comm comm = MPI_COMM_SELF;  ///< communicator of the operands
  std::string transposed;         ///< the transpose flags, as text
  bool complete = true;           ///< true if the result is to be fill-complete
  long long rows = 0;             ///< rows of the result
  /// Reason why Trident does not take the call by its types or arguments, alike on all ranks; or
  /// "".
  std::string notTridents;
  /// Forms the result by Trident.
  /// @param plans for a result that is to be fill-complete; null: without plans
  std::function<Report(const Parameters& params, PlanCache* plans)> byTrident;
  std::function<void()> byTpetra;  ///< a product by Tpetra's own function
  /// Forms the result into a second matrix by Tpetra, and returns the largest difference of two
  /// entries on this rank. None for a result that has a pattern, or is to stay open; alike on all
  /// ranks where Trident forms it.
  /// @param seconds gets those of Tpetra's function
  /// @param largest gets the largest magnitude of an entry of Tpetra's on this rank
  /// @param failure gets this rank's failure to compare
  std::function<double(double& seconds, double& largest, LocalFailure& failure)> compare;
};

/// Forms the result of a call of Tpetra's function: by Trident, or by Tpetra if Trident refuses. If
/// Trident refuses a product, or has no memory for it, it throws Trident::Error on every rank and
/// leaves C as it was. So all ranks go to Tpetra together. Collective over the call's communicator;
/// throws Tpetra's exceptions, and Trident::Error where the environment is bad (agreedSettings()),
/// a wait was given up ("timeout"), or parameters of Trident's are bad on a rank.
void formDropInCall(const DropInCall& call);

}  // namespace Trident::Impl

#endif
