// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_DEF_HPP
#define TRIDENT_MULTIPLYPLAN_DEF_HPP

#include <memory>
#include <optional>
#include <string>

#include "Trident_CheckInput.hpp"
#include "Trident_GridMultiply_def.hpp"
#include "Trident_MultiplyPlan_decl.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Product.hpp"
#include "Trident_SameStructure.hpp"

namespace Trident {
namespace Impl {

template <class SC, class LO, class GO, class NO>
struct PlannedProduct {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using graph_type = typename crs_matrix_type::crs_graph_type;

  Options options;
  Report report;
  Teuchos::RCP<const graph_type> A, B, C;
  ProductStructure<SC, LO, GO, NO> structure;

  PlannedProduct(const crs_matrix_type& a, const crs_matrix_type& b, crs_matrix_type& c,
                 const Teuchos::RCP<Teuchos::ParameterList>& params)
      : options(readParameters(params)) {
    checkInput(a, b, c, ResultPattern::New);
    report = Product<SC, LO, GO, NO>(a, b, c, options, params).run(&structure);
    A = a.getCrsGraph();
    B = b.getCrsGraph();
    C = c.getCrsGraph();
  }
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
MultiplyPlan<SC, LO, GO, NO>::MultiplyPlan(const crs_matrix_type& A, const crs_matrix_type& B,
                                           crs_matrix_type& C,
                                           const Teuchos::RCP<Teuchos::ParameterList>& params)
    : plan_(std::make_shared<Impl::PlannedProduct<SC, LO, GO, NO>>(A, B, C, params)) {}

template <class SC, class LO, class GO, class NO>
const Report& MultiplyPlan<SC, LO, GO, NO>::report() const {
  return plan_->report;
}

template <class SC, class LO, class GO, class NO>
Report MultiplyPlan<SC, LO, GO, NO>::multiply(const crs_matrix_type& A, const crs_matrix_type& B,
                                              crs_matrix_type& C) const {
  const std::string function = "Trident::MultiplyPlan::multiply";
  const auto& known = plan_->structure;
  Report report;
  report.grid = known.product.grid().shape();
  report.partition = plan_->report.partition;
  const double start = steadySeconds();
  {
    const PhaseScope scope(report.seconds, Phase::Setup);
    requireStructure(A, *plan_->A, function, "A");
    requireStructure(B, *plan_->B, function, "B");
    requireStructure(C, *plan_->C, function, "C");
  }
  std::optional<PhaseScope> scope(std::in_place, report.seconds, Phase::Import);
  const auto a = known.importA->matrix(A, report.traffic.import);
  const auto b = &A == &B && known.importA == known.importB
                     ? a
                     : known.importB->matrix(B, report.traffic.import);
  scope.reset();
  RoundCounters counters;
  multiplyValues(a, b, known.product, plan_->options.rounds, &counters);
  Impl::noteRounds(report, counters, a, b, known.product);
  scope.emplace(report.seconds, Phase::Export);
  known.values.move(known.product.local().values, C.getLocalMatrixDevice().values,
                    report.traffic.export_);
  scope.reset();
  report.totalSeconds = steadySeconds() - start;
  return report;
}

}  // namespace Trident

#define TRIDENT_MULTIPLYPLAN_INSTANT(SC, LO, GO, NO) \
  template class Trident::MultiplyPlan<SC, LO, GO, NO>;

#endif
