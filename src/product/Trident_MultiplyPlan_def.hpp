// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_DEF_HPP
#define TRIDENT_MULTIPLYPLAN_DEF_HPP

#include <memory>
#include <string>
#include <vector>

#include "base/Trident_DefinedHere.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "product/Trident_MultiplyPlan_decl.hpp"
#include "product/Trident_Plan_def.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
MultiplyPlan<SC, LO, GO, NO>::MultiplyPlan(const crs_matrix_type& A, const crs_matrix_type& B,
                                           crs_matrix_type& C,
                                           const Teuchos::RCP<Teuchos::ParameterList>& params,
                                           const std::string& label)
    : MultiplyPlan(A, false, B, false, C, params, label) {}

template <class SC, class LO, class GO, class NO>
MultiplyPlan<SC, LO, GO, NO>::MultiplyPlan(const crs_matrix_type& A, bool transposeA,
                                           const crs_matrix_type& B, bool transposeB,
                                           crs_matrix_type& C,
                                           const Teuchos::RCP<Teuchos::ParameterList>& params,
                                           const std::string& label)
    : transposeA_(transposeA),
      transposeB_(transposeB),
      plan_(Impl::planFor<SC, LO, GO, NO>({"Trident::MultiplyPlan",
                                           {{A, "A", transposeA}, {B, "B", transposeB}},
                                           &C,
                                           "C",
                                           &params,
                                           Impl::ResultPattern::New,
                                           label})) {}

template <class SC, class LO, class GO, class NO>
Report MultiplyPlan<SC, LO, GO, NO>::multiply(const crs_matrix_type& A, const crs_matrix_type& B,
                                              crs_matrix_type& C) const {
  const char* const function = "Trident::MultiplyPlan::multiply";
  return Impl::formPlanned<SC, LO, GO, NO>(
      plan_, {function, {{A, "A", transposeA_}, {B, "B", transposeB_}}, &C, "C"});
}

template <class SC, class LO, class GO, class NO>
const Report& MultiplyPlan<SC, LO, GO, NO>::report() const {
  return Impl::reportOf(plan_, "Trident::MultiplyPlan::report");
}

}  // namespace Trident

#define TRIDENT_MULTIPLYPLAN_INSTANT(SC, LO, GO, NO) \
  template class Trident::MultiplyPlan<SC, LO, GO, NO>;

#endif
