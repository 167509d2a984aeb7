// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <Teuchos_ParameterList.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_Multiply_decl.hpp"
#include "product/Trident_Product.hpp"
#include "tpetra/Trident_StaleImporter.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Impl::ProductCall<SC, LO, GO, NO> call{
      "Trident::Multiply", {{A, "A"}, {B, "B"}}, &C, "C", &params, Impl::ResultPattern::Any};
  call.alike = {{"the signature of Multiply()", "the short one"}};
  return Impl::formProduct(std::move(call));
}

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                             const std::string& label,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Impl::ProductCall<SC, LO, GO, NO> call{"Trident::Multiply",
                                         {{A, "A", transposeA}, {B, "B", transposeB}},
                                         &C,
                                         "C",
                                         &params,
                                         Impl::ResultPattern::Any,
                                         label,
                                         {},
                                         call_FillComplete_on_result};
  call.alike = {{"the signature of Multiply()", "that with transpose flags"}};
  if (!transposeA)  // all ranks take part in it, as this is the longer signature
    call.then = [&] {
      Impl::removeStaleImporter(A, transposeB ? *B.getDomainMap() : *B.getRowMap(), params);
    };
  return Impl::formProduct(std::move(call));
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
