// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <Teuchos_RCP.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_NewResult.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_OneRankProduct.hpp"
#include "product/Trident_ProductExport.hpp"
#include "product/Trident_ProductPlacement.hpp"
#include "rounds/Trident_GridMultiply.hpp"
#include "rounds/Trident_LastStep.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_OpenResult.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// One product of operands, from Tpetra to the grid and back, once.
template <class SC, class LO, class GO, class NO>
class Product {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Factor = GridMatrix<Scalar, Device>;
  using Export = MatrixExport<Scalar, Device>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Structure = ResultStructure<SC, LO, GO, NO>;

  /// @param operands of which there are two or more; they are multiplied from right to left
  /// @param complete whether C is to be fill-complete
  Product(const Operands& operands, crs_matrix_type& C, const Options& options,
          const Teuchos::RCP<Teuchos::ParameterList>& params, bool complete = true)
      : operands_(operands), C_(C), options_(options), params_(params), complete_(complete) {}

  /// Forms it into C. Collective; throws Trident::Error on every rank.
  Report run() {
    const double start = steadySeconds();
    if (OneRankProduct<SC, LO, GO, NO>::suits(operands_, options_))
      runOnOneRank();
    else
      runOnGrid();
    endReport(start);
    return report_;
  }

  /// The same; returns what products of the same structure need, mostly at the price of a second C,
  /// which is kept. report() is what run() returns.
  /// @param structure null, or gets that of a new C, on hosts its very arrays
  ProductPlan<SC, LO, GO, NO> plan(Structure* structure = nullptr) {
    const double start = steadySeconds();
    structure_ = structure;
    ProductPlan<SC, LO, GO, NO> plan;
    place();
    FreshOperands<SC, LO, GO, NO> operands(*placement_, report_.traffic.import, &plan);
    takeOff(formOnGrid(operands), SliceOwner::SharedStructure,
            [&](const Export& outgoing) { plan.values = outgoing.values(failure_); });
    if (plan.values.inPlace())  // C has the values, and the plan needs none
      plan.products[0] = plan.products[0].withValues({});
    endReport(start);
    return plan;
  }

  const Report& report() const { return report_; }

 private:
  void endReport(double start) {
    noteMoved(report_.reasons, options_.movedNote);
    endReasons(report_);
    report_.totalSeconds = steadySeconds() - start;
  }

  void runOnOneRank() {
    CrsArrays<Scalar, Device> local;
    failure_.guard([&] {
      const auto product = OneRankProduct<SC, LO, GO, NO>(operands_, options_, report_).run();
      local = arraysOf(product);
    });
    const auto entries = static_cast<long long>(local.columns.extent(0));
    commit({local, {operands_.back().domainMap(), Teuchos::null}, entries});
  }

  void runOnGrid() {
    place();
    FreshOperands<SC, LO, GO, NO> operands(*placement_, report_.traffic.import);
    if constexpr (!isHost<Device>)
      if (columnsFirst()) return multiplyAndTakeOff(operands);
    takeOff(formOnGrid(operands), SliceOwner::Sole, [](const Export&) {});
  }

  /// Whether a device may find C's columns before it multiplies; where rounds are synchronized, the
  /// last barrier is before the export on all ranks.
  bool columnsFirst() const {
    return !placement_->rounds().filters() && !placement_->rounds().synchronize &&
           ProductExport<Scalar, Device>::suits(placement_->space(0), columns());
  }

  /// Where a rank puts its local product off, its rows leave as they are formed; elsewhere they
  /// leave when the factors are gone. What ranks do together is the same.
  void multiplyAndTakeOff(FreshOperands<SC, LO, GO, NO>& operands) {
    noteSemiring(report_, options_.rounds.semiring);
    LastFactors<Factor> factors = lastFactors(operands, report_, failure_);
    RoundCounters counters;
    LocalMatrix<Scalar, Device> C;
    std::optional<ExportedMatrix<SC, LO, GO, NO>> result;
    const LastStepHandler<Scalar, Device> handler{
        [](const auto& a, const auto& b) {
          return ProductExport<Scalar, Device>::findingFirstPays(a, b);
        },
        [&](const LastStep<Scalar, Device>& step) {
          if (step.operands)
            result = exportedAhead(step);
          else
            C = step.C;
        }};
    multiplyUpToLast(factors.left, factors.right, handler, placement_->rounds(), counters,
                     failure_);
    noteRounds(report_, counters, factors.left.local(), factors.right.local(),
               result ? result->local.matrix(0) : C);
    placement_->operands().dropAll();
    Factor product;
    if (!result)
      product = Factor(factors.left.exchanges(), factors.left.rows(), factors.right.columns(),
                       std::exchange(C, {}), RowOrder::Ascending);
    factors = {};
    result ? commit(std::move(*result))
           : takeOff(std::move(product), SliceOwner::Sole, [](const Export&) {});
  }

