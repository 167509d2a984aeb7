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

/// The numbers of local rows from some row on, and of columns of a tile. For kernels.
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

/// Rows [begin, end) of a rank's slice of a product, rows sorted by column. The next piece may
/// overwrite them.
template <class Scalar, class Device>
struct ProductPiece {
  int begin, end;
  LocalMatrix<Scalar, Device> rows;
  std::size_t bytes;  ///< size of its arrays, with the room that they have for more
  /// The rows dealt to the ranks of the row line, for nearly equal work: the first row of each, and
  /// the end.
  std::vector<int> shares;
};

/// Takes the pieces of a product, in their order. It is called for the same rows on all ranks of a
/// row line, none of which has failed by then, and may communicate along that line. A failure of
/// its own goes into the LocalFailure, or is thrown where no other rank waits for it; the others
/// hear of it before the next piece. It returns false where the line is to go on no further, the
/// same on all of its ranks.
template <class Scalar, class Device>
using PieceConsumer =
    std::function<bool(const ProductPiece<Scalar, Device>& piece, LocalFailure& failure)>;

/// Bytes that a piece of rows takes at most, while it is formed and filtered. A row has no more
/// entries than multiply-adds, which are counted, and no more than columns; so this is a bound and
/// no estimate.
struct PieceCosts {
  long long perEntry, perRow;  ///< bounds for an entry and for a row

  /// @param shared true if other ranks have parts of the rows: then values stand twice more, as
  ///   they came and in the order of rows; for a consumer so do columns, the second time as numbers
  ///   instead of what a filter keeps
  static PieceCosts of(std::size_t scalarBytes, bool onHost, bool shared) {
    const long long value = static_cast<long long>(scalarBytes);
    const long long entry = value + static_cast<long long>(sizeof(int));
    const long long twiceMore = 2 * std::max(value, static_cast<long long>(sizeof(Position)));
    // On devices those of the product and of the kept entries. The host's product lets arrays grow:
    // meanwhile there are the old ones, which have no room for all that rows have at most, and the
    // new ones, with room for twice as many; and these stay beside what is kept. The numbers of
    // columns, for a consumer, are no more than what is kept.
    const long long entries = onHost ? 3 : 2;
    // Offsets of A's rows, of the product's and of what is kept, counts, verdicts.
    return {entries * entry + (shared ? twiceMore : 0), shared ? 256 : 96};
  }
};

/// The rows that are formed together, within a bound of memory. Ranks that share rows, those of a
/// row line, plan alike: a row costs the bytes of the rank that may have the most entries of it.
template <class Device>
class PiecePlan {
 public:
  using Counts = Kokkos::View<long long*, Device>;

  /// Plans the pieces of a product. Collective over the row line.
  /// @param operands null where this rank has none
  /// @param bytes bound of a piece; the least of the line counts
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

  /// Returns true if some rank of the line has failed: then there is no plan. Alike on all of them;
  /// a later failure is told at the first piece.
  bool lineFailed() const { return lineFailed_; }

  /// Returns the end of the piece that begins at row `begin`: of as many rows as fit, but one at
  /// least. Local.
  int endOf(int begin) const { return std::max(rowsAt(begin, {bytes_}).front(), begin + 1); }

  /// Deals rows [begin, end) to the ranks that share them, for nearly equal bytes. Returns the
  /// first row of each rank, and the end. Local.
  std::vector<int> deal(int begin, int end) const {
    if (members_ == 1) return {begin, end};
    const long long portion = bytesOf(begin, end) / members_;
    std::vector<long long> bytes;
    for (int m = 0; m < members_; ++m) bytes.push_back(portion * m);
    std::vector<int> shares = rowsAt(begin, bytes);
    shares.push_back(end);
    return shares;
  }

  /// Returns the bytes that a piece takes at most on this rank, whose share of the rows is [first,
  /// last): those of the piece, or, if the share is more than an equal part, of as many such shares
  /// as ranks. Local.
  long long mostOf(int begin, int end, int first, int last) const {
    const long long piece = bytesOf(begin, end);
    return members_ == 1 ? piece : std::max(piece, members_ * bytesOf(first, last));
  }

