// SPDX-License-Identifier: BSD-3-Clause
// P'·A·P by Trident and by Tpetra, on the matrices of the other libraries and timed as these. (A·A
// is the driver's.) With --reuse the first product makes what the further ones use:
//
//   one-call   Trident::MultiplyRAP(P', A, P); MultiplyRAPPlan
//   two-calls  Trident::Multiply(A, P), then of P' and that, as MueLu asks for with an implicit
//              transpose; a MultiplyPlan for each
//   tpetra     the same two calls of Tpetra::MatrixMatrix; no reuse

#include <TpetraExt_MatrixMatrix.hpp>
#include <memory>
#include <stdexcept>

#include "Peers_Factors.hpp"
#include "TridentProblems_Rows.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"

namespace {

using Trident::Problems::matrix_type;
using MatrixPtr = Teuchos::RCP<matrix_type>;
template <template <class, class, class, class> class Plan>
using PlanPtr = std::unique_ptr<Plan<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                                     matrix_type::global_ordinal_type, matrix_type::node_type>>;

/// C, and what a known structure needs.
struct State {
  MatrixPtr C, AP;
  PlanPtr<Trident::MultiplyRAPPlan> plan;
  PlanPtr<Trident::MultiplyPlan> planOfAP, planOfC;
};

template <class PlanPtr, class... Arguments>
void make(PlanPtr& plan, Arguments&&... arguments) {
  plan = std::make_unique<typename PlanPtr::element_type>(arguments...);
}

Peers::Steps oneCall(const matrix_type& A, const matrix_type& P, bool plans, State& state) {
  Peers::Steps steps;
  steps.first = [&, plans] {
    state.C = Teuchos::rcp(new matrix_type(P.getDomainMap(), 0));
    if (plans)
      make(state.plan, P, true, A, false, P, false, *state.C);
    else
      Trident::MultiplyRAP(P, true, A, false, P, false, *state.C);
  };
  steps.again = [&] { state.plan->multiply(P, A, P, *state.C); };
  return steps;
}

Peers::Steps twoCalls(const matrix_type& A, const matrix_type& P, bool plans, State& state) {
  Peers::Steps steps;
  steps.first = [&, plans] {
    state.AP = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
    state.C = Teuchos::rcp(new matrix_type(P.getDomainMap(), 0));
    if (plans) {
      make(state.planOfAP, A, false, P, false, *state.AP);
      make(state.planOfC, P, true, *state.AP, false, *state.C);
    } else {
      Trident::Multiply(A, P, *state.AP);
      Trident::Multiply(P, true, *state.AP, false, *state.C);
      state.AP = Teuchos::null;
    }
  };
  steps.again = [&] {
    state.planOfAP->multiply(A, P, *state.AP);
    state.planOfC->multiply(P, *state.AP, *state.C);
  };
  return steps;
}

/// Makes the steps with the parameters of MueLu::RAPFactory for A·P, which is needed only here.
Peers::Steps twoCallsOfTpetra(const matrix_type& A, const matrix_type& P, State& state) {
  Peers::Steps steps;
  steps.first = [&] {
    const auto ofTemporary = Teuchos::parameterList();
    ofTemporary->set("compute global constants: temporaries", false);
    ofTemporary->set("compute global constants", false);
    matrix_type AP(A.getRowMap(), 0);
    Tpetra::MatrixMatrix::Multiply(A, false, P, false, AP, true, "", ofTemporary);
    state.C = Teuchos::rcp(new matrix_type(P.getDomainMap(), 0));
    Tpetra::MatrixMatrix::Multiply(P, true, AP, false, *state.C);
  };
  return steps;
}

void scale(matrix_type& matrix, double by) {
  const auto values = matrix.getLocalMatrixHost().values;
  for (std::size_t n = 0; n < values.extent(0); ++n) values(n) *= by;
}

Peers::Checksum checksum(const matrix_type& C) {
  Peers::Checksum sums;
  const Trident::Problems::RowReader read(C);
  for (std::size_t i = 0; i < read.numRows(); ++i)
    for (std::size_t e = read.begin(i); e < read.end(i); ++e)
      sums.add(read.rowGid(i), read.column(e), read.value(e));
  return sums;
}

Peers::Result measure(const Peers::CommandLine& line, const Peers::Factors& factors) {
  if (!line.galerkin) throw std::runtime_error("A·A is formed by the driver: say --galerkin");
  Peers::requireWay(line, {"one-call", "two-calls", "tpetra"});
  const bool plans = line.reuse > 0;
  State state;
  Peers::Steps steps = line.way == "tpetra"      ? twoCallsOfTpetra(*factors.A, *factors.P, state)
                       : line.way == "two-calls" ? twoCalls(*factors.A, *factors.P, plans, state)
                                                 : oneCall(*factors.A, *factors.P, plans, state);
  steps.drop = [&] { state = {}; };
  steps.scale = [&](double ofA, double ofP) {
    scale(*factors.A, ofA);
    scale(*factors.P, ofP);
  };
  Peers::Result result = Peers::timeProducts(line, steps);
  result.checksum = checksum(*state.C);
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::mainOfTpetra(argc, argv, "trident", measure); }
