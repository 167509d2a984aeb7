// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_DEF_HPP
#define TRIDENT_JACOBI_DEF_HPP

#include <memory>
#include <string>
#include <vector>

#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_Jacobi_decl.hpp"
#include "product/Trident_Plan_def.hpp"
#include "product/Trident_Product.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Jacobi(SC omega, const Tpetra::Vector<SC, LO, GO, NO>& Dinv,
                           const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                           const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                           Tpetra::CrsMatrix<SC, LO, GO, NO>& C, bool call_FillComplete_on_result,
                           const std::string& label,
                           const Teuchos::RCP<Teuchos::ParameterList>& params) {
  return Impl::formProduct(
      Impl::jacobiCall(omega, Dinv, A, B, C, call_FillComplete_on_result, label, params));
}

template <class SC, class LO, class GO, class NO>
JacobiPlan<SC, LO, GO, NO>::JacobiPlan(SC omega, const vector_type& Dinv, const crs_matrix_type& A,
                                       const crs_matrix_type& B, crs_matrix_type& C,
                                       const Teuchos::RCP<Teuchos::ParameterList>& params,
                                       const std::string& label)
    : plan_(Impl::planFor<SC, LO, GO, NO>({"Trident::JacobiPlan",
                                           {{A, "A", omega, Dinv}, {B, "B"}},
                                           &C,
                                           "C",
                                           &params,
                                           Impl::ResultPattern::New,
                                           label})) {}

template <class SC, class LO, class GO, class NO>
Report JacobiPlan<SC, LO, GO, NO>::multiply(SC omega, const vector_type& Dinv,
                                            const crs_matrix_type& A, const crs_matrix_type& B,
                                            crs_matrix_type& C) const {
  const char* const function = "Trident::JacobiPlan::multiply";
  return Impl::formPlanned<SC, LO, GO, NO>(plan_,
                                           {function, {{A, "A", omega, Dinv}, {B, "B"}}, &C, "C"});
}

template <class SC, class LO, class GO, class NO>
const Report& JacobiPlan<SC, LO, GO, NO>::report() const {
  return Impl::reportOf(plan_, "Trident::JacobiPlan::report");
}

}  // namespace Trident

#define TRIDENT_JACOBI_INSTANT(SC, LO, GO, NO)                                             \
  template ::Trident::Report Trident::Jacobi<SC, LO, GO, NO>(                              \
      SC, const Tpetra::Vector<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&, \
      const Tpetra::CrsMatrix<SC, LO, GO, NO>&, Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,  \
      const std::string&, const Teuchos::RCP<Teuchos::ParameterList>&);                    \
  template class Trident::JacobiPlan<SC, LO, GO, NO>;

#endif
