// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDMULTIPLY_DEF_HPP
#define TRIDENT_GRIDMULTIPLY_DEF_HPP

#include <algorithm>
#include <memory>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "rounds/Trident_GridMultiply.hpp"
#include "rounds/Trident_GridProduct.hpp"
#include "rounds/Trident_ProductPieces.hpp"

namespace Trident::Impl {

/// Throws where what of B is to travel cannot.
inline void requireFetch(const GridShape& shape, FetchKind fetch) {
  if (fetch == FetchKind::NeededRows && !shape.canFetchRows() && shape.nodes() > 1)
    throw Error(
        "\"fetch\" = \"needed-rows\" is not possible on a " + shape.name() + " grid, where " +
        (shape.nodeRows > 1 ? "broadcasts bring all receivers the same" : "no tile of B travels") +
        "; use \"auto\" or \"tiles\"" +
        (shape.nodeRows > 1 ? ", or \"algorithm\" = \"trident\""
                            : ", or a \"grid\" of several node rows"));
}

template <class Scalar, class Device>
void requireSameGridAndInnerSpace(const GridMatrix<Scalar, Device>& A,
                                  const GridMatrix<Scalar, Device>& B) {
  const auto shapeText = [](const GridMatrix<Scalar, Device>& M) {
    return std::to_string(M.rows()->size()) + " x " + std::to_string(M.columns()->size()) +
           " on a " + M.grid().shape().name() + " grid";
  };
  std::string problem;
  if (A.exchanges() != B.exchanges())
    problem = "A and B lie on different grids; import both with one grid";
  else if (A.columns() != B.rows())
    problem =
        "A's column space is not B's row space; make one IndexSpace (MapSpace) and import A's "
        "columns and B's rows with it";
  if (!problem.empty())
    throw Error(problem + " (A is " + shapeText(A) + ", B is " + shapeText(B) + ")");
}

/// Throws where A·B cannot be formed so: on every rank, as all know the same of it.
template <class Scalar, class Device>
void requireProduct(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                    const RoundOptions& options, bool masked) {
  requireSameGridAndInnerSpace(A, B);
  requireFetch(A.grid().shape(), options.fetch);
  const std::string whyNot = whyNoKernel<Scalar, Device>(options.kernel);
  if (!whyNot.empty()) throw Error(whyNot);
  const std::string whyNotOver = whyNoSemiring<Scalar>(options, masked);
  if (!whyNotOver.empty()) throw Error(whyNotOver);
}

/// One call of a product on the grid: what the caller did not pass is its own.
template <class Scalar, class Device>
class ProductCall {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Learnt = std::shared_ptr<const LearntFromPeers<Device>>;

  ProductCall(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const RoundOptions& options, RoundCounters* counters, LocalFailure* failure)
      : A_(A),
        B_(B),
        options_(options),
        counters_(counters ? *counters : unseen_),
        failure_(failure ? *failure : own_),
        throws_(!failure) {}

  RoundCounters& counters() { return counters_; }
  LocalFailure& failure() { return failure_; }

  /// Runs the rounds into `sink`, and then then(rounds), while the operands stand; notes how.
  /// @param learnt in a product of the same structures, or null; gets what is learnt
  template <class Then>
  void run(ProductSink<Scalar, Device>& sink, Learnt& learnt, bool masked, const Then& then) {
    requireProduct(A_, B_, options_, masked);
    synchronize();
    const double start = steadySeconds();
    if (learnt && learnt->needed && options_.fetch == FetchKind::Tiles) learnt.reset();
    GridExchanges& exchanges = *A_.exchanges();
    const ExchangeChoice exchange = exchanges.chooseExchange(options_, memoryOf<Device>);
    counters_.exchange = A_.grid().shape().nodes() == 1 ? "none" : nameOf(exchange.kind);
    counters_.exchangeReason = exchange.reason;
    counters_.kernel.clear();
    GridProduct<Scalar, Device> rounds(A_, B_, learnt, options_, exchange.kind, counters_,
                                       failure_);
    rounds.run(sink);
    then(rounds);
    if (throws_) throwEverywhere(A_.grid().comm(), own_.text());
    learnt = rounds.learnt();
    // Of the gather a run may find that it cannot be had.
    counters_.gather = nameOf(rounds.gather().kind());
    counters_.gatherReason = exchanges.gatherReason();
    counters_.fetch = learnt->needed ? "needed-rows" : "tiles";
    if (counters_.kernel.empty())
      counters_.kernel = nameOf(formingKernel<Scalar, Device>(options_, masked));
    synchronize();
    counters_.multiplySeconds += steadySeconds() - start;
  }

