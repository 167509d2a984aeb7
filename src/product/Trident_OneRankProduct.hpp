// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ONERANKPRODUCT_HPP
#define TRIDENT_ONERANKPRODUCT_HPP

#include <memory>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_SumOrder.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "rounds/Trident_PartialSums.hpp"
#include "tpetra/Trident_LocalOperand.hpp"
#include "tpetra/Trident_OneRankOperand.hpp"

namespace Trident::Impl {

/// Whether options ask for an ordinary product, and for nothing that only a grid has.
inline bool needsNoGrid(const Options& options) {
  const GridOptions& grid = options.grid;
  const RoundOptions& rounds = options.rounds;
  return grid.algorithm == Algorithm::Trident && grid.choice == GridChoice::Auto && !grid.permute &&
         !grid.predictVolume && !rounds.filters() && rounds.fetch == FetchKind::Auto &&
         rounds.exchange == ExchangeKind::Auto && rounds.gather == GatherKind::Auto &&
         !rounds.synchronize && rounds.semiring == SemiringKind::PlusTimes;
}

/// A product of operands of one rank, multiplied where they lie: small products do not pay for a
/// grid. The result is that of a grid of one rank, bit for bit.
template <class SC, class LO, class GO, class NO>
class OneRankProduct {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = LocalMatrix<Scalar, Device>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Whether it is for these operands, which have one communicator. Local.
  static bool suits(const Operands& operands, const Options& options) {
    if (!isAlone(rawComm(*operands[0].matrix->getComm())) || !needsNoGrid(options)) return false;
    for (const auto& operand : operands)
      if (operand.form == OperandForm::Jacobi) return false;
    return true;
  }

  /// All outlive this.
  /// @param report gets what is done, and for how long
  OneRankProduct(const Operands& operands, const Options& options, Report& report)
      : operands_(operands), options_(options), report_(report) {}

  /// Rows and columns are numbered along the first operand's row Map and the last one's domain Map.
  /// Throws Trident::Error where an operand's column meets no row, or where there is no such
  /// kernel; and what Kokkos throws where memory is short.
  Matrix run() {
    const std::string whyNot = whyNoKernel<Scalar, Device>(options_.rounds.kernel);
    if (!whyNot.empty()) throw Error(whyNot);
    report_.partition = nameOf(options_.grid.partition);
    for (const auto& operand : operands_)
      report_.operands.push_back(
          {operand.label(), static_cast<long long>(localEntries(*operand.matrix))});
    Matrix product = operand(operands_.size() - 1);
    for (std::size_t p = operands_.size() - 1; p-- > 0;) product = multiplied(operand(p), product);
    return product;
  }

 private:
  /// Rows sorted where that decides the order of sums.
  Matrix operand(std::size_t p) {
    const PhaseScope scope(report_.seconds, Phase::Import);
    const bool last = p + 1 == operands_.size();
    const auto& of = operands_[p];
    const auto next = last ? of.domainMap() : operands_[p + 1].rowMap();
    const Matrix matrix =
        oneRankOperand(of, *next, last ? lookupOf(of) : lookupOf(of, operands_[p + 1]));
    const bool ordered = last ? rightFactorsAscend<Scalar, Device>(options_.rounds)
                              : addsInOrder<Scalar, Device>(options_.rounds);
    return ordered ? withAscendingRows(matrix) : matrix;
  }

  Matrix multiplied(const Matrix& left, const Matrix& right) {
    RoundCounters counters;
    counters.exchange = "none";
    counters.exchangeReason = "one rank: nothing travels";
    counters.gather = nameOf(GatherKind::Mpi);
    counters.gatherReason = "one rank: nothing is sent";
    counters.fetch = nameOf(FetchKind::Tiles);
    PartialSums<Scalar, Device> sums(options_.rounds, counters);
    runOneRound(counters, matrixBytes(right), [&] { sums.add(left, right, {}); });
    if (counters.kernel.empty())
      counters.kernel = nameOf(formingKernel<Scalar, Device>(options_.rounds));
    counters.multiplySeconds = steadySeconds() - counters.roundsBegan;
    noteRounds(report_, counters, left, right, sums.sum());
    return sums.sum();
  }

  const Operands& operands_;
  const Options& options_;
  Report& report_;
};

}  // namespace Trident::Impl

#endif
