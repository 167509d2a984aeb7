// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestRounds.hpp"

#include "base/Trident_Agreement.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "rounds/Trident_Rounds.hpp"

namespace Trident::Impl::TestTools {

namespace {

using SomeRounds = Rounds<double, RoundsDevice>;

/// A caller's part of a product: counters, and a failure that all ranks throw at the end.
struct Caller {
  explicit Caller(RoundCounters* counters) : counters(counters ? *counters : unseen) {}

  void throwOnAll(const RoundsMatrix& A) const { throwEverywhere(A.grid().comm(), failure.text()); }

  RoundCounters unseen;
  RoundCounters& counters;
  LocalFailure failure;
};

}  // namespace

RoundsMatrix multiplyOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                            const RoundOptions& options, RoundCounters* counters,
                            SymbolicDataOfRounds* symbolic) {
  Caller caller(counters);
  SomeRounds rounds(A, B, options, caller.counters, caller.failure);
  PartialSums<double, RoundsDevice> sums(options, caller.counters);
  rounds.run(sums);
  const RoundsMatrix C = rounds.product(sums);
  caller.throwOnAll(A);
  if (symbolic) *symbolic = rounds.symbolic();
  return C;
}

RoundsMatrix multiplyMaskedOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                                  const RoundsMatrix& mask, bool complement,
                                  const RoundOptions& options, RoundCounters* counters) {
  Caller caller(counters);
  const LocalMask<RoundsDevice> local(mask.local(), complement);
  SomeRounds rounds(A, B, options, caller.counters, caller.failure);
  PartialSums<double, RoundsDevice> sums(options, caller.counters, &local);
  rounds.run(sums);
  const RoundsMatrix C = rounds.product(sums);
  caller.throwOnAll(A);
  return C;
}

void multiplyValuesOnGrid(const RoundsMatrix& A, const RoundsMatrix& B, const RoundsMatrix& C,
                          const RoundOptions& options, RoundCounters* counters,
                          const SymbolicDataOfRounds* symbolic) {
  Caller caller(counters);
  SomeRounds rounds(A, B, options, caller.counters, caller.failure);
  NumericSums<double, RoundsDevice> sums(C.local(), caller.counters);
  rounds.run(sums, symbolic);
  rounds.product(sums);
  caller.throwOnAll(A);
}

void multiplyByPieces(const RoundsMatrix& A, const RoundsMatrix& B,
                      const PieceConsumer<double, RoundsDevice>& consume,
                      const RoundOptions& options, RoundCounters* counters) {
  Caller caller(counters);
  ProductPieces<double, RoundsDevice> pieces(A, B, consume, options, caller.counters,
                                             caller.failure);
  SomeRounds(A, B, options, caller.counters, caller.failure).run(pieces);
  caller.throwOnAll(A);
}

void passOnGrid(const RoundsMatrix& A, const RoundsMatrix& B,
                const WholePieces<double, RoundsDevice>::Consumer& consume,
                const RoundOptions& options, RoundCounters& counters) {
  Caller caller(&counters);
  multiplyPassing(A, B, consume, options, caller.counters, caller.failure);
  caller.throwOnAll(A);
}

}  // namespace Trident::Impl::TestTools
