// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTPIECES_HPP
#define TRIDENT_PRODUCTPIECES_HPP

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MatrixParts.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_Search.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "rounds/Trident_ProductSinks.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// A functor that returns the number of a piece's row. The piece begins at local row `first`.
template <class Device>
struct PieceRowNumbers {
  RowPositions<Device> positions;
  int first;

  KOKKOS_INLINE_FUNCTION Position operator()(long long row) const {
    return positions(first + static_cast<int>(row));
  }
};
struct TileColumnNumbers {
  Position corner;  ///< number of the tile's first column

  KOKKOS_INLINE_FUNCTION Position operator()(long long column) const { return corner + column; }
};

/// Rows [begin, end) of a rank's slice of a product. Each row is sorted by column. The next piece
/// may overwrite these rows.
template <class Scalar, class Device>
struct ProductPiece {
  int begin, end;
  LocalMatrix<Scalar, Device> rows;
  std::size_t bytes;  ///< bytes of the arrays of `rows`, with their unused room
  /// First row of each share, and the end. A share is the rows that one rank handles for all ranks
  /// of the row line. Shares have nearly equal bytes.
  std::vector<int> shares;
};

/// A function that takes the pieces of a product, in ascending order. All ranks of a row line call
/// the function for the same rows, and none of them has failed. So the function may communicate
/// along the line. The function notes its failure in `failure`, or throws if no other rank waits
/// for this rank. The others learn of a failure before the next piece. The function returns false,
/// on all ranks of the line, if no further piece should come.
template <class Scalar, class Device>
using PieceConsumer =
    std::function<bool(const ProductPiece<Scalar, Device>& piece, LocalFailure& failure)>;

/// Upper bounds of the bytes that a piece takes while it is formed and filtered. The bounds hold
/// because a row has at most min(multiply-adds, columns of the tile) entries.
struct PieceCosts {
  long long perEntry, perRow;  ///< bytes for each entry, and for each row

  /// @param shared true if other ranks have parts of the rows. Then a rank also holds the values of
  ///   its share twice: in the order of arrival, and in the order of rows. A consumer of whole rows
  ///   holds the columns twice, too: as they arrived, and as numbers. It keeps no entries
  static PieceCosts of(std::size_t scalarBytes, bool onHost, bool shared) {
    const long long value = static_cast<long long>(scalarBytes);
    const long long entry = value + static_cast<long long>(sizeof(int));
    const long long twiceMore = 2 * std::max(value, static_cast<long long>(sizeof(Position)));
    // Devices hold each entry twice: in the product and among the kept entries. On hosts, grown
    // arrays have room for at most twice the entries. While arrays grow, the old arrays hold the
    // entries, too. Later the kept entries, or a consumer's column numbers, take that room.
    const long long entries = onHost ? 3 : 2;
    // A row takes offsets (of A, of the product and of the kept entries), counts and verdicts.
    return {entries * entry + (shared ? twiceMore : 0), shared ? 256 : 96};
  }
};

/// A plan that cuts rows into pieces within a bound of memory. The ranks of a row line share rows,
/// so all make the same plan. The plan counts each row with the bytes of the row's largest part.
template <class Device>
class PiecePlan {
 public:
  using Counts = Kokkos::View<long long*, Device>;

  /// Plans the pieces of a product. Collective over the row line.
  /// @param operands operands of the product; null if this rank has none
  /// @param bytes this rank's bound of a piece. The smallest bound of the row line is used
  template <class Scalar>
  PiecePlan(const ProcessGrid& grid, int rows, const BatchOperands<Scalar, Device>* operands,
            long long bytes, LocalFailure& failure)
      : rows_(rows), members_(grid.shape().nodeCols), bytes_(bytes) {
    failure.guard([&] {
      before_ = operands ? multiplyAddsOfRows(operands->a, operands->tile)
                         : Counts("Trident::multiplyAdds", rows + 1);
      if (operands) boundByColumns(before_, operands->tile.numCols());
      Kokkos::fence();
    });
    if (members_ > 1)
      agree(grid.rowLine(), failure);
    else
      lineFailed_ = failure.failed();
    failure.guard([&] {
      addCosts(before_, PieceCosts::of(sizeof(Scalar), isHost<Device>, members_ > 1));
      countsToOffsets<long long, Device>(before_);
      Kokkos::fence();
    });
  }

  /// Returns true, on all ranks of the row line, if one of them has failed. Then no pieces are
  /// planned. If a rank fails later, the others learn of this at the first piece.
  bool lineFailed() const { return lineFailed_; }

  /// Returns the end of the piece that begins at row `begin`. The piece has as many rows as fit,
  /// and at least one. Local.
  int endOf(int begin) const { return std::max(rowsAt(begin, {bytes_}).front(), begin + 1); }