  /// The product of a local product that was put off.
  ExportedMatrix<SC, LO, GO, NO> exportedAhead(const LastStep<Scalar, Device>& step) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    ProductExport<Scalar, Device> ahead(placement_->exchanges()->grid(), step, columns(),
                                        options_.rounds, failure_);
    return exportMatrix<SC, LO, GO, NO>(ahead, *columns().numbering, options_.rounds,
                                        report_.traffic.export_, failure_);
  }

  void place() {
    const PhaseScope scope(report_.seconds, Phase::Setup);
    placement_.emplace(operands_, options_, report_);
  }

  Factor formOnGrid(FreshOperands<SC, LO, GO, NO>& operands) {
    noteSemiring(report_, options_.rounds.semiring);
    Factor product = multiplyOperands(operands, report_, failure_);
    placement_->operands().dropAll();
    return product;
  }

  /// Brings the product's rows to the ranks that own them, and makes C of them.
  /// @param keep gets the export, while there is one
  template <class Keep>
  void takeOff(Factor product, SliceOwner owner, const Keep& keep) {
    ExportedMatrix<SC, LO, GO, NO> result;
    {
      const PhaseScope scope(report_.seconds, Phase::Export);
      result = exported(std::move(product), owner, keep);
    }
    commit(std::move(result));
  }

  /// Makes C of it: a phase of its own, in which nothing communicates before the last agreement
  /// but Tpetra.
  void commit(ExportedMatrix<SC, LO, GO, NO> result) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    if (wider()) widen(result.local);
    if (structure_) failure_.guard([&] { *structure_ = Structure(result); });
    if (!isNew(C_))
      commitToPattern(result, complete_, C_, failure_);
    else if (complete_)
      commitNew(result, operands_, wantsGlobalConstants(params_), C_, failure_);
    else
      commitOpen(result, C_, failure_);
  }

  template <class Keep>
  ExportedMatrix<SC, LO, GO, NO> exported(Factor product, SliceOwner owner, const Keep& keep) {
    Traffic& traffic = report_.traffic.export_;
    Export outgoing(std::move(product), owner, placement_->space(0), columns(), options_.rounds,
                    traffic, failure_);
    auto result = exportMatrix<SC, LO, GO, NO>(outgoing, *columns().numbering, options_.rounds,
                                               traffic, failure_);
    keep(outgoing);
    return result;
  }

  /// The product's.
  const auto& columns() const { return placement_->space(operands_.size()); }

  bool wider() const { return isWider(operands_, C_); }

  void widen(CrsArrays<Scalar, Device>& local) {
    failure_.guard([&] {
      widenRows(local, rowsWithin(*operands_[0].rowMap(), *C_.getRowMap()),
                static_cast<int>(localSize(*C_.getRowMap())));
      Kokkos::fence();
    });
  }

  const Operands& operands_;
  crs_matrix_type& C_;
  const Options& options_;
  const Teuchos::RCP<Teuchos::ParameterList>& params_;
  const bool complete_;
  Structure* structure_ = nullptr;
  Report report_;
  LocalFailure failure_;  // since the spaces were cut: all ranks hear of it where they agree next
  std::optional<ProductPlacement<SC, LO, GO, NO>> placement_;
};

/// Times a call under the caller's label, "Trident <label>: <call>", while it lives; nothing
/// without a label, or for a thread that may not be inside.
class LabelTimer {
 public:
  LabelTimer(const std::string& label, const std::string& call) {
    if (!label.empty() && !ThreadInside::refused())
      monitor_ = Teuchos::rcp(new Teuchos::TimeMonitor(
          *Teuchos::TimeMonitor::getNewCounter("Trident " + label + ": " + call)));
  }

