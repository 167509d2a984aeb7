// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSE_DEF_HPP
#define TRIDENT_TRANSPOSE_DEF_HPP

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_DefinedHere.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Traffic.hpp"
#include "base/Trident_Wait.hpp"
#include "exchange/Trident_Context.hpp"
#include "move/Trident_TransposeExport.hpp"
#include "product/Trident_NewResult.hpp"
#include "product/Trident_Plan_decl.hpp"
#include "product/Trident_ProductCall.hpp"
#include "product/Trident_Transpose_decl.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_Operand.hpp"
#include "tpetra/Trident_PlannedMatrix.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"
#include "tpetra/Trident_SeenStructures.hpp"

namespace Trident {
namespace Impl {

/// The transposes of matrices of one structure.
template <class SC, class LO, class GO, class NO>
class PlannedTranspose {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Export = TransposeExport<Scalar, Device>;
  using MatrixPtr = Teuchos::RCP<crs_matrix_type>;

 public:
  /// Checks the input of a call on all ranks. Returns the call's options. Collective. Throws the
  /// errors of transpose() on every rank.
  static Options agreed(const char* function, const crs_matrix_type& A,
                        const Teuchos::RCP<Teuchos::ParameterList>& params) {
    const MPI_Comm comm = rawComm(*A.getComm());
    return agreedOptions(
        function, {}, params, comm,
        [&](const std::string& problem, const CollectiveArguments& values) {
          requireConsistent(comm, function, problem.empty() ? problemOf(A) : problem, values);
          requireOneToOne(function, std::vector<Operand<SC, LO, GO, NO>>{{A, "A", true}});
        });
  }

  /// Finds the structure of A's transpose. Collective over A's communicator; throws on every rank.
  /// @param globalConstants true if the transpose gets global constants
  PlannedTranspose(const crs_matrix_type& A, const Options& options, bool globalConstants,
                   const std::string& label)
      : label_(label), options_(options), globalConstants_(globalConstants) {
    const MPI_Comm comm = rawComm(*A.getComm());
    Context& context = Context::of(comm);
    const int ranksPerNode = options_.grid.ranksPerNode;
    const auto layout = context.sharedLayout(ranksPerNode, RoundOrder::Cannon);
    const auto exchanges =
        context.grid(ranksPerNode, GridShape{layout->nodes(), 1, layout->lambda});

    const Operand<SC, LO, GO, NO> operand(A, "A", true);
    std::vector<Teuchos::RCP<const typename Types::map_type>> maps;
    const std::size_t rowMap = findOrAddMap(operand.rowMap(), maps),
                      columnMap = findOrAddMap(operand.domainMap(), maps);
    const auto numberings = numberMaps(maps, context.comm(), *layout);
    const auto &rows = *numberings[rowMap], &columns = *numberings[columnMap];
    Traffic traffic;
    LocalFailure failure;  // all ranks learn of it at their next agreement
    const LocalOperand<SC, LO, GO, NO> local(operand, rows, columns, *layout, context.comm(),
                                             traffic, missingMessage(operand), failure, true);
    // wholeRows is false on all other ranks, so it must be false on a failed rank, too.
    NumberedMatrix<unsigned, Device> sources{{}, {}, {}, false};
    failure.guard([&] {
      sources = local.sources(operand);
      new_ = Teuchos::rcp(new crs_matrix_type(A.getDomainMap(), 0));
    });
    export_.emplace(sources, exchanges, rows, columns, options_.rounds, traffic, failure);
    result_ = exportMatrix<SC, LO, GO, NO>(*export_, columns, options_.rounds, traffic, failure);
  }

  /// Returns A's transpose. The plan must not be used again. Collective; throws on every rank.
  MatrixPtr once(const crs_matrix_type& A) {
    Traffic traffic;
    LocalFailure failure;
    const auto packed = packedValues(A, failure);
    throwEverywhere(rawComm(*A.getComm()), failure.text());
    export_->move(packed, result_.local.values, traffic, failure);
    return made(A, failure);
  }

  /// Makes the graph that further transposes share. Collective; throws on every rank.
  void keep(const crs_matrix_type& A) {
    LocalFailure failure;
    failure.guard([&] { planned_.emplace_back(A, seen_.print(A), "A", false); });
    graph_ = made(A, failure)->getCrsGraph();
  }