  /// C, where its slice is what `sums` has.
  /// @param learnt as run()
  GridMatrix<Scalar, Device> sum(ProductSum<Scalar, Device>& sums, Learnt& learnt, bool masked) {
    Matrix C;
    run(sums, learnt, masked, [&](const auto& rounds) { C = sumOf(rounds, sums); });
    return {A_.exchanges(), A_.rows(), B_.columns(), C, RowOrder::Ascending};
  }

  /// Where another rank of the node failed, there may be no sum; who takes C on needs a matrix.
  Matrix sumOf(const GridProduct<Scalar, Device>& rounds, const ProductSum<Scalar, Device>& sums) {
    Matrix C;
    failure_.guard([&] {
      C = rounds.nodeFailed()
              ? emptyMatrix<Scalar, Device>(A_.local().numRows(), B_.local().numCols())
              : sums.sum();
    });
    return C;
  }

 private:
  void synchronize() const {
    if (options_.synchronize) barrier(A_.grid().comm(), "all ranks, as \"synchronize\" asks");
  }

  const GridMatrix<Scalar, Device>&A_, &B_;
  const RoundOptions& options_;
  RoundCounters unseen_;
  RoundCounters& counters_;
  LocalFailure own_;
  LocalFailure& failure_;
  bool throws_;
};

template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyOnGrid(const GridMatrix<Scalar, Device>& A,
                                          const GridMatrix<Scalar, Device>& B,
                                          const RoundOptions& options, RoundCounters* counters,
                                          std::shared_ptr<const LearntFromPeers<Device>>* learnt,
                                          LocalFailure* failure) {
  ProductCall<Scalar, Device> call(A, B, options, counters, failure);
  PartialSums<Scalar, Device> sums(options, call.counters());
  std::shared_ptr<const LearntFromPeers<Device>> found;
  const auto C = call.sum(sums, found, false);
  if (learnt) *learnt = found;
  return C;
}

template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyMaskedOnGrid(const GridMatrix<Scalar, Device>& A,
                                                const GridMatrix<Scalar, Device>& B,
                                                const GridMatrix<Scalar, Device>& mask,
                                                bool complement, const RoundOptions& options,
                                                RoundCounters* counters) {
  if (mask.exchanges() != A.exchanges() || mask.rows() != A.rows() || mask.columns() != B.columns())
    throw Error("the mask does not lie along A's row space and B's column space");
  const LocalMask<Device> local(mask.local(), complement);
  ProductCall<Scalar, Device> call(A, B, options, counters, nullptr);
  PartialSums<Scalar, Device> sums(options, call.counters(), &local);
  std::shared_ptr<const LearntFromPeers<Device>> found;
  return call.sum(sums, found, true);
}

template <class Scalar, class Device>
void multiplyValuesOnGrid(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                          const GridMatrix<Scalar, Device>& C, const RoundOptions& options,
                          RoundCounters* counters,
                          std::shared_ptr<const LearntFromPeers<Device>> learnt,
                          LocalFailure* failure) {
  if (C.exchanges() != A.exchanges() || C.rows() != A.rows() || C.columns() != B.columns())
    throw Error("C is not the product of matrices on these spaces");
  if (options.semiring != SemiringKind::PlusTimes)
    throw Error("values of a known structure are formed over plus-times alone");
  ProductCall<Scalar, Device> call(A, B, options, counters, failure);
  NumericSums<Scalar, Device> sums(C.local(), call.counters());
  call.sum(sums, learnt, false);
  call.counters().kernel = "numeric";
}

template <class Scalar, class Device>
void multiplyByPieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const PieceConsumer<Scalar, Device>& consume, const RoundOptions& options,
                      RoundCounters* counters, LocalFailure* failure) {
  RoundOptions inOneGroup = options;
  inOneGroup.fuseRounds = A.grid().shape().segments();
  ProductCall<Scalar, Device> call(A, B, inOneGroup, counters, failure);
  KeptOperands<Scalar, Device> operands;
  std::shared_ptr<const LearntFromPeers<Device>> found;
  call.run(operands, found, false, [&](const auto& rounds) {
    RoundCounters& count = call.counters();
    const bool formed = rounds.formed();
    if (formed) count.operandBytes = rounds.bytesBesideFactors(operands);
    ProductPieces<Scalar, Device>(
        A.grid(), A.local().numRows(), inOneGroup,
        pieceBound<Device>(A.grid(), matrixBytes(A.local()), matrixBytes(B.local()), options),
        count, call.failure())
        .run(formed ? &operands : nullptr, consume);
  });
}

