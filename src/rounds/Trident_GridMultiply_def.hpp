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
#include "rounds/Trident_GridMultiply_decl.hpp"
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
  if (A.transport() != B.transport())
    problem = "A and B lie on different grids; import both with one grid";
  else if (A.columns() != B.rows())
    problem =
        "A's column space is not B's row space; make one IndexSpace (MapSpace) and import A's "
        "columns and B's rows with it";
  if (!problem.empty())
    throw Error(problem + " (A is " + shapeText(A) + ", B is " + shapeText(B) + ")");
}

/// Prepares a product, runs it by work(product, failure), and notes how.
/// @param given what is known of C's structure
/// @param known if it is; gets what is
template <class Scalar, class Device, class Work>
void runOnGrid(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
               const GivenStructure<Scalar, Device>& given,
               std::shared_ptr<const KnownProduct<Device>>& known, const RoundOptions& options,
               RoundCounters* counters, LocalFailure* failure, const Work& work) {
  // Which IndexSpace objects a program uses is the same on every rank, so every rank throws.
  requireSameGridAndInnerSpace(A, B);
  requireFetch(A.grid().shape(), options.fetch);
  const std::string whyNot = whyNoKernel<Scalar, Device>(options.kernel);
  if (!whyNot.empty()) throw Error(whyNot);
  const std::string whyNotOver = whyNoSemiring<Scalar>(options, given.mask != nullptr);
  if (!whyNotOver.empty()) throw Error(whyNotOver);
  LocalFailure own;
  RoundCounters unseen;
  RoundCounters& count = counters ? *counters : unseen;
  const auto synchronize = [&] {
    if (options.synchronize) barrier(A.grid().comm(), "all ranks, as \"synchronize\" asks");
  };
  synchronize();
  const double start = steadySeconds();
  if (known && known->needed && options.fetch == FetchKind::Tiles) known.reset();
  // A slice of B, or of A where that is larger, as if cut evenly.
  const std::size_t slice =
      std::max(matrixBytes(A.local()) / A.grid().shape().segmentsPerTileCol(),
               matrixBytes(B.local()) / A.grid().shape().segmentsPerTileRow());
  const ExchangeChoice exchange = A.transport()->chooseExchange(options, slice, memoryOf<Device>);
  count.exchange = A.transport()->exchange(Factor::A, exchange.kind, options.prefetchDepth).name();
  count.exchangeReason = exchange.reason;
  count.kernel = given.whole ? "numeric" : "";
  LocalFailure& failed = failure ? *failure : own;
  GridProduct<Scalar, Device> product(A, B, given, known, options, exchange.kind, count, failed);
  work(product, count, failed);
  if (!failure) throwEverywhere(A.grid().comm(), own.text());
  known = product.known();
  count.gather = nameOf(product.gather().kind());  // of which a run may find that it cannot be had
  count.gatherReason = A.transport()->gatherReason();
  count.fetch = known->needed ? "needed-rows" : "tiles";
  if (count.kernel.empty())
    count.kernel = nameOf(formingKernel<Scalar, Device>(options, given.mask != nullptr));
  synchronize();
  count.multiplySeconds += steadySeconds() - start;
}

/// @param given what is known of C's structure
/// @param known if it is; gets what is
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyOnGrid(const GridMatrix<Scalar, Device>& A,
                                          const GridMatrix<Scalar, Device>& B,
                                          const GivenStructure<Scalar, Device>& given,
                                          std::shared_ptr<const KnownProduct<Device>>& known,
                                          const RoundOptions& options, RoundCounters* counters,
                                          LocalFailure* failure) {
  GridMatrix<Scalar, Device> C;
  runOnGrid(A, B, given, known, options, counters, failure,
            [&](GridProduct<Scalar, Device>& product, RoundCounters&, LocalFailure&) {
              C = {A.transport(), A.rows(), B.columns(), product.run(), RowOrder::Ascending};
            });
  return C;
}

template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyOnGrid(const GridMatrix<Scalar, Device>& A,
                                          const GridMatrix<Scalar, Device>& B,
                                          const RoundOptions& options, RoundCounters* counters,
                                          std::shared_ptr<const KnownProduct<Device>>* known,
                                          LocalFailure* failure) {
  std::shared_ptr<const KnownProduct<Device>> found;
  const auto C = multiplyOnGrid<Scalar, Device>(A, B, {}, found, options, counters, failure);
  if (known) *known = found;
  return C;
}

template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyMaskedOnGrid(const GridMatrix<Scalar, Device>& A,
                                                const GridMatrix<Scalar, Device>& B,
                                                const GridMatrix<Scalar, Device>& mask,
                                                bool complement, const RoundOptions& options,
                                                RoundCounters* counters) {
  if (mask.transport() != A.transport() || mask.rows() != A.rows() || mask.columns() != B.columns())
    throw Error("the mask does not lie along A's row space and B's column space");
  const LocalMask<Device> local(mask.local(), complement);
  std::shared_ptr<const KnownProduct<Device>> unseen;
  return multiplyOnGrid<Scalar, Device>(A, B, {nullptr, &local}, unseen, options, counters,
                                        nullptr);
}

template <class Scalar, class Device>
void multiplyValuesOnGrid(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                          const GridMatrix<Scalar, Device>& C, const RoundOptions& options,
                          RoundCounters* counters,
                          std::shared_ptr<const KnownProduct<Device>> known,
                          LocalFailure* failure) {
  if (C.transport() != A.transport() || C.rows() != A.rows() || C.columns() != B.columns())
    throw Error("C is not the product of matrices on these spaces");
  if (options.semiring != SemiringKind::PlusTimes)
    throw Error("values of a known structure are formed over plus-times alone");
  multiplyOnGrid<Scalar, Device>(A, B, {&C.local(), nullptr}, known, options, counters, failure);
}

