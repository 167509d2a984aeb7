// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTPIECES_HPP
#define TRIDENT_PRODUCTPIECES_HPP

#include <algorithm>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Collective.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_RowRange.hpp"
#include "rounds/Trident_PartialSums.hpp"
#include "rounds/Trident_PiecePlan.hpp"
#include "rounds/Trident_ProductPiece.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// Bytes that pieces may take, and of these the kernel's workspace; the others are the arrays of a
/// piece.
struct PieceBound {
  long long arrays, workspace;
};

/// The product of a rank's fused operands by pieces of rows. A tile of B came once, and serves all
/// pieces: so they may be as many as the bound makes them.
template <class Scalar, class Device>
class ProductPieces {
 public:
  using Operands = KeptOperands<Scalar, Device>;

  /// @param rows of this rank's slice
  /// @param counters get pieces, bytes, and what PartialSums counts
  ProductPieces(const ProcessGrid& grid, int rows, const KernelOptions& options,
                const PieceBound& bound, RoundCounters& counters, LocalFailure& failure)
      : grid_(grid),
        rows_(rows),
        options_(options),
        bound_(bound),
        counters_(counters),
        failure_(failure) {
    if (!isHost<Device>) options_.workspaceBytes = static_cast<std::size_t>(bound.workspace);
  }

  /// Forms all pieces. Collective over the row line; ranks of other lines need not keep up.
  /// @param operands null where this rank has none, as it or its node has failed
  void run(const Operands* operands, const PieceConsumer<Scalar, Device>& consume) {
    const PiecePlan<Device> plan(grid_, rows_, operands, bound_.arrays, failure_);
    bool goesOn = !plan.lineFailed();
    for (int begin = 0; goesOn && begin < rows_;) {
      Piece piece{begin, begin, {}, 0, {}};
      failure_.guard([&] { piece = form(plan, operands, begin); });
      goesOn = !anyFailed(!operands || failure_.failed());
      // Nobody of the line has failed here; who does so now says it at the next piece.
      if (goesOn) failure_.guard([&] { goesOn = consume(piece, failure_); });
      begin = piece.end;
    }
    memory_ = {};
  }

 private:
  using Piece = ProductPiece<Scalar, Device>;

  Piece form(const PiecePlan<Device>& plan, const Operands* operands, int begin) {
    const int end = plan.endOf(begin);
    Piece piece{begin, end, {}, 0, plan.deal(begin, end)};
    if (!operands) return piece;
    PartialSums<Scalar, Device> sums(options_, counters_, nullptr, &memory_);
    sums.add(rowsOf(operands->a, begin, end), operands->tile, {});
    piece.rows = sums.sum();
    ++counters_.pieces;
    const int me = grid_.me().j;
    const std::size_t most =
        bound_.workspace + plan.mostOf(begin, end, piece.shares[me], piece.shares[me + 1]);
    counters_.predictedPieceBytes = std::max(counters_.predictedPieceBytes, most);
    noteBytes(piece);
    return piece;
  }

  /// What the arrays of a piece take, and took while it was formed. A kernel's workspace on a
  /// device is not among them.
  void noteBytes(Piece& piece) {
    // Of A's rows, of the counted products, and of the piece.
    const std::size_t offsets = sizeof(std::size_t) * 3 * (piece.end - piece.begin + 1);
    piece.bytes = matrixBytes(piece.rows);
    std::size_t most = piece.bytes;
    if constexpr (isHost<Device>) {
      piece.bytes = std::max(piece.bytes, memory_.rows.bytes() + offsets);
      most = std::max(piece.bytes, memory_.rows.mostBytes + offsets);
    }
    counters_.pieceBytes = std::max(counters_.pieceBytes, most);
  }

  /// Whether some rank of the row line has failed. Collective over it.
  bool anyFailed(bool mine) const {
    int any = mine;
    if (grid_.shape().nodeCols > 1)
      allReduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, grid_.rowLine(),
                "the ranks that share rows to form a piece");
    return any != 0;
  }

  const ProcessGrid& grid_;
  int rows_;
  KernelOptions options_;
  PieceBound bound_;
  RoundCounters& counters_;
  LocalFailure& failure_;
  ProductMemory<Scalar, Device> memory_;  // of all pieces
};

}  // namespace Trident::Impl

#endif