template <class Scalar, class Device>
void multiplyUpToLast(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const LastStepHandler<Scalar, Device>& handler, const RoundOptions& options,
                      RoundCounters& counters, LocalFailure& failure) {
  using Matrix = LocalMatrix<Scalar, Device>;
  const auto localSeconds = [&] {
    return counters.seconds[Phase::LocalMultiply] + counters.seconds[Phase::Accumulate];
  };
  const auto multiplyOnce = [&](const Matrix& a, const Matrix& b) {
    PartialSums<Scalar, Device> sums(options, counters);
    sums.add(a, b, {});
    for (RoundTimes& times : counters.times)
      times.multiplied = steadySeconds() - counters.roundsBegan;
    return sums.sum();
  };
  ProductCall<Scalar, Device> call(A, B, options, &counters, &failure);
  SumsUpToLast<Scalar, Device> sums(handler, options, counters);
  std::shared_ptr<const LearntFromPeers<Device>> found;
  call.run(sums, found, false, [&](const auto& rounds) {
    const double start = steadySeconds(), local = localSeconds();
    const bool sum = rounds.formed() && !sums.kept();
    handler.handle({rounds.formed() ? sums.kept() : nullptr,
                    sum ? call.sumOf(rounds, sums) : Matrix(), multiplyOnce});
    counters.multiplySeconds -= steadySeconds() - start - (localSeconds() - local);
  });
}

}  // namespace Trident::Impl

#define TRIDENT_MULTIPLYBYPIECES_INSTANT(SCALAR, DEVICE)                                           \
  template void Trident::Impl::multiplyByPieces<SCALAR, DEVICE>(                                   \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::PieceConsumer<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&, \
      ::Trident::Impl::RoundCounters*, ::Trident::Impl::LocalFailure*);

#define TRIDENT_GRIDMULTIPLY_INSTANT(SCALAR, DEVICE)                                            \
  template ::Trident::Impl::GridMatrix<SCALAR, DEVICE>                                          \
  Trident::Impl::multiplyOnGrid<SCALAR, DEVICE>(                                                \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&, \
      ::Trident::Impl::RoundCounters*,                                                          \
      std::shared_ptr<const ::Trident::Impl::LearntFromPeers<DEVICE>>*,                         \
      ::Trident::Impl::LocalFailure*);                                                          \
  template ::Trident::Impl::GridMatrix<SCALAR, DEVICE>                                          \
  Trident::Impl::multiplyMaskedOnGrid<SCALAR, DEVICE>(                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, bool,                                 \
      const ::Trident::Impl::RoundOptions&, ::Trident::Impl::RoundCounters*);                   \
  template void Trident::Impl::multiplyValuesOnGrid<SCALAR, DEVICE>(                            \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&, \
      ::Trident::Impl::RoundCounters*,                                                          \
      std::shared_ptr<const ::Trident::Impl::LearntFromPeers<DEVICE>>,                          \
      ::Trident::Impl::LocalFailure*);                                                          \
  TRIDENT_MULTIPLYBYPIECES_INSTANT(SCALAR, DEVICE)                                              \
  template void Trident::Impl::multiplyUpToLast<SCALAR, DEVICE>(                                \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                       \
      const ::Trident::Impl::LastStepHandler<SCALAR, DEVICE>&,                                  \
      const ::Trident::Impl::RoundOptions&, ::Trident::Impl::RoundCounters&,                    \
      ::Trident::Impl::LocalFailure&);

#endif
