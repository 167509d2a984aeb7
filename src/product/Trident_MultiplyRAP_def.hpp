// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_DEF_HPP
#define TRIDENT_MULTIPLYRAP_DEF_HPP

#include <memory>
#include <string>
#include <vector>

#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_MultiplyRAP_decl.hpp"
#include "product/Trident_Plan_def.hpp"
#include "product/Trident_Product.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> MultiplyRAP(const Tpetra::CrsMatrix<SC, LO, GO, NO>& R, bool transposeR,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& P, bool transposeP,
                                Tpetra::CrsMatrix<SC, LO, GO, NO>& Ac,
                                bool call_FillComplete_on_result, const std::string& label,
                                const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return Impl::formProduct(Impl::multiplyRAPCall(R, transposeR, A, transposeA, P, transposeP, Ac,
                                                 call_FillComplete_on_result, label, params));
}

template <class SC, class LO, class GO, class NO>
MultiplyRAPPlan<SC, LO, GO, NO>::MultiplyRAPPlan(const crs_matrix_type& R, bool transposeR,
                                                 const crs_matrix_type& A, bool transposeA,
                                                 const crs_matrix_type& P, bool transposeP,
                                                 crs_matrix_type& Ac,
                                                 const Teuchos::RCP<Teuchos::ParameterList>& params,
                                                 const std::string& label)
    : transposeR_(transposeR),
      transposeA_(transposeA),
      transposeP_(transposeP),
      plan_(Impl::planFor<SC, LO, GO, NO>(
          {"Trident::MultiplyRAPPlan",
           {{R, "R", transposeR}, {A, "A", transposeA}, {P, "P", transposeP}},
           &Ac,
           "Ac",
           &params,
           Impl::ResultPattern::New,
           label})) {}

template <class SC, class LO, class GO, class NO>
Report MultiplyRAPPlan<SC, LO, GO, NO>::multiply(const crs_matrix_type& R, const crs_matrix_type& A,
                                                 const crs_matrix_type& P,
                                                 crs_matrix_type& Ac) const {
  const char* const function = "Trident::MultiplyRAPPlan::multiply";
  return Impl::formPlanned<SC, LO, GO, NO>(
      plan_,
      {function, {{R, "R", transposeR_}, {A, "A", transposeA_}, {P, "P", transposeP_}}, &Ac, "Ac"});
}

template <class SC, class LO, class GO, class NO>
const Report& MultiplyRAPPlan<SC, LO, GO, NO>::report() const {
  return Impl::reportOf(plan_, "Trident::MultiplyRAPPlan::report");
}

}  // namespace Trident

#define TRIDENT_MULTIPLYRAP_INSTANT(SC, LO, GO, NO)                                             \
  template ::Trident::Report Trident::MultiplyRAP<SC, LO, GO, NO>(                              \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, \
      bool, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&, \
      bool, const std::string&, const Teuchos::RCP<Teuchos::ParameterList>&);                   \
  template class Trident::MultiplyRAPPlan<SC, LO, GO, NO>;

#endif