  /// Returns the transpose of a matrix of the planned structure. Collective; throws on every rank.
  MatrixPtr again(const char* function, const crs_matrix_type& A) const {
    const CallScope inside(function, label_);
    // Another rank's plan may be empty. That rank polls, so all ranks must poll.
    const TimeoutScope polls(options_.timeoutSeconds, false);
    return withErrorContext(function, [&] {
      const MPI_Comm comm = rawComm(*A.getComm());
      typename Export::Packed packed;
      typename Export::Values values;
      MatrixPtr transpose;
      const auto prepare = [&] {
        const bool veryMaps = requireStructures(planned_, {&A}, seen_, options_.rereadsStructures);
        LocalFailure packing;
        packed = packedValues(A, packing);
        if (packing.failed()) throw Error(packing.text());
        values = export_->newValues();
        transpose = Teuchos::rcp(new crs_matrix_type(graph_, values));
        return !veryMaps;
      };
      const auto check = [&](CollectiveArguments& arguments) {
        arguments.push_back({"the function called", function});
        return problemOf(A);
      };
      if (checkArguments(comm, function, check, prepare)) requireMaps(comm, planned_, {&A});
      Traffic traffic;
      LocalFailure failure;
      export_->move(packed, values, traffic, failure);
      // If a rank failed, all ranks throw here, because fillComplete()'s reduction needs all ranks.
      if (endOfFillReduces(*transpose)) throwEverywhere(comm, failure.text());
      completeOpenAlone(*transpose, failure);
      return transpose;
    });
  }

 private:
  /// Returns the fault of A that this rank sees; an empty text if it sees none. Local.
  static std::string problemOf(const crs_matrix_type& A) {
    if (!A.isFillComplete()) return "A is not fill-complete; call A.fillComplete() first";
    if (A.getRangeMap()->getGlobalNumElements() <=
        static_cast<Tpetra::global_size_t>(std::numeric_limits<int>::max()))
      return "";
    return "A has 2^31 rows or more; pass A to products as a transposed operand, without this call";
  }

  typename Export::Packed packedValues(const crs_matrix_type& A, LocalFailure& failure) const {
    typename Export::Values stored;
    failure.guard([&] { stored = localValuesOf(A); });
    return export_->pack(stored, failure);
  }
  /// Makes the transpose from result_, which is empty afterwards. Collective; throws on every rank.
  MatrixPtr made(const crs_matrix_type& A, const LocalFailure& failure) {
    commitResult(result_, A.getRangeMap(), A.getDomainMap(), {}, globalConstants_, *new_, failure);
    result_ = {};
    return std::exchange(new_, Teuchos::null);
  }

  const std::string label_;
  const Options options_;
  const bool globalConstants_;
  std::optional<Export> export_;
  // Empty after the matrix is made:
  MatrixPtr new_;
  ExportedMatrix<SC, LO, GO, NO> result_;
  // Set only in a plan that is used again:
  Teuchos::RCP<const typename crs_matrix_type::crs_graph_type> graph_;
  std::vector<PlannedMatrix<crs_matrix_type>> planned_;  // structure of A, as the only element
  mutable SeenStructures seen_;
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
TransposePlan<SC, LO, GO, NO>::TransposePlan(const crs_matrix_type& A,
                                             const Teuchos::RCP<Teuchos::ParameterList>& params,
                                             const std::string& label) {
  const char* const function = "Trident::TransposePlan";
  const Impl::CallScope inside(function, label);
  using Planned = Impl::PlannedTranspose<SC, LO, GO, NO>;
  plan_ = Impl::withErrorContext(function, [&] {
    const Impl::Options options = Planned::agreed(function, A, params);
    const Impl::TimeoutScope timeout(options.timeoutSeconds);
    const auto plan =
        std::make_shared<Planned>(A, options, Impl::wantsGlobalConstants(params), label);
    plan->keep(A);
    return plan;
  });
}

template <class SC, class LO, class GO, class NO>
auto TransposePlan<SC, LO, GO, NO>::transpose(const crs_matrix_type& A) const
    -> Teuchos::RCP<crs_matrix_type> {
  const char* const function = "Trident::TransposePlan::transpose";
  if (plan_) return plan_->again(function, A);
  Impl::refuseEmptyPlan(function, Impl::rawComm(*A.getComm()));
  return {};  // not reached
}

template <class SC, class LO, class GO, class NO>
auto TransposePlan<SC, LO, GO, NO>::transposeOnce(
    const crs_matrix_type& A, const Teuchos::RCP<Teuchos::ParameterList>& params,
    const std::string& label) -> Teuchos::RCP<crs_matrix_type> {
  const char* const function = "Trident::transpose";
  const Impl::CallScope inside(function, label);
  using Planned = Impl::PlannedTranspose<SC, LO, GO, NO>;
  return Impl::withErrorContext(function, [&] {
    const Impl::Options options = Planned::agreed(function, A, params);
    const Impl::TimeoutScope timeout(options.timeoutSeconds);
    return Planned(A, options, Impl::wantsGlobalConstants(params), label).once(A);
  });
}

}  // namespace Trident

#define TRIDENT_TRANSPOSE_INSTANT(SC, LO, GO, NO) \
  template class Trident::TransposePlan<SC, LO, GO, NO>;

#endif
