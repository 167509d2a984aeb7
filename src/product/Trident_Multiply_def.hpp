// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <Teuchos_ParameterList.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_Multiply_decl.hpp"
#include "product/Trident_Product.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Impl::ProductCall<SC, LO, GO, NO> call{
      "Trident::Multiply", {{A, "A"}, {B, "B"}}, &C, "C", &params, Impl::ResultPattern::Any};
  call.collectiveArguments = {{"the signature of Multiply()", "the short one"}};
  return Impl::formProduct(std::move(call));
}

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                             const std::string& label,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return Impl::formProduct(Impl::multiplyCall(A, transposeA, B, transposeB, C,
                                              call_FillComplete_on_result, label, params));
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