/// Whether a piece more costs next to nothing: one thread forms it, and no other rank has a part.
template <class Device>
bool smallPiecesPay(const ProcessGrid& grid) {
  if constexpr (isHost<Device>)
    return grid.shape().nodeCols == 1 && typename Device::execution_space().concurrency() == 1;
  return false;
}

/// What pieces may take on a rank, of which on devices a part is the kernel's workspace.
template <class Scalar, class Device>
PieceBound pieceBound(const ProcessGrid& grid, const LocalMatrix<Scalar, Device>& A,
                      const LocalMatrix<Scalar, Device>& B, const RoundOptions& options) {
  constexpr long long least = 256ll << 20;
  // What a piece takes at most is about eight times what it takes: so it stays in a cache.
  constexpr long long small = 16ll << 20;
  const long long own = static_cast<long long>(matrixBytes(A) + matrixBytes(B));
  const long long bytes = options.pieceBytes > 0 ? static_cast<long long>(options.pieceBytes)
                                                 : std::max(least, 8 * own);
  if (smallPiecesPay<Device>(grid)) return {std::min(bytes, small), 0};
  if (isHost<Device>) return {bytes, 0};
  const long long asked = options.workspaceBytes > 0
                              ? static_cast<long long>(options.workspaceBytes)
                              : least + static_cast<long long>(matrixBytes(B)) / 10;
  const long long workspace = std::min(asked, bytes / 4);
  return {bytes - workspace, workspace};
}

template <class Scalar, class Device>
void multiplyByPieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const PieceConsumer<Scalar, Device>& consume, const RoundOptions& options,
                      RoundCounters* counters, LocalFailure* failure) {
  RoundOptions inOneGroup = options;
  inOneGroup.fuseRounds = A.grid().shape().segments();
  std::shared_ptr<const KnownProduct<Device>> found;
  runOnGrid(A, B, GivenStructure<Scalar, Device>(), found, inOneGroup, counters, failure,
            [&](GridProduct<Scalar, Device>& product, RoundCounters& count, LocalFailure& failed) {
              product.runThen([&](const KeptOperands<Scalar, Device>* operands) {
                ProductPieces<Scalar, Device>(A.grid(), A.local().numRows(), inOneGroup,
                                              pieceBound(A.grid(), A.local(), B.local(), options),
                                              count, failed)
                    .run(operands, consume);
              });
            });
}

template <class Scalar, class Device>
void multiplyUpToLast(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const LastStepTaker<Scalar, Device>& taker, const RoundOptions& options,
                      RoundCounters& counters, LocalFailure& failure) {
  std::shared_ptr<const KnownProduct<Device>> found;
  const auto localSeconds = [&] {
    return counters.seconds[Phase::LocalMultiply] + counters.seconds[Phase::Accumulate];
  };
  runOnGrid(A, B, GivenStructure<Scalar, Device>(), found, options, &counters, &failure,
            [&](GridProduct<Scalar, Device>& product, RoundCounters&, LocalFailure&) {
              product.runUpToLast({taker.putsOff, [&](const LastStep<Scalar, Device>& step) {
                                     const double start = steadySeconds(), local = localSeconds();
                                     taker.take(step);
                                     counters.multiplySeconds -=
                                         steadySeconds() - start - (localSeconds() - local);
                                   }});
            });
}

}  // namespace Trident::Impl

#define TRIDENT_GRIDMULTIPLY_INSTANT(SCALAR, DEVICE)                                               \
  template ::Trident::Impl::GridMatrix<SCALAR, DEVICE>                                             \
  Trident::Impl::multiplyOnGrid<SCALAR, DEVICE>(                                                   \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&,    \
      ::Trident::Impl::RoundCounters*,                                                             \
      std::shared_ptr<const ::Trident::Impl::KnownProduct<DEVICE>>*,                               \
      ::Trident::Impl::LocalFailure*);                                                             \
  template ::Trident::Impl::GridMatrix<SCALAR, DEVICE>                                             \
  Trident::Impl::multiplyMaskedOnGrid<SCALAR, DEVICE>(                                             \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, bool,                                    \
      const ::Trident::Impl::RoundOptions&, ::Trident::Impl::RoundCounters*);                      \
  template void Trident::Impl::multiplyValuesOnGrid<SCALAR, DEVICE>(                               \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&,    \
      ::Trident::Impl::RoundCounters*,                                                             \
      std::shared_ptr<const ::Trident::Impl::KnownProduct<DEVICE>>,                                \
      ::Trident::Impl::LocalFailure*);                                                             \
  template void Trident::Impl::multiplyByPieces<SCALAR, DEVICE>(                                   \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::PieceConsumer<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&, \
      ::Trident::Impl::RoundCounters*, ::Trident::Impl::LocalFailure*);                            \
  template void Trident::Impl::multiplyUpToLast<SCALAR, DEVICE>(                                   \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::GridMatrix<SCALAR, DEVICE>&,                                          \
      const ::Trident::Impl::LastStepTaker<SCALAR, DEVICE>&, const ::Trident::Impl::RoundOptions&, \
      ::Trident::Impl::RoundCounters&, ::Trident::Impl::LocalFailure&);

#endif
