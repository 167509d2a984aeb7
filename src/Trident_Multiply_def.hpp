// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <Teuchos_ParameterList.hpp>
#include <functional>
#include <string>
#include <vector>

#include "Trident_Multiply_decl.hpp"
#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_Product.hpp"
#include "rounds/Trident_GridMultiply_def.hpp"
#include "tpetra/Trident_StrangeImporter.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Impl::ThreadInside inside;
  return Impl::formProduct<SC, LO, GO, NO>("Trident::Multiply", {{A, "A"}, {B, "B"}}, C, "C",
                                           Impl::ResultPattern::Any, true, params,
                                           {{"the signature of Multiply()", "the short one"}});
}

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                             const std::string& label,
                             const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Impl::ThreadInside inside;
  const Impl::LabelTimer timed(label, "Multiply");
  const auto cleanList = [&] {  // all ranks take part in it, as this is the longer signature
    if (!transposeA)
      Impl::removeStrangeImporter(A, transposeB ? *B.getDomainMap() : *B.getRowMap(), params);
  };
  return Impl::formProduct<SC, LO, GO, NO>(
      "Trident::Multiply", {{A, "A", transposeA}, {B, "B", transposeB}}, C, "C",
      Impl::ResultPattern::Any, call_FillComplete_on_result, params,
      {{"the signature of Multiply()", "that with transpose flags"}}, cleanList);
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
