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

/// A call of one of Tpetra's functions. It hides the types of the matrices.
struct DropInCall {
  using Parameters = Teuchos::RCP<Teuchos::ParameterList>;

  DropInCall(const char* name, const std::string& callers, const Parameters& list)
      : function(name), label(callers), params(list) {}

  const char* function;      ///< name of Tpetra's function: "Multiply", "Jacobi", "MultiplyRAP"
  const std::string& label;  ///< argument `label` of Tpetra's function
  const Parameters& params;  ///< the caller's list, or null
  MPI_Comm comm = MPI_COMM_SELF;  ///< communicator of the operands
  std::string transposed;         ///< the transpose flags, as text
  bool complete = true;           ///< true if the result becomes fill-complete
  long long rows = 0;             ///< number of rows of the result
  /// Reason why Trident refuses these types; empty if Trident accepts them. Equal on all ranks.
  std::string whyTpetra;
  /// Forms the result by Trident.
  /// @param plans usable plans; null if there are none, or if `complete` is false
  std::function<Report(const Parameters& params, PlanCache* plans)> byTrident;
  std::function<void()> byTpetra;  ///< call of Tpetra's own function
  /// Forms the result once more by Tpetra, in another matrix. Returns the largest difference of an
  /// entry from Tpetra's, on this rank. This function is empty if the result has a pattern, or
  /// `complete` is false. If Trident forms the result, the function is empty on all ranks or on
  /// none.
  /// @param seconds gets the seconds of Tpetra's function
  /// @param largest gets the largest magnitude of an entry of Tpetra's result on this rank
  /// @param failure gets this rank's failure to compare
  std::function<double(double& seconds, double& largest, LocalFailure& failure)> compare;
};

/// Forms the result of a call of Tpetra's function by Trident, or by Tpetra if Trident refuses. If
/// Trident refuses a product, as for lack of memory, all ranks refuse it, and C stays as it was. So
/// all ranks turn to Tpetra together. Collective over the call's communicator. Throws Tpetra's
/// exceptions. Throws Trident::Error if the environment is bad (agreedSettings()), if a wait was
/// given up ("timeout"), or if Trident's parameters are bad on a rank.
void formDropInCall(const DropInCall& call);

}  // namespace Trident::Impl

#endif
