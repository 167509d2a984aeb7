// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLAN_DEF_HPP
#define TRIDENT_PLAN_DEF_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Names.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Wait.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_Plan_decl.hpp"
#include "product/Trident_Product.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// Throws if a product with these options can have no plan.
inline void requirePlannable(const char* function, const RoundOptions& rounds) {
  if (rounds.filters())
    throw Error(function,
                "a plan keeps the structure of the product, and a filter changes it with the "
                "values; leave \"drop tolerance\" and \"keep largest\" out");
  if (rounds.semiring != SemiringKind::PlusTimes)
    throw Error(function, std::string("a plan is over plus-times alone; leave \"semiring\" = \"") +
                              nameOf(rounds.semiring) +
                              "\" out, or form the product without a plan");
}

/// Returns a product on C's row Map in the form that commitToPattern() takes. Local.
template <class SC, class LO, class GO, class NO>
ExportedMatrix<SC, LO, GO, NO> forPattern(const Tpetra::CrsMatrix<SC, LO, GO, NO>& product,
                                          LocalFailure& failure) {
  ExportedMatrix<SC, LO, GO, NO> exported;
  exported.columns.map = product.getColMap();
  failure.guard([&] {
    const auto local = localMatrixOf(product);
    exported.local.offsets = local.graph.row_map;
    exported.local.values = local.values;
    // A copy, because commitToPattern() overwrites the columns.
    exported.local.columns = uninitialized<int, typename NO::device_type>(
        "Trident::columns", local.graph.entries.extent(0));
    Kokkos::deep_copy(exported.local.columns, local.graph.entries);
  });
  return exported;
}

template <class SC, class LO, class GO, class NO>
Plan<SC, LO, GO, NO>::Plan(const Call& call, bool checks)
    : checks_(checks),
      label_(checks ? call.label : std::string()),
      kept_(std::make_shared<ProductPlan<SC, LO, GO, NO>>()) {
  const CallScope inside(call.function, call.label);
  withErrorContext(call.function, [&] {
    crs_matrix_type& C = *call.C;
    options_ = checkCall(call);
    const TimeoutScope timeout(options_.timeoutSeconds);
    requirePlannable(call.function, options_.rounds);
    if (isNew(C)) {
      formFirst(call, C);
    } else {
      crs_matrix_type product(C.getRowMap(), 0);
      formFirst(call, product);
      LocalFailure failure;
      const auto exported = forPattern(product, failure);
      commitToPattern(exported, true, options_.dropsOutside, C, failure);
    }
    if (call.afterCommit) call.afterCommit();
  });
}

/// Forms the first product into C, which is new. Keeps the data of further products. Collective.
template <class SC, class LO, class GO, class NO>
void Plan<SC, LO, GO, NO>::formFirst(const Call& call, crs_matrix_type& C) {
  globalConstants_ = wantsGlobalConstants(*call.params);
  if (!checks_) structure_.emplace();
  report_ = Product<SC, LO, GO, NO>(call.operands, C, options_, *call.params)
                .run(&*kept_, checks_ ? nullptr : &*structure_);
  constants_.emplace(C);
  if (!checks_) return describeResult(C);
  runEverywhere(rawComm(*C.getComm()), [&] {
    for (const auto& operand : call.operands)
      planned_.emplace_back(*operand.matrix, seen_.print(*operand.matrix), operand.name, false);
    planned_.emplace_back(C, seen_.print(C), call.name, true);
  });
}

/// Computes C's fingerprint and the bytes of kept arrays. Local. A rank that lacks memory gets an
/// empty fingerprint, which fits no C.
template <class SC, class LO, class GO, class NO>
void Plan<SC, LO, GO, NO>::describeResult(const crs_matrix_type& C) {
  LocalFailure failure;
  failure.guard([&] {
    Fingerprint<crs_matrix_type> print;
    print.setPrints({&C}, {entriesPrint(C)});
    print.add(C);
    result_ = print.take();
    columns_ = result_.at(3);
    ArrayBytes bytes;
    kept_->countArrays(bytes);
    bytes.add(structure_->rows.offsets);
    bytes.add(structure_->rows.columns);
    bytes_ = bytes.sum();
  });
  if (failure.failed()) result_.clear();
}