 private:
  Teuchos::RCP<Teuchos::TimeMonitor> monitor_;
};

/// The options of a call that all ranks make alike. Collective, by `agree`. Throws Teuchos'
/// validation exceptions where this rank's own parameters are bad, Trident::Error where MPI does
/// not run, and what `agree` throws else.
/// @param more that all ranks must pass alike, beside the parameters
/// @param comm whose ranks agree
/// @param agree throws Trident::Error on every rank where its first argument, what is wrong on a
///   rank, is not empty on all, or its second, what ranks must pass alike, differs
template <class Agree>
Options agreedOptions(const char* function, const CommonValues& more,
                      const Teuchos::RCP<Teuchos::ParameterList>& params, MPI_Comm comm,
                      const Agree& agree) {
  requireMpi();
  Options options;
  CommonValues values;  // none where there is nobody to compare them with: a small product feels it
  std::string problem = ThreadInside::problem();
  std::exception_ptr badParameters;
  if (problem.empty()) {
    try {
      const bool alone = isAlone(comm);
      options = readParameters(params, alone ? nullptr : &values);
      if (!alone) {
        values.insert(values.begin(), {"the function called", function});
        values.insert(values.end(), more.begin(), more.end());
      }
    } catch (const std::bad_alloc& error) {  // no fault of the caller's list
      problem = error.what();
    } catch (const std::exception& error) {
      badParameters = std::current_exception();
      problem = error.what();
    }
  }
  const TimeoutScope timeout(options.timeoutSeconds, false);
  try {
    agree(problem, values);
  } catch (const Error&) {
    if (badParameters) std::rethrow_exception(badParameters);
    throw;
  }
  return options;
}

/// The options of a call whose input is good and the same on every rank. Collective over the first
/// operand's communicator. Throws on every rank otherwise, as agreedOptions().
/// @param name of C, for messages
/// @param more that all ranks must pass alike
template <class SC, class LO, class GO, class NO>
Options checkCall(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                  const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                  ResultPattern allowed, const CommonValues& more,
                  const Teuchos::RCP<Teuchos::ParameterList>& params) {
  const MPI_Comm comm = rawComm(*operands[0].matrix->getComm());
  return agreedOptions(function, more, params, comm,
                       [&](const std::string& problem, CommonValues& values) {
                         checkInput(function, operands, C, name, allowed, problem, values);
                       });
}

/// Throws where the product cannot be over another semiring than plus-times. Ranks throw alike.
/// @param name of C
template <class SC, class LO, class GO, class NO>
void requireSemiring(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                     const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                     SemiringKind semiring) {
  if (semiring == SemiringKind::PlusTimes) return;
  const std::string asked = std::string("\"semiring\" = \"") + nameOf(semiring) + "\"";
  for (const auto& operand : operands)
    if (operand.form == OperandForm::Jacobi)
      throw Error(function, "a Jacobi step is over plus-times alone; leave " + asked + " out");
  // Its values are added to C's, or to zeros.
  if (!isNew(C))
    throw Error(function, name + " already has a pattern, into which " + asked +
                              " forms no product; pass a new CrsMatrix");
}

/// The product of a public function: input checked, formed once, and its errors in that function's
/// name. Collective over the operands' communicator.
/// @param name of C, for messages
/// @param complete whether C is to be fill-complete
/// @param more that all ranks must pass alike
/// @param then what is done once the product is there, within the same bound on waits
template <class SC, class LO, class GO, class NO>
Report formProduct(const char* function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                   Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                   ResultPattern allowed, bool complete,
                   const Teuchos::RCP<Teuchos::ParameterList>& params, CommonValues more = {},
                   const std::function<void()>& then = {}) {
  return inNameOf(function, [&] {
    more.push_back({"call_FillComplete_on_result", complete ? "true" : "false"});
    const Options options = checkCall(function, operands, C, name, allowed, more, params);
    const TimeoutScope timeout(options.timeoutSeconds);
    requireSemiring(function, operands, C, name, options.rounds.semiring);
    const Report report = Product<SC, LO, GO, NO>(operands, C, options, params, complete).run();
    if (then) then();
    return report;
  });
}

}  // namespace Trident::Impl

#endif
