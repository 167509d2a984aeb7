// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDMULTIPLY_HPP
#define TRIDENT_GRIDMULTIPLY_HPP

#include <memory>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Options.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "rounds/Trident_LastStep.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

template <class Device>
struct LearntFromPeers;

/// C = A·B on the grid, C-stationary (paper, Algorithms 1 and 2; doc/algorithm.md). C's rows are
/// A's row space and its columns B's column space, so that products chain without leaving the grid.
///
/// Collective over the grid. Throws Trident::Error on every rank, A and B untouched, where A and B
/// lie on different grids, A's column space is not the very IndexSpace of B's rows, or a rank fails
/// (out of memory) in a round: that rank keeps its part of the schedule, so nobody waits for it.
/// @param counters where given, gets what the product did on this rank added
/// @param learnt where given, gets what multiplyValuesOnGrid() takes
/// @param failure all ranks throw before the rounds where one has it; where not given, also where
///   one fails in them
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyOnGrid(
    const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
    const RoundOptions& options = RoundOptions(), RoundCounters* counters = nullptr,
    std::shared_ptr<const LearntFromPeers<Device>>* learnt = nullptr,
    LocalFailure* failure = nullptr);

/// What a mask lets through of A·B; nothing else is formed, but for the complement on devices.
/// Otherwise as multiplyOnGrid(), also where it throws.
/// @param mask along A's row space and B's column space, its rows sorted; its values do not matter
/// @param complement whether C may have what the mask has not, rather than what it has
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyMaskedOnGrid(const GridMatrix<Scalar, Device>& A,
                                                const GridMatrix<Scalar, Device>& B,
                                                const GridMatrix<Scalar, Device>& mask,
                                                bool complement,
                                                const RoundOptions& options = RoundOptions(),
                                                RoundCounters* counters = nullptr);

/// Overwrites the values of C with those of A·B, where A and B have the structure of the factors
/// that C was formed of, over the ordinary semiring. Neither a symbolic phase nor a sort; otherwise
/// as multiplyOnGrid(), also where it throws. A device throws too where a product falls outside C's
/// structure; C's values are then undefined. On a host C must have an entry for each product;
/// otherwise any of its values may be wrong.
/// @param learnt what the first product got; without, it is asked for again, as options.fetch says
template <class Scalar, class Device>
void multiplyValuesOnGrid(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                          const GridMatrix<Scalar, Device>& C,
                          const RoundOptions& options = RoundOptions(),
                          RoundCounters* counters = nullptr,
                          std::shared_ptr<const LearntFromPeers<Device>> learnt = nullptr,
                          LocalFailure* failure = nullptr);

/// A·B by pieces of rows, each of which is given to `consume` and is gone when that returns.
/// A piece, what forms it and a filter take options.pieceBytes on a rank at most, or what one row
/// takes; B's tile, and what the rounds take, come beside. All rounds are one group, whatever
/// options.fuseRounds and options.memoryBytes say: B travels once, however many pieces there are.
/// Otherwise as multiplyOnGrid(). Where one rank fails, ranks of other row lines may still be given
/// their pieces.
template <class Scalar, class Device>
void multiplyByPieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const PieceConsumer<Scalar, Device>& consume,
                      const RoundOptions& options = RoundOptions(),
                      RoundCounters* counters = nullptr, LocalFailure* failure = nullptr);

/// A·B up to its last step, which `handler` does: over the ordinary semiring or another, unmasked
/// and unfiltered. For devices, which may find C's columns before they multiply; hosts gain nothing
/// by it. Otherwise as multiplyOnGrid(). Of what the handler does, the counters'
/// multiplySeconds have the local product alone.
template <class Scalar, class Device>
void multiplyUpToLast(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                      const LastStepHandler<Scalar, Device>& handler, const RoundOptions& options,
                      RoundCounters& counters, LocalFailure& failure);

}  // namespace Trident::Impl

#endif
