// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANSTORE_HPP
#define TRIDENT_PLANSTORE_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Vector.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "Trident_Jacobi_decl.hpp"
#include "Trident_MultiplyRAP_decl.hpp"
#include "Trident_Multiply_decl.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "dropin/Trident_PlanStoreShelves.hpp"
#include "product/Trident_StoredProduct_decl.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_StrangeImporter.hpp"
#include "tpetra/Trident_StructureWords.hpp"

namespace Trident::Impl {

/// Automatic plans: products as by Trident::Multiply(), Jacobi() and MultiplyRAP(), with the
/// same arguments, conditions and errors, that make plans and use them unasked. A product whose
/// operands have the structure and the Maps of an earlier one on the same communicator, with the
/// same parameters and transposes, reuses its plan, whatever the objects are; C may be new, or have
/// the structure of the earlier C. Where one rank has something else, all ranks form the product
/// anew.
///
/// A structure gets its plan with its first product, so that the second is fast. It gets it with
/// its second product once a plan had to go for another, so that structures that never come again
/// drive out none that do; and on a communicator that is new after one has ended with a plan that
/// nobody had used, as those of repartitioned levels do, which each setup makes anew.
///
/// Where nobody asked for plans (PlanLimit::unasked), all this is so for a C with a pattern alone,
/// and a new C gets the product without a plan. A plan then ends once the graphs of the Cs that it
/// has served are gone on every rank, with the next product on its communicator.
///
/// Each product makes one reduction more than without a store, and reads the columns of its
/// operands once. One that makes a plan makes another reduction, and so does the column Map of a
/// new C on several ranks. What cannot be planned (a filter, another semiring) is formed without a
/// plan; so is a product whose plan fails, as for lack of memory, and the plan goes.
///
/// Plans hold no matrix, Map or communicator of the caller's. On hosts they share with the first C,
/// and with those that they make, the arrays of its rows. All of C must be fill-complete in the
/// end: there is no call without fillComplete().
///
/// Stores of different types share one PlanShelves, and its limit. Calls are collective over A's
/// communicator. For one thread at a time, as all of Trident.
template <class SC, class LO, class GO, class NO>
class PlanStore {
 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;         ///< Tpetra's vector
  using ListPtr = Teuchos::RCP<Teuchos::ParameterList>;       ///< Teuchos' list

  /// @param shelves outlives this
  explicit PlanStore(PlanShelves& shelves) : shelves_(shelves) {}

  /// C = op(A)·op(B), as Trident::Multiply() of eight arguments.
  Report multiply(const crs_matrix_type& A, bool transposeA, const crs_matrix_type& B,
                  bool transposeB, crs_matrix_type& C, const ListPtr& params = Teuchos::null,
                  const std::string& label = std::string()) {
    const auto cleanList = [&] {  // as Multiply() does
      if (!transposeA)
        removeStrangeImporter(A, transposeB ? *B.getDomainMap() : *B.getRowMap(), params);
    };
    return form(
        {"Trident::Multiply",
         {{A, "A", transposeA}, {B, "B", transposeB}},
         &C,
         "C",
         ResultPattern::Any,
         label,
         "Multiply",
         params,
         cleanList},
        [&] { return Trident::Multiply(A, transposeA, B, transposeB, C, true, label, params); });
  }

  /// C = B - ω D⁻¹ A B, as Trident::Jacobi().
  Report jacobi(SC omega, const vector_type& Dinv, const crs_matrix_type& A,
                const crs_matrix_type& B, crs_matrix_type& C, const ListPtr& params = Teuchos::null,
                const std::string& label = std::string()) {
    return form({"Trident::Jacobi",
                 {{A, "A", omega, Dinv}, {B, "B"}},
                 &C,
                 "C",
                 ResultPattern::Active,
                 label,
                 "Jacobi",
                 params,
                 {}},
                [&] { return Trident::Jacobi(omega, Dinv, A, B, C, true, label, params); });
  }

  /// Ac = op(R)·op(A)·op(P), as Trident::MultiplyRAP().
  Report multiplyRAP(const crs_matrix_type& R, bool transposeR, const crs_matrix_type& A,
                     bool transposeA, const crs_matrix_type& P, bool transposeP,
                     crs_matrix_type& Ac, const ListPtr& params = Teuchos::null,
                     const std::string& label = std::string()) {
    return form({"Trident::MultiplyRAP",
                 {{R, "R", transposeR}, {A, "A", transposeA}, {P, "P", transposeP}},
                 &Ac,
                 "Ac",
                 ResultPattern::Active,
                 label,
                 "MultiplyRAP",
                 params,
                 {}},
                [&] {
                  return Trident::MultiplyRAP(R, transposeR, A, transposeA, P, transposeP, Ac, true,
                                              label, params);
                });
  }

 private:
  using Call = StoredCall<SC, LO, GO, NO>;
  using Stored = StoredProduct<SC, LO, GO, NO>;
  using Kind = ShelfAnswer::Kind;