template <class SC, class LO, class GO, class NO>
bool Plan<SC, LO, GO, NO>::makesResults() const {
  using Device = typename NO::device_type;
  if constexpr (isHost<Device>)
    return !options_.rereadsStructures ||
           hashArray<Device>("Trident::fingerprintColumns", structure_->rows.columns) == columns_;
  return true;  // on devices results have copies of the columns
}

template <class SC, class LO, class GO, class NO>
Report Plan<SC, LO, GO, NO>::form(const Call& call) const {
  const CallScope inside(call.function, checks_ ? label_ : call.label);
  const TimeoutScope timeout(options_.timeoutSeconds);
  return withErrorContext(call.function, [&] {
    const Report report = formAgain(call);
    if (call.afterCommit) call.afterCommit();
    return report;
  });
}

/// Forms a further product. The kept imports bring the values, and the kept export takes them to C.
/// C's values change last, so that an error leaves them as they were. On a grid of one rank the
/// product is formed in C itself, because this rank has taken all memory before.
template <class SC, class LO, class GO, class NO>
Report Plan<SC, LO, GO, NO>::formAgain(const Call& call) const {
  crs_matrix_type& C = *call.C;
  Report report;
  report.grid = kept_->products[0].grid().shape();
  report.node = report_.node;
  report.partition = report_.partition;
  report.operands = report_.operands;
  const double start = steadySeconds();
  const bool fresh = isNew(C), inPlace = kept_->values.inPlace(),
             direct = inPlace || (fresh && kept_->values.inOrder());
  LocalFailure failure;
  std::optional<PlannedImports<SC, LO, GO, NO>> imports;
  std::optional<ExportedMatrix<SC, LO, GO, NO>> result;
  Values into;
  std::vector<Values> ofProducts;
  {
    const PhaseScope scope(report.seconds, Phase::Setup);
    checkAndTakeMemory(call, [&] {
      if (fresh)
        result = structure_->newResult();
      else
        requireDeviceArrays(C);  // checked while all ranks can still throw, with C unchanged
      if (direct) into = fresh ? Values(result->local.values) : valuesOf(call);
      for (std::size_t p = 0; p < kept_->products.size(); ++p)
        ofProducts.push_back(p == 0 && direct ? into : Values(kept_->newValues(p)));
      imports.emplace(*kept_, call.operands, report, failure);
    });
  }
  if (inPlace && !fresh) {
    const PhaseScope scope(report.seconds, Phase::Export);
    complete(C, {});
  }
  const Values values = multiply(*imports, std::move(ofProducts), failure);
  {
    const PhaseScope scope(report.seconds, Phase::Export);
    if (fresh)
      exportNew(values, *result, call, report.traffic.export_, failure);
    else
      exportInto(values, into, C, report.traffic.export_, failure);
  }
  endReasons(report);
  report.totalSeconds = steadySeconds() - start;
  return report;
}

/// Multiplies from right to left, as Product does. Returns the values of the whole product.
/// Collective.
/// @param values arrays for the values of all products
template <class SC, class LO, class GO, class NO>
auto Plan<SC, LO, GO, NO>::multiply(PlannedImports<SC, LO, GO, NO>& imports,
                                    std::vector<Values> values, LocalFailure& failure) const
    -> Values {
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using GridFactor = GridMatrix<Scalar, Device>;
  const auto multiplyTwo = [&](std::size_t p, const GridFactor& left, const GridFactor& right,
                               RoundCounters& counters) {
    const GridFactor product = kept_->products[p].withValues(std::exchange(values[p], Values()));
    Rounds<Scalar, Device> rounds(left, right, options_.rounds, counters, failure);
    // On one rank with a device, only kernels read a product that is multiplied again. So add()
    // need not wait for its values.
    const bool waits = isHost<Device> || p == 0 || product.grid().shape().ranks() > 1;
    NumericSums<Scalar, Device> sums(product.local(), counters, &kept_->work[p], waits);
    rounds.run(sums, &kept_->symbolic[p]);
    rounds.product(sums);  // sets `failure` on devices if terms fall outside the structure
    return product;
  };
  return imports.product(multiplyTwo).local().values;
}