  /// Returns the bytes that rows [begin, end) take at most, if each rank judges as many of the
  /// shared rows as others. Local.
  long long bytesOf(int begin, int end) const {
    const auto at = elementsAt<Device>(before_, {begin, end});
    return at[1] - at[0];
  }

  // Public, as CUDA wants functions with kernels.

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

  /// Finds for each number of bytes the last row r for which rows [begin, r) take no more bytes.
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
  /// Agrees with the ranks of the line on the least bound, and on the most entries of each row.
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
  Counts before_;  // entries that rows have at most; then bytes of the rows before each
};

/// Bytes that pieces may take, and of these the kernel's workspace; the others are the arrays of a
/// piece.
struct PieceBound {
  long long arrays, workspace;
};

/// Returns true if a piece more costs next to nothing: one thread forms it, and no other rank has a
/// part.
template <class Device>
bool smallPiecesPay(const ProcessGrid& grid) {
  if constexpr (isHost<Device>)
    return grid.shape().nodeCols == 1 && typename Device::execution_space().concurrency() == 1;
  return false;
}

/// Returns the bytes that pieces may take on a rank. On devices a part of these is the kernel's
/// workspace.
/// @param bytesA, bytesB of the rank's parts of the factors
/// @param masked true if a piece makes its own workspaces, which are as wide as B
template <class Device>
PieceBound pieceBound(const ProcessGrid& grid, std::size_t bytesA, std::size_t bytesB,
                      const RoundOptions& options, bool masked = false) {
  constexpr long long least = 256ll << 20;
  // The bound of a piece is about eight times its bytes: so it stays in a cache.
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

/// The sink that keeps the operands of a product, and forms it by pieces of rows when the rounds
/// are over. Each piece is given to a consumer and is gone when that returns. A piece, its making
/// and a filter take options.pieceBytes on a rank at most, or the bytes of one row; B's tile, and
/// the memory of the rounds, come beside. A tile of B comes once, and serves all pieces: so they
/// may be as many as the bound makes them. Where one rank fails, ranks of other row lines may still
/// be given their pieces.
template <class Scalar, class Device>
class ProductPieces final : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;
  using Operands = BatchOperands<Scalar, Device>;
  using Consumer = PieceConsumer<Scalar, Device>;

  /// Prepares the pieces of A·B. Local. All arguments outlive this but `options`.
  /// @param A, B the factors
  /// @param counters get pieces, bytes, and the counts of PartialSums
  /// @param mask mask of the entries; null: all are formed. On devices its memory is beside a piece
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
  /// Forms all pieces. Collective over the row line; ranks of other lines need not keep up.
  void end(bool formed) override {
    const Operands* const operands = formed ? &operands_ : nullptr;
    const PiecePlan<Device> plan(grid_, rows_, operands, bound_.arrays, failure_);
    bool goesOn = !plan.lineFailed();
    for (int begin = 0; goesOn && begin < rows_;) {
      Piece piece{begin, begin, {}, 0, {}};
      failure_.guard([&] { piece = form(plan, operands, begin); });
      goesOn = !anyFailed(!operands || failure_.failed());
      // Nobody of the line has failed here; who does so now says it at the next piece.
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

  /// Notes the bytes of a piece's arrays, now and at most while it was formed. A kernel's workspace
  /// on a device is not among them.
  void noteBytes(Piece& piece) {
    // These are the offsets of A's rows, of the counted multiply-adds, and of the piece.
    const std::size_t offsets = sizeof(std::size_t) * 3 * (piece.end - piece.begin + 1);
    piece.bytes = matrixBytes(piece.rows);
    std::size_t most = piece.bytes;
    if constexpr (isHost<Device>) {
      piece.bytes = std::max(piece.bytes, memory_.rows.bytes() + offsets);
      most = std::max(piece.bytes, memory_.rows.mostBytes + offsets);
    }
    counters_.pieceBytes = std::max(counters_.pieceBytes, most);
  }

  /// Returns true if some rank of the row line has failed. Collective over it.
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
  ProductMemory<Scalar, Device> memory_;  // plan of all pieces
};

}  // namespace Trident::Impl

#endif
