// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTCALL_HPP
#define TRIDENT_PRODUCTCALL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_Operand.hpp"
#include "tpetra/Trident_StaleImporter.hpp"

namespace Trident::Impl {

/// A call of a public function that forms a product, plans one, or forms one by a plan.
template <class SC, class LO, class GO, class NO>
struct ProductCall {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;

  const char* function;                           ///< name, such as "Trident::Multiply"
  std::vector<Operand<SC, LO, GO, NO>> operands;  ///< two or more, multiplied from right to left
  crs_matrix_type* C;
  std::string name = {};  ///< name of C, for messages
  /// The caller's own pointer to its list, which must outlive the call. Null for a product by a
  /// plan. Not copied, because RCPs count copies without locks and other threads may run.
  const Teuchos::RCP<Teuchos::ParameterList>* params = nullptr;
  ResultPattern allowed = ResultPattern::New;  ///< allowed state of C; products by a plan ignore it
  std::string label = {};                  ///< the caller's text in the timer's name; may be empty
  std::function<void()> afterCommit = {};  ///< collective work after C is made; may be empty
  bool complete = true;                    ///< true if C becomes fill-complete; true for each plan
  CollectiveArguments collectiveArguments = {};  ///< further arguments, the same on all ranks

  std::vector<const crs_matrix_type*> factors() const {
    std::vector<const crs_matrix_type*> all;
    for (const auto& operand : operands) all.push_back(operand.matrix);
    return all;
  }
  /// Sets the name of C, and the caller's arguments that are not matrices. Allows any kind of C.
  void take(const char* nameOfC, bool completes, const std::string& callersLabel,
            const Teuchos::RCP<Teuchos::ParameterList>& list) {
    name = nameOfC;
    params = &list;
    allowed = ResultPattern::Any;
    label = callersLabel;
    complete = completes;
  }
};

/// Returns the call of Trident::Multiply() with these arguments, which must outlive the call.
template <class... T>
ProductCall<T...> multiplyCall(const Tpetra::CrsMatrix<T...>& A, bool transposeA,
                               const Tpetra::CrsMatrix<T...>& B, bool transposeB,
                               Tpetra::CrsMatrix<T...>& C, bool complete, const std::string& label,
                               const Teuchos::RCP<Teuchos::ParameterList>& params) {
  ProductCall<T...> call{"Trident::Multiply", {{A, "A", transposeA}, {B, "B", transposeB}}, &C};
  call.take("C", complete, label, params);
  call.collectiveArguments = {{"the signature of Multiply()", "that with transpose flags"}};
  if (!transposeA)  // the same on all ranks, as collective work requires
    call.afterCommit = [&A, &B, &params, transposeB] {
      removeStaleImporter(A, transposeB ? *B.getDomainMap() : *B.getRowMap(), params);
    };
  return call;
}

/// Returns the call of Trident::Jacobi() with these arguments, which must outlive the call.
template <class SC, class... T>
ProductCall<SC, T...> jacobiCall(SC omega, const Tpetra::Vector<SC, T...>& Dinv,
                                 const Tpetra::CrsMatrix<SC, T...>& A,
                                 const Tpetra::CrsMatrix<SC, T...>& B,
                                 Tpetra::CrsMatrix<SC, T...>& C, bool complete,
                                 const std::string& label,
                                 const Teuchos::RCP<Teuchos::ParameterList>& params) {
  ProductCall<SC, T...> call{"Trident::Jacobi", {{A, "A", omega, Dinv}, {B, "B"}}, &C};
  call.take("C", complete, label, params);
  return call;
}

/// Returns the call of Trident::MultiplyRAP() with these arguments, which must outlive the call.
template <class... T>
ProductCall<T...> multiplyRAPCall(const Tpetra::CrsMatrix<T...>& R, bool transposeR,
                                  const Tpetra::CrsMatrix<T...>& A, bool transposeA,
                                  const Tpetra::CrsMatrix<T...>& P, bool transposeP,
                                  Tpetra::CrsMatrix<T...>& Ac, bool complete,
                                  const std::string& label,
                                  const Teuchos::RCP<Teuchos::ParameterList>& params) {
  ProductCall<T...> call{"Trident::MultiplyRAP",
                         {{R, "R", transposeR}, {A, "A", transposeA}, {P, "P", transposeP}},
                         &Ac};
  call.take("Ac", complete, label, params);
  return call;
}

/// Forms the product of a call. Collective over the operands' communicator. Throws the errors of
/// the public function that was called. If it throws, C is as it was.
template <class SC, class LO, class GO, class NO>
Report formProduct(ProductCall<SC, LO, GO, NO> call);

/// Reads the options of a call, and checks by `agree` that all ranks make the same call. Collective
/// over `comm`. Throws Teuchos' validation exceptions if this rank's own parameters are bad,
/// Trident::Error if MPI does not run, and otherwise the exceptions of `agree`.
/// @param more further arguments that must be the same on all ranks
/// @param comm communicator of the ranks that agree
/// @param agree a function agree(problem, values) that throws Trident::Error on every rank if any
///   rank has a problem, or if values differ between ranks
template <class Agree>
Options agreedOptions(const char* function, const CollectiveArguments& more,
                      const Teuchos::RCP<Teuchos::ParameterList>& params, MPI_Comm comm,
                      const Agree& agree) {
  requireMpi();
  Options options;
  CollectiveArguments values;  // empty on one rank, which saves time
  std::string problem = SingleThreadGuard::problem();
  std::exception_ptr badParameters;
  if (problem.empty()) {
    try {
      const bool alone = isSingleRank(comm);
      options = readParameters(params, alone ? nullptr : &values);
      if (!alone) {
        values.insert(values.begin(), {"the function called", function});
        values.insert(values.end(), more.begin(), more.end());
      }
    } catch (const std::bad_alloc& error) {  // memory is short: badParameters stays empty
      problem = error.what();
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

/// Checks a call's input, which must be the same on every rank. Returns the call's options.
/// Collective over the first operand's communicator. Throws on every rank like agreedOptions().
template <class SC, class LO, class GO, class NO>
Options checkCall(const ProductCall<SC, LO, GO, NO>& call) {
  const MPI_Comm comm = rawComm(*call.operands[0].matrix->getComm());
  return agreedOptions(call.function, call.collectiveArguments, *call.params, comm,
                       [&](const std::string& problem, CollectiveArguments& values) {
                         checkInput(call.function, call.operands, *call.C, call.name, call.allowed,
                                    problem, values);
                       });
}

/// Throws on all ranks if the call has no product over `semiring`. Plus-times is always possible.
template <class SC, class LO, class GO, class NO>
void requireSemiring(const ProductCall<SC, LO, GO, NO>& call, SemiringKind semiring) {
  if (semiring == SemiringKind::PlusTimes) return;
  const std::string asked = std::string("\"semiring\" = \"") + nameOf(semiring) + "\"";
  for (const auto& operand : call.operands)
    if (operand.form == OperandForm::Jacobi)
      throw Error(call.function, "a Jacobi step is over plus-times alone; leave " + asked + " out");
  // The product's values are added into a pattern, so the semiring must be plus-times.
  if (!isNew(*call.C))
    throw Error(call.function, call.name + " already has a pattern, into which " + asked +
                                   " forms no product; pass a new CrsMatrix");
}

}  // namespace Trident::Impl

#endif