  /// @param plain forms the product without a plan
  Report form(const Call& call, const std::function<Report()>& plain) {
    const ThreadInside inside;
    const MPI_Comm comm = inNameOf(call.function, [&] {
      requireMpi();
      return rawComm(*call.operands[0].matrix->getComm());
    });
    PlanShelf* const shelf = shelves_.of(comm);
    double timeoutSeconds = 0;
    ShelfQuery query = queryOf(call, shelf, timeoutSeconds);
    const ShelfAnswer answer = find(comm, shelf, query, timeoutSeconds);
    if (answer.kind == Kind::Strange) return countPlain(plain);
    const bool plans = answer.kind == Kind::Noted || (answer.kind == Kind::Unknown && answer.eager);
    Report report;
    if (answer.kind == Kind::Planned && formByPlan(call, *shelf, answer.at, report)) return report;
    if (plans && formAndStore(call, query, *shelf, answer, report)) return report;
    report = countPlain(plain);
    if (answer.kind == Kind::Unknown && !answer.eager)
      shelves_.note(*shelf, std::move(query.product));
    return report;
  }

  Report countPlain(const std::function<Report()>& plain) {
    const Report report = plain();
    shelves_.count(&PlanCounts::plain);
    return report;
  }

  /// What this rank asks for, with room on the shelf for what may come of it; not valid where it
  /// lacks memory, or has anything that the product itself may complain about, or that no plan is
  /// for. Local.
  ShelfQuery queryOf(const Call& call, PlanShelf* shelf, double& timeoutSeconds) const {
    ShelfQuery query;
    LocalFailure failure;
    failure.guard([&] {
      if (ThreadInside::refused() || !shelf) return;
      if (shelves_.limit().unasked && isNew(*call.C)) return;
      shelf->entries.reserve(shelf->entries.size() + 1);
      CommonValues values;
      const Options options = readParameters(call.params, &values);
      timeoutSeconds = options.timeoutSeconds;
      if (options.rounds.filters() || options.rounds.semiring != SemiringKind::PlusTimes) return;
      if (!problemOfInput(call.operands, *call.C, call.name, call.allowed).empty()) return;
      StructureWords<crs_matrix_type> words;
      words.add(std::string(typeid(crs_matrix_type).name()));
      words.add(std::string(call.function));
      for (const auto& value : values) words.add(value.text);
      for (const auto& operand : call.operands) {
        words.add(static_cast<std::uint64_t>(operand.form));
        words.add(*operand.matrix);
        if (operand.inverseDiagonal) words.add(*operand.inverseDiagonal->getMap());
      }
      words.add(*call.C->getRowMap());
      query.product = words.take();
      query.newResult = isNew(*call.C);
      if (!query.newResult) words.add(*call.C);
      query.result = words.take();
      query.valid = true;
    });
    return query;
  }

  /// Collective.
  ShelfAnswer find(MPI_Comm comm, PlanShelf* shelf, const ShelfQuery& query,
                   double timeoutSeconds) const {
    const TimeoutScope timeout(timeoutSeconds, false);
    return shelves_.find(comm, shelf, query, [&](std::size_t at) {
      return !query.newResult || planAt(*shelf, at).makesResults();
    });
  }

  /// Forms the product by the plan of entry `at`. Where that fails the plan goes, and false is
  /// returned, on every rank. Collective.
  bool formByPlan(const Call& call, PlanShelf& shelf, std::size_t at, Report& report) {
    try {
      report = planAt(shelf, at).form(call);
    } catch (const std::exception&) {
      if (!whyAbandoned().empty()) throw;  // this rank may be alone with it
      shelves_.drop(shelf, at);
      return false;
    }
    shelves_.touch(shelf, at, graphOf(call));
    shelves_.count(&PlanCounts::reused);
    return true;
  }

  /// Forms the product and keeps its plan. Returns false on every rank where that fails.
  /// Collective.
  bool formAndStore(const Call& call, ShelfQuery& query, PlanShelf& shelf,
                    const ShelfAnswer& answer, Report& report) {
    std::shared_ptr<Stored> stored;
    try {
      stored = storeProduct(call);
    } catch (const std::exception&) {
      if (!whyAbandoned().empty()) throw;
      return false;
    }
    report = stored->report();
    shelves_.count(&PlanCounts::made);
    if (answer.kind == Kind::Noted) shelves_.drop(shelf, answer.at);
    ShelfEntry entry{std::move(query.product), stored->takeResult(), stored, stored->bytes(), {}};
    const WeakGraph graph = graphOf(call);
    if (!graph.is_null()) entry.served.push_back(graph);
    shelves_.keep(shelf, std::move(entry));
    return true;
  }

  /// With what a plan ends: C's graph where nobody asked for it; else null. Weak, so it holds
  /// nothing of the caller's.
  WeakGraph graphOf(const Call& call) const {
    if (!shelves_.limit().unasked) return Teuchos::null;
    return WeakGraph(call.C->getCrsGraph().create_weak());
  }

  const Stored& planAt(const PlanShelf& shelf, std::size_t at) const {
    return *static_cast<const Stored*>(shelf.entries[at].plan.get());
  }

  PlanShelves& shelves_;
};

}  // namespace Trident::Impl

#endif
