// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DEF_HPP
#define TRIDENT_MULTIPLY_DEF_HPP

#include <functional>
#include <string>
#include <vector>

#include "Trident_Multiply_decl.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_FormProduct.hpp"
#include "product/Trident_LabelTimer.hpp"
#include "rounds/Trident_GridMultiply_def.hpp"
#include "tpetra/Trident_RowImporter.hpp"

namespace Trident {
namespace Impl {

/// C = op(A)·op(B), and C fill-complete or not.
/// @param signature which Multiply() this is: the longer does more, in which all ranks take part
/// @param then that: what is done once the product is there
template <class SC, class LO, class GO, class NO>
Report multiplyTwo(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                   const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                   Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool complete, const std::string& label,
                   const Teuchos::RCP<Teuchos::ParameterList>& params, const char* signature,
                   const std::function<void()>& then = {}) {
  const LabelTimer timed(label, "Multiply");
  const std::vector<Operand<SC, LO, GO, NO>> operands{{A, "A", transposeA}, {B, "B", transposeB}};
  return formProduct("Trident::Multiply", operands, C, "C", ResultPattern::Any, complete, params,
                     {{"the signature of Multiply()", signature}}, then);
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Impl::ThreadInside inside;
  return Impl::multiplyTwo(A, false, B, false, C, true, std::string(), params, "the short one");
}

template <class SC, class LO, class GO, class NO>
Report Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                const std::string& label, const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const Impl::ThreadInside inside;
  const auto cleanList = [&] {
    if (!transposeA)
      Impl::removeStrangeImporter(A, transposeB ? *B.getDomainMap() : *B.getRowMap(), params);
  };
  return Impl::multiplyTwo(A, transposeA, B, transposeB, C, call_FillComplete_on_result, label,
                           params, "that with transpose flags", cleanList);
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