/// Checks the matrices, and takes memory. Ranks agree on both in one step. Collective.
template <class SC, class LO, class GO, class NO>
template <class TakeMemory>
void Plan<SC, LO, GO, NO>::checkAndTakeMemory(const Call& call,
                                              const TakeMemory& takeMemory) const {
  const MPI_Comm comm = rawComm(*call.C->getComm());
  const auto matrices = [&] {
    std::vector<const crs_matrix_type*> all = call.factors();
    all.push_back(call.C);
    return all;
  };
  const auto check = [&](CollectiveArguments& values) {
    values.push_back({"the function called", call.function});
    addCollectiveArguments(call.operands, *call.C, call.name, values);
    return std::string();
  };
  // If the plan checks, another rank's plan may be empty. That rank polls, so all ranks must poll.
  const TimeoutScope polls(options_.timeoutSeconds, !checks_);
  const bool otherMaps = checkArguments(comm, call.function, check, [&] {
    const bool veryMaps =
        !checks_ || requireStructures(planned_, matrices(), seen_, options_.rereadsStructures);
    if (checks_)
      for (const auto& operand : call.operands) requireDiagonalHere(operand);
    takeMemory();
    return !veryMaps;
  });
  if (otherMaps) requireMaps(comm, planned_, matrices());
  if (checks_) checkDiagonals(comm, call.function, call.operands);
}

/// Returns the array for a product in place: C's values. If an operand shares C's values, returns a
/// new array, because the product reads the operand while it writes.
template <class SC, class LO, class GO, class NO>
auto Plan<SC, LO, GO, NO>::valuesOf(const Call& call) const -> Values {
  const Values ofC = upTo(Values(localValuesOf(*call.C)), kept_->products[0].local().nnz());
  for (const auto& operand : call.operands)
    if (firstValueOf(*operand.matrix) == ofC.data())
      return uninitialized<typename Values::non_const_value_type, typename Values::device_type>(
          "Trident::values", ofC.extent(0));
  return ofC;
}

/// Makes C fill-complete, and lets Tpetra forget cached data of C's values. Collective.
/// @param failure if one rank has a failure, all ranks throw
template <class SC, class LO, class GO, class NO>
void Plan<SC, LO, GO, NO>::complete(crs_matrix_type& C, const LocalFailure& failure) const {
  if (C.isFillComplete()) return completeAgain(C, failure);
  // If a rank failed, all ranks throw here, because fillComplete()'s reduction needs all ranks.
  if (endOfFillReduces(C)) throwEverywhere(rawComm(*C.getComm()), failure.text());
  completeOpenAlone(C, failure);
  if (constants_->known())
    constants_->restore(C);
  else
    computeGlobalConstants(C);
}

/// Writes a product's values into a C of the plan's structure. Collective.
/// @param into array that has the values if the export is in place. C must then be fill-complete
template <class SC, class LO, class GO, class NO>
void Plan<SC, LO, GO, NO>::exportInto(const Values& values, const Values& into, crs_matrix_type& C,
                                      Traffic& traffic, LocalFailure& failure) const {
  if (kept_->values.inPlace()) {
    throwEverywhere(rawComm(*C.getComm()), failure.text());
    const Values ofC = localValuesOf(C);
    if (ofC.data() != into.data()) Kokkos::deep_copy(upTo(ofC, into.extent(0)), into);
  } else {
    const auto packed = kept_->values.pack(values, failure);
    complete(C, failure);
    kept_->values.move(packed, localValuesOf(C), traffic);
  }
}

/// Writes a product's values into a new result, and makes C of it. Collective.
/// @param result has the kept structure. Has the values, too, if the product was formed in it
template <class SC, class LO, class GO, class NO>
void Plan<SC, LO, GO, NO>::exportNew(const Values& values, ExportedMatrix<SC, LO, GO, NO>& result,
                                     const Call& call, Traffic& traffic,
                                     LocalFailure& failure) const {
  crs_matrix_type& C = *call.C;
  if (!kept_->values.inPlace() && !kept_->values.inOrder()) {
    const auto packed = kept_->values.pack(values, failure);
    if (kept_->values.travels()) throwEverywhere(rawComm(*C.getComm()), failure.text());
    if (!failure.failed()) kept_->values.move(packed, result.local.values, traffic);
  }
  result.columns = structure_->columns.make(call.operands.back().domainMap(), failure);
  commitNew(result, call.operands, globalConstants_, C, failure);
}

}  // namespace Trident::Impl

#define TRIDENT_PLAN_INSTANT(SC, LO, GO, NO) template class Trident::Impl::Plan<SC, LO, GO, NO>;

#endif
