// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <Teuchos_TimeMonitor.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <string>

#include "Trident_CheckInput.hpp"
#include "Trident_GridMultiply_def.hpp"
#include "Trident_Multiply_decl.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Product.hpp"

namespace Trident {
namespace Impl {

/// C = A·B, and C fill-complete or not.
template <class SC, class LO, class GO, class NO>
Report multiplyInto(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                    const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                    Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool complete,
                    const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Options options = readParameters(params);
  checkInput(A, B, C, ResultPattern::Any);
  return Product<SC, LO, GO, NO>(A, B, C, options, params, complete).run();
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return Impl::multiplyInto(A, B, C, true, params);
}

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  Teuchos::RCP<Teuchos::TimeMonitor> timed;
  if (!label.empty())
    timed = Teuchos::rcp(new Teuchos::TimeMonitor(
        *Teuchos::TimeMonitor::getNewCounter("Trident " + label + ": Multiply")));
  if (!A.isFillComplete() || !B.isFillComplete())  // a transpose needs them; says which
    throwEverywhere(rawComm(*A.getComm()), "Trident::Multiply",
                    Impl::problemOfInput(A, B, C, ResultPattern::Any));
  const auto op = [](const crs_matrix_type& M,
                     bool transpose) -> Teuchos::RCP<const crs_matrix_type> {
    if (!transpose) return Teuchos::rcpFromRef(M);
    return Tpetra::RowMatrixTransposer<SC, LO, GO, NO>(Teuchos::rcpFromRef(M)).createTranspose();
  };
  const auto opA = op(A, transposeA);
  // One transpose serves both, so that A'·A' imports one factor.
  const auto opB = &A == &B && transposeA == transposeB ? opA : op(B, transposeB);
  return Impl::multiplyInto(*opA, *opB, C, call_FillComplete_on_result, params);
}

}  // namespace Trident

#define TRIDENT_MULTIPLY_INSTANT(SC, LO, GO, NO)                                                \
  template ::Trident::Report Trident::Multiply<SC, LO, GO, NO>(                                 \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,       \
      Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Teuchos::RCP<Teuchos::ParameterList>&);         \
  template ::Trident::Report Trident::Multiply<SC, LO, GO, NO>(                                 \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, \
      bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const std::string&,                       \
      const Teuchos::RCP<Teuchos::ParameterList>&);

#endif
