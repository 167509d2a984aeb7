// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINFUNCTIONS_HPP
#define TRIDENT_DROPINFUNCTIONS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <string>
#include <type_traits>

#include "dropin/Trident_CompareResults.hpp"
#include "dropin/Trident_DropInCall.hpp"
#include "dropin/Trident_PlanCache.hpp"
#include "dropin/Trident_StoredZeros.hpp"
#include "product/Trident_ProductCall.hpp"

namespace Trident::Impl {

/// The functions that replace Tpetra's, for one set of types. The first argument of a function is
/// Tpetra's own function. The other arguments are those of Tpetra's function.
template <class SC, class LO, class GO, class NO>
class DropInFunctions {
  using Params = Teuchos::RCP<Teuchos::ParameterList>;

 public:
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Scalar = SC;
  using Vector = Tpetra::Vector<SC, LO, GO, NO>;
  using MultiplyFunction = void(const Matrix&, bool, const Matrix&, bool, Matrix&, bool,
                                const std::string&, const Params&);
  using JacobiFunction = void(SC, const Vector&, const Matrix&, const Matrix&, Matrix&, bool,
                              const std::string&, const Params&);
  using MultiplyRAPFunction = void(const Matrix&, bool, const Matrix&, bool, const Matrix&, bool,
                                   Matrix&, bool, const std::string&, const Params&);

  static void multiply(MultiplyFunction* own, const Matrix& A, bool transposeA, const Matrix& B,
                       bool transposeB, Matrix& C, bool complete, const std::string& label,
                       const Params& params) {
    form(
        "Multiply", flags(transposeA, transposeB), A, C, complete, label, params,
        [&](Matrix& result, const Params& list) {
          own(A, transposeA, B, transposeB, result, complete, label, list);
        },
        [&](const auto& list) {
          return multiplyCall(A, transposeA, B, transposeB, C, complete, label, list);
        });
  }

  static void jacobi(JacobiFunction* own, SC omega, const Vector& Dinv, const Matrix& A,
                     const Matrix& B, Matrix& C, bool complete, const std::string& label,
                     const Params& params) {
    form(
        "Jacobi", flags(), A, C, complete, label, params,
        [&](Matrix& result, const Params& list) {
          own(omega, Dinv, A, B, result, complete, label, list);
        },
        [&](const auto& list) {
          requireNoZerosByThemselves(A, B, C);
          return jacobiCall(omega, Dinv, A, B, C, complete, label, list);
        });
  }

  static void multiplyRAP(MultiplyRAPFunction* own, const Matrix& R, bool transposeR,
                          const Matrix& A, bool transposeA, const Matrix& P, bool transposeP,
                          Matrix& Ac, bool complete, const std::string& label,
                          const Params& params) {
    form(
        "MultiplyRAP", flags(transposeR, transposeA, transposeP), A, Ac, complete, label, params,
        [&](Matrix& result, const Params& list) {
          own(R, transposeR, A, transposeA, P, transposeP, result, complete, label, list);
        },
        [&](const auto& list) {
          return multiplyRAPCall(R, transposeR, A, transposeA, P, transposeP, Ac, complete, label,
                                 list);
        });
  }

 private:
  /// Returns flags as text, such as "0 1".
  template <class... Flags>
  static std::string flags(Flags... each) {
    std::string text;
    ((text += each ? "1 " : "0 "), ...);
    return text;
  }

  /// Forms the result of a call by formDropInCall().
  /// @param transposed flags as text
  /// @param A a matrix of the call, for its communicator
  /// @param C the result
  /// @param byTpetra function that forms a result by Tpetra's own function
  /// @param callOf function that makes Trident's call with a list. It is generic, so that it is not
  ///   compiled for scalars that Trident does not have
  template <class ByTpetra, class CallOf>
  static void form(const char* function, const std::string& transposed, const Matrix& A, Matrix& C,
                   bool complete, const std::string& label, const Params& params,
                   const ByTpetra& byTpetra, const CallOf& callOf) {
    DropInCall call(function, label, params);
    call.transposed = transposed;
    call.complete = complete;
    call.comm = rawComm(*A.getComm());
    call.rows = static_cast<long long>(C.getRowMap()->getGlobalNumElements());
    call.byTpetra = [&] { byTpetra(C, params); };
    if constexpr (std::is_integral<SC>::value) {
      call.whyTpetra = "Trident is not compiled for scalars of this type";
    } else {
      call.byTrident = [&](const Params& list, PlanCache* plans) {
        const auto product = passingZeros(callOf(list));
        return plans ? plans->form(product) : formProduct(product);
      };
      if (complete && isNew(C))
        call.compare = [&](double& seconds, double& largest, LocalFailure& failure) {
          return compare(C, params, byTpetra, seconds, largest, failure);
        };
    }
    formDropInCall(call);
  }

  /// Forms the result by Tpetra in another matrix, as DropInCall::compare says. Tpetra gets a copy
  /// of the list, because Tpetra writes into its list.
  template <class ByTpetra>
  static double compare(const Matrix& C, const Params& params, const ByTpetra& byTpetra,
                        double& seconds, double& largest, LocalFailure& failure) {
    const Params list =
        params.is_null() ? params : Teuchos::rcp(new Teuchos::ParameterList(*params));
    Matrix other(C.getRowMap(), 0);
    const double start = steadySeconds();
    byTpetra(other, list);
    seconds = steadySeconds() - start;
    double difference = 0;
    failure.guard([&] { difference = largestDifference(C, other, largest); });
    return difference;
  }
};

}  // namespace Trident::Impl

#endif
