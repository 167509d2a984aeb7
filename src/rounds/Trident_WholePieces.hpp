// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WHOLEPIECES_HPP
#define TRIDENT_WHOLEPIECES_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "rounds/Trident_GridMultiply_decl.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "rounds/Trident_SharedRows.hpp"

namespace Trident::Impl {

/// Whole rows of a product, numbered along the Maps of its rows and columns.
template <class Scalar, class Device>
struct NumberedRows {
  Kokkos::View<Position*, Device> rows;            ///< their numbers
  Kokkos::View<const std::size_t*, Device> begin;  ///< of each row's entries, and the end
  Kokkos::View<Position*, Device> columns;         ///< of each entry
  Kokkos::View<const Scalar*, Device> values;
};

/// The number of a column that came in a part, by the tile that the part is of. For kernels.
template <class Device>
struct NumbersOfParts {
  Permutation permutation;
  Kokkos::View<const Position*, Device> corners;  ///< position of each tile's first column
  int rows;                                       ///< of each tile

  KOKKOS_INLINE_FUNCTION Position operator()(long long part, int column) const {
    return permutation.inverse(corners(part / rows) + column);
  }
};

/// Gives the pieces of A·B to a consumer, as whole rows. Where ranks share rows, they deal the rows
/// of a piece out, and a rank gets all of its share.
template <class Scalar, class Device>
class WholePieces {
 public:
  using Piece = ProductPiece<Scalar, Device>;
  using Rows = NumberedRows<Scalar, Device>;
  using Consumer = std::function<void(const Rows&)>;

  /// Local; takes memory.
  /// @param consume called on the ranks that have rows of a piece; what it throws fails its rank
  WholePieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const Consumer& consume, const RoundOptions& options, RoundCounters& counters)
      : exchanges_(*A.exchanges()),
        positions_(*A.rows(), A.grid().me().i, A.grid().me().k),
        rowNumbers_(A.rows()->permutation()),
        columnNumbers_(B.columns()->permutation()),
        consume_(consume),
        options_(options),
        counters_(counters) {
    std::vector<Position> corners;
    for (int j = 0; j < members(); ++j) corners.push_back(B.columns()->tileColBegin(j));
    corners_ = toDevice<Position, Device>(corners);
  }

  /// As PieceConsumer.
  bool operator()(const Piece& piece, LocalFailure& failure) {
    if (members() > 1) return passShared(piece, failure);
    failure.guard([&] {
      const Rows rows = take(piece.begin, piece.end, piece.rows.nnz());
      number(piece.rows, rows.columns);
      pass({rows.rows, piece.rows.graph.row_map, rows.columns, piece.rows.values}, piece, 0);
    });
    return !failure.failed();
  }

  // Not private, as CUDA wants it of what has kernels.

  /// Room for rows [begin, end), which get their numbers, and for the columns of their entries.
  Rows take(int begin, int end, std::size_t entries) const {
    Rows taken;
    taken.rows = uninitialized<Position, Device>("Trident::numbers", end - begin);
    taken.columns = uninitialized<Position, Device>("Trident::columns", entries);
    const auto to = taken.rows;
    const NumbersOfRows<Device> number{positions_, rowNumbers_, begin};
    Kokkos::parallel_for(
        "Trident::rowNumbers", Range<Device>(0, end - begin),
        TRIDENT_LAMBDA(long long r) { to(r) = number(r); });
    return taken;
  }

  /// The numbers of a piece's columns.
  void number(const LocalMatrix<Scalar, Device>& piece,
              const Kokkos::View<Position*, Device>& to) const {
    const auto columns = piece.graph.entries;
    const auto corners = corners_;
    const Permutation permutation = columnNumbers_;
    Kokkos::parallel_for(
        "Trident::columnNumbers", Range<Device>(0, columns.extent(0)),
        TRIDENT_LAMBDA(long long e) { to(e) = permutation.inverse(corners(0) + columns(e)); });
  }

 private:
  int members() const { return exchanges_.grid().shape().nodeCols; }

  bool passShared(const Piece& piece, LocalFailure& failure) {
    const int me = exchanges_.grid().me().j;
    Rows mine;
    Kokkos::View<int*, Device> came;
    SharedRows<Scalar, Device> shared(
        exchanges_, piece, options_, transfers_, failure, [&](long long, long long entries) {
          came = uninitialized<int, Device>("Trident::sharedColumns", entries);
          mine = take(piece.shares[me], piece.shares[me + 1], static_cast<std::size_t>(entries));
        });
    if (shared.lineFailed()) return false;
    {
      const PhaseScope scope(counters_.seconds, Phase::Accumulate);
      Traffic& traffic = counters_.traffic.rounds;
      shared.gather(traffic, failure);
      shared.bring(piece.rows.graph.entries.data(), came.data(), traffic, failure);
    }
    failure.guard([&] {
      const WholeRows<Scalar, Device>& whole = shared.whole();
      shared.setSideBySide(came, mine.columns,
                           NumbersOfParts<Device>{columnNumbers_, corners_, whole.rows});
      pass({mine.rows, whole.rowBegin, mine.columns, whole.values}, piece,
           shared.bytes() + came.extent(0) * sizeof(int));
    });
    return true;
  }

  /// @param more bytes that stand beside the piece and its numbers
  void pass(const Rows& rows, const Piece& piece, std::size_t more) {
    Kokkos::fence();
    const std::size_t numbers = (rows.rows.extent(0) + rows.columns.extent(0)) * sizeof(Position);
    counters_.pieceBytes = std::max(counters_.pieceBytes, piece.bytes + numbers + more);
    if (rows.rows.extent(0) > 0) consume_(rows);
    Kokkos::fence();  // what the consumer has started reads these arrays
  }

  const GridExchanges& exchanges_;
  RowPositions<Device> positions_;
  Permutation rowNumbers_, columnNumbers_;
  Kokkos::View<Position*, Device> corners_;  // of the tiles of B's columns
  const Consumer& consume_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  std::unique_ptr<PeerTransfers> transfers_;  // where rows are shared
};

/// Gives A·B to consume(rows), piece by piece, each row once on one rank; otherwise as
/// multiplyByPieces(), collective over the grid.
template <class Scalar, class Device>
void multiplyPassingOnGrid(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                           const typename WholePieces<Scalar, Device>::Consumer& consume,
                           const RoundOptions& options, RoundCounters& counters) {
  using Pieces = WholePieces<Scalar, Device>;
  std::unique_ptr<Pieces> pieces;
  runEverywhere(A.grid().comm(),
                [&] { pieces = std::make_unique<Pieces>(A, B, consume, options, counters); });
  multiplyByPieces<Scalar, Device>(A, B, std::ref(*pieces), options, &counters);
}

}  // namespace Trident::Impl

#endif