  /// Deals rows [begin, end) to the ranks of the row line, in shares of nearly equal bytes. Returns
  /// the first row of each share, and the end. Local.
  std::vector<int> deal(int begin, int end) const {
    if (members_ == 1) return {begin, end};
    const long long portion = bytesOf(begin, end) / members_;
    std::vector<long long> bytes;
    for (int m = 0; m < members_; ++m) bytes.push_back(portion * m);
    std::vector<int> shares = rowsAt(begin, bytes);
    shares.push_back(end);
    return shares;
  }

  /// Returns an upper bound of the bytes of piece [begin, end) on this rank, whose share is rows
  /// [first, last): the larger of bytesOf(piece) and (ranks of the line) · bytesOf(share). Local.
  long long mostOf(int begin, int end, int first, int last) const {
    const long long piece = bytesOf(begin, end);
    return members_ == 1 ? piece : std::max(piece, members_ * bytesOf(first, last));
  }

  /// Returns an upper bound of the bytes of rows [begin, end), if all shares are equal. Local.
  long long bytesOf(int begin, int end) const {
    const auto at = elementsAt<Device>(before_, {begin, end});
    return at[1] - at[0];
  }

  // Public, because CUDA needs this for functions with kernels.

  static void boundByColumns(const Counts& multiplyAdds, long long columns) {
    Kokkos::parallel_for(
        "Trident::mostEntries", Range<Device>(0, multiplyAdds.extent(0)),
        TRIDENT_LAMBDA(long long r) {
          if (multiplyAdds(r) > columns) multiplyAdds(r) = columns;
        });
  }
  static void addCosts(const Counts& entries, const PieceCosts& costs) {
    Kokkos::parallel_for(
        "Trident::pieceCosts", Range<Device>(0, entries.extent(0)),
        TRIDENT_LAMBDA(long long r) { entries(r) = entries(r) * costs.perEntry + costs.perRow; });
  }

  /// Returns, for each number of `bytes`, the largest r with bytesOf(begin, r) <= this number.
  std::vector<int> rowsAt(int begin, const std::vector<long long>& bytes) const {
    const auto wanted = toDevice<long long, Device>(bytes);
    const auto found = uninitialized<int, Device>("Trident::pieceRows", bytes.size());
    const auto before = before_;
    const long long ends = rows_ + 1;
    Kokkos::parallel_for(
        "Trident::pieceRows", Range<Device>(0, bytes.size()), TRIDENT_LAMBDA(long long n) {
          found(n) = static_cast<int>(intervalOf(before, ends, before(begin) + wanted(n)));
        });
    return toHost<int, Device>(found);
  }

 private:
  /// Finds the line's least bound, and each row's longest part. Sets lineFailed_. Collective.
  void agree(MPI_Comm line, LocalFailure& failure) {
    std::vector<long long> entries;
    failure.guard([&] { entries = toHost<long long, Device>(before_); });
    long long most[2] = {-bytes_, failure.failed()};
    allReduce(MPI_IN_PLACE, most, 2, MPI_LONG_LONG, MPI_MAX, line, "the bound of a piece");
    bytes_ = -most[0];
    lineFailed_ = most[1] > 0;
    if (lineFailed_) return;
    allReduce(MPI_IN_PLACE, entries.data(), rows_ + 1, MPI_LONG_LONG, MPI_MAX, line,
              "the entries of shared rows");
    failure.guard([&] { before_ = Impl::toDevice<long long, Device>(entries); });
  }

  int rows_, members_;
  long long bytes_;
  bool lineFailed_ = false;
  Counts before_;  // bound of bytes before each row; until addCosts(), bound of each row's entries
};

/// Bounds for the arrays of a piece and for the kernel's workspace, in bytes.
struct PieceBound {
  long long arrays, workspace;
};

/// Returns true if small pieces cost hardly more than large ones, because one thread forms a piece,
/// and no other rank has a part of the piece.
template <class Device>
bool smallPiecesPay(const ProcessGrid& grid) {
  if constexpr (isHost<Device>)
    return grid.shape().nodeCols == 1 && typename Device::execution_space().concurrency() == 1;
  return false;
}

/// Returns the bounds for a piece on this rank. Only devices have a workspace.
/// @param bytesA, bytesB bytes of this rank's slices of A and B
/// @param masked true if there is a mask. Then each piece makes workspaces as wide as B
template <class Device>
PieceBound pieceBound(const ProcessGrid& grid, std::size_t bytesA, std::size_t bytesB,
                      const RoundOptions& options, bool masked = false) {
  constexpr long long least = 256ll << 20;
  // A piece takes about an eighth of its bound: here 2 MiB, which fit in a cache.
  constexpr long long small = 16ll << 20;
  const long long own = static_cast<long long>(bytesA + bytesB);
  const long long bytes = options.pieceBytes > 0 ? static_cast<long long>(options.pieceBytes)
                                                 : std::max(least, 8 * own);
  if (!masked && smallPiecesPay<Device>(grid)) return {std::min(bytes, small), 0};
  if (isHost<Device>) return {bytes, 0};
  const long long asked = options.workspaceBytes > 0
                              ? static_cast<long long>(options.workspaceBytes)
                              : least + static_cast<long long>(bytesB) / 10;
  const long long workspace = std::min(asked, bytes / 4);
  return {bytes - workspace, workspace};
}

/// A sink that keeps the operands of a product until the rounds are over. Then it forms the product
/// by pieces of rows, and gives each piece to a consumer. The piece is gone when the consumer
/// returns. To form and filter a piece takes at most options.pieceBytes on a rank, or the bytes of
/// one row. B's tile and the memory of the rounds are not included. B's tile travels only once, so
/// there may be many pieces. If a rank fails, ranks of other grid rows may still get pieces.
template <class Scalar, class Device>
class ProductPieces final : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;
  using Operands = BatchOperands<Scalar, Device>;
  using Consumer = PieceConsumer<Scalar, Device>;

  /// Prepares the pieces of A·B. Local. All arguments but `options` must outlive this object.
  /// @param counters counters that get pieces, bytes and the counts of PartialSums
  /// @param mask mask of the product, or null. Bounds on devices do not include the mask
  ProductPieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                const Consumer& consume, const RoundOptions& options, RoundCounters& counters,
                LocalFailure& failure, const LocalMask<Device>* mask = nullptr)
      : grid_(A.grid()),
        rows_(A.local().numRows()),
        consume_(consume),
        options_(options),
        bound_(pieceBound<Device>(grid_, matrixBytes(A.local()), matrixBytes(B.local()), options,
                                  mask != nullptr)),
        counters_(counters),
        failure_(failure),
        mask_(mask) {
    if (!isHost<Device>) options_.workspaceBytes = static_cast<std::size_t>(bound_.workspace);
  }

  bool masked() const override { return mask_ != nullptr; }
  bool inOneBatch() const override { return true; }
  void expect(std::size_t batches) override {
    if (batches > 1)
      throw Error(
          "the rows of a tile of B are more than can be counted at once, which a product in pieces "
          "of rows needs; use \"fetch\" = \"needed-rows\" on a grid of several node rows");
  }
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>&) override {
    operands_ = {a, tile};
  }
  /// Forms all pieces. Collective over the row line. Row lines do not wait for each other.
  void end(bool formed) override {
    const Operands* const operands = formed ? &operands_ : nullptr;
    const PiecePlan<Device> plan(grid_, rows_, operands, bound_.arrays, failure_);
    bool goesOn = !plan.lineFailed();
    for (int begin = 0; goesOn && begin < rows_;) {
      Piece piece{begin, begin, {}, 0, {}};
      failure_.guard([&] { piece = form(plan, operands, begin); });
      goesOn = !anyFailed(!operands || failure_.failed());
      // If this rank fails in consume_(), other ranks of the line learn of this at the next piece.
      if (goesOn) failure_.guard([&] { goesOn = consume_(piece, failure_); });
      begin = piece.end;
    }
    memory_ = {};
  }
  std::string kernelName() const override {
    return nameOf(formingKernel<Scalar, Device>(options_, masked()));
  }

 private:
  using Piece = ProductPiece<Scalar, Device>;

  Piece form(const PiecePlan<Device>& plan, const Operands* operands, int begin) {
    const int end = plan.endOf(begin);
    Piece piece{begin, end, {}, 0, plan.deal(begin, end)};
    if (!operands) return piece;
    LocalMask<Device> mask;
    if (masked()) mask = rowsOf(*mask_, begin, end);
    PartialSums<Scalar, Device> sums(options_, counters_, masked() ? &mask : nullptr,
                                     masked() ? nullptr : &memory_);
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

  /// Sets piece.bytes to the present bytes of the piece's arrays. Raises counters_.pieceBytes to
  /// their most bytes so far. The workspace of a device's kernel is not included.
  void noteBytes(Piece& piece) {
    // There are three arrays of offsets: of A's rows, of multiply-adds, and of the piece's rows.
    const std::size_t offsets = sizeof(std::size_t) * 3 * (piece.end - piece.begin + 1);
    piece.bytes = matrixBytes(piece.rows);
    std::size_t most = piece.bytes;
    if constexpr (isHost<Device>) {
      piece.bytes = std::max(piece.bytes, memory_.rows.bytes() + offsets);
      most = std::max(piece.bytes, memory_.rows.mostBytes + offsets);
    }
    counters_.pieceBytes = std::max(counters_.pieceBytes, most);
  }

  /// Returns true if some rank of the row line has failed. Collective over the row line.
  bool anyFailed(bool mine) const {
    int any = mine;
    if (grid_.shape().nodeCols > 1)
      allReduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, grid_.rowLine(),
                "the ranks that share rows to form a piece");
    return any != 0;
  }

  const ProcessGrid& grid_;
  int rows_;  // rows of this rank's slice
  const Consumer consume_;
  KernelOptions options_;
  PieceBound bound_;
  RoundCounters& counters_;
  LocalFailure& failure_;
  const LocalMask<Device>* const mask_;
  Operands operands_;
  ProductMemory<Scalar, Device> memory_;  // memory that one piece leaves for the next
};

}  // namespace Trident::Impl

#endif
