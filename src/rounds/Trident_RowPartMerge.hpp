// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWPARTMERGE_HPP
#define TRIDENT_ROWPARTMERGE_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MatrixParts.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// The whole rows of a rank's share, and the places of their parts. Each member of the row line
/// sent a part of every row. Part m·rows + r is the part of row r that member m sent.
template <class Scalar, class Device>
struct AssembledRows {
  int members, rows;
  Kokkos::View<std::size_t*, Device> partBegin;   ///< start of each part in the received values
  Kokkos::View<std::size_t*, Device> partOffset;  ///< start of each part among `values`
  Kokkos::View<std::size_t*, Device> rowBegin;    ///< start of each row among `values`
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_INLINE_FUNCTION int partLength(long long part) const {
    return static_cast<int>(partBegin(part + 1) - partBegin(part));
  }
};

/// The exchange of a piece whose rows have parts on several ranks of a row line, seen from one
/// rank. Each part travels to the rank whose share has the row. That rank joins the parts of a row
/// in the order of node columns, so the positions of columns ascend.
template <class Scalar, class Device>
class RowPartMerge {
 public:
  using Piece = ProductPiece<Scalar, Device>;

  /// Exchanges the sizes of the parts, and takes all memory. Collective over the row line.
  /// @param transfers transfers that all pieces use; made here if null
  /// @param more function more(parts, entries) by which the caller makes room for received data
  template <class More>
  RowPartMerge(const GridExchanges& exchanges, const Piece& piece, const RoundOptions& options,
               std::unique_ptr<PeerTransfers>& transfers, LocalFailure& failure, const More& more)
      : grid_(exchanges.grid()), piece_(piece), transfers_(transfers) {
    std::vector<long long> rows(members(), 0), values(members(), 0);
    failure.guard([&] { countMine(rows, values); });
    auto plans = AllToAll::pair(grid_, Factor::A, rows, values, options.messageBytes);
    partsPlan_.emplace(std::move(plans.first));
    entriesPlan_.emplace(std::move(plans.second));
    failure.guard([&] {
      if (!transfers_) transfers_ = exchanges.lineTransfers(Factor::A, memoryOf<Device>, options);
      allocate();
      more(partsPlan_->receives(), entriesPlan_->receives());
      Kokkos::fence();
    });
    int any = failure.failed();
    allReduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, grid_.rowLine(),
              "the ranks that share rows to make room for them");
    lineFailed_ = any != 0;
  }

  /// Returns true, on all ranks of the line, if one lacked memory. Then call no other function.
  bool lineFailed() const { return lineFailed_; }

  /// Gathers the values of the rows of this rank's share. Collective over the line.
  void gather(Traffic& traffic, LocalFailure& failure) {
    failure.attempt([&] {
      partsPlan_->exchange(myLengths_.data(), lengths_.data(), sizeof(int), *transfers_, traffic);
    });
    receiveParts(piece_.rows.values.data(), came_.data(), traffic, failure);
    failure.guard([&] {
      arrange();
      setSideBySide(came_, whole_.values, AsItIs());
      Kokkos::fence();
    });
  }

  /// Receives a datum of each entry of this rank's share. Collective over the line.
  /// @param mine data of the entries of this rank's piece, to send
  /// @param came array for the received data, in the order of members, parts and entries
  template <class Entry>
  void receiveParts(const Entry* mine, Entry* came, Traffic& traffic, LocalFailure& failure) {
    failure.attempt(
        [&] { entriesPlan_->exchange(mine, came, sizeof(Entry), *transfers_, traffic); });
  }

  /// Sends a datum about each received part back to the part's sender. Collective over the line.
  /// @param ofParts data about the received parts
  /// @param mine array for the data about this rank's own parts
  template <class Word>
  void tell(const Word* ofParts, Word* mine, Traffic& traffic, LocalFailure& failure) {
    failure.attempt(
        [&] { partsPlan_->exchangeBack(ofParts, mine, sizeof(Word), *transfers_, traffic); });
  }

  /// Returns the rows of this rank's share, after gather().
  const AssembledRows<Scalar, Device>& whole() const { return whole_; }

  /// Returns the bytes of this object's arrays, without the piece.
  std::size_t bytes() const {
    return 2 * came_.extent(0) * sizeof(Scalar) + lengths_.extent(0) * (sizeof(int) + 16) +
           myLengths_.extent(0) * sizeof(int);
  }

  // Public, because CUDA needs this for functions with kernels.

  /// A functor that returns its argument.
  struct AsItIs {
    KOKKOS_INLINE_FUNCTION Scalar operator()(long long, const Scalar& value) const { return value; }
  };

  /// Writes convert(part, datum) for each received datum to the datum's place in the whole rows.
  /// Does not wait for the kernel.
  template <class From, class To, class Convert>
  void setSideBySide(const Kokkos::View<From*, Device>& came, const Kokkos::View<To*, Device>& to,
                     const Convert& convert) const {
    const AssembledRows<Scalar, Device> whole = whole_;
    forRowEntries<Device>(
        "Trident::wholeRows", lengths_.extent(0), came.extent(0), whole.partBegin,
        TRIDENT_LAMBDA(long long p, std::size_t e) {
          to(whole.partOffset(p) + (e - whole.partBegin(p))) = convert(p, came(e));
        });
  }

  /// Finds the lengths of this rank's parts. Counts the rows and entries to send to each member.
  void countMine(std::vector<long long>& rows, std::vector<long long>& values) {
    const int count = piece_.end - piece_.begin;
    const auto offsets = piece_.rows.graph.row_map;
    const auto lengths = uninitialized<int, Device>("Trident::partLengths", count);
    const bool any = piece_.rows.nnz() > 0;
    Kokkos::parallel_for(
        "Trident::partLengths", Range<Device>(0, count), TRIDENT_LAMBDA(long long r) {
          lengths(r) = any ? static_cast<int>(offsets(r + 1) - offsets(r)) : 0;
        });
    Kokkos::fence();
    myLengths_ = lengths;
    std::vector<int> at;
    for (const int row : piece_.shares) at.push_back(row - piece_.begin);
    std::vector<std::size_t> entries(at.size(), 0);
    if (any) entries = elementsAt<Device>(offsets, at);
    for (int m = 0; m < members(); ++m) {
      rows[m] = at[m + 1] - at[m];
      values[m] = static_cast<long long>(entries[m + 1] - entries[m]);
    }
  }

  void allocate() {
    const std::size_t parts = partsPlan_->receives(), values = entriesPlan_->receives();
    const int me = grid_.me().j;
    whole_.members = members();
    whole_.rows = piece_.shares[me + 1] - piece_.shares[me];
    whole_.partBegin = uninitialized<std::size_t, Device>("Trident::partBegin", parts + 1);
    whole_.partOffset = uninitialized<std::size_t, Device>("Trident::partOffsets", parts);
    whole_.rowBegin = uninitialized<std::size_t, Device>("Trident::rowBegin", whole_.rows + 1);
    whole_.values = uninitialized<Scalar, Device>("Trident::wholeRows", values);
    came_ = uninitialized<Scalar, Device>("Trident::sharedValues", values);
    lengths_ = uninitialized<int, Device>("Trident::sharedLengths", parts);
  }

  /// Finds the places of the parts that came.
  void arrange() {
    const AssembledRows<Scalar, Device> whole = whole_;
    const auto lengths = lengths_;
    Kokkos::parallel_for(
        "Trident::partBegin", Range<Device>(0, lengths.extent(0)),
        TRIDENT_LAMBDA(long long p) { whole.partBegin(p) = lengths(p); });
    countsToOffsets<std::size_t, Device>(whole.partBegin);
    Kokkos::parallel_for(
        "Trident::wholeLengths", Range<Device>(0, whole.rows), TRIDENT_LAMBDA(long long r) {
          std::size_t length = 0;
          for (int m = 0; m < whole.members; ++m)
            length += lengths(static_cast<long long>(m) * whole.rows + r);
          whole.rowBegin(r) = length;
        });
    countsToOffsets<std::size_t, Device>(whole.rowBegin);
    Kokkos::parallel_for(
        "Trident::partOffsets", Range<Device>(0, whole.rows), TRIDENT_LAMBDA(long long r) {
          std::size_t at = whole.rowBegin(r);
          for (int m = 0; m < whole.members; ++m) {
            const long long part = static_cast<long long>(m) * whole.rows + r;
            whole.partOffset(part) = at;
            at += lengths(part);
          }
        });
  }

 private:
  int members() const { return grid_.shape().nodeCols; }

  const ProcessGrid& grid_;
  const Piece& piece_;
  bool lineFailed_ = false;
  std::optional<AllToAll> partsPlan_, entriesPlan_;
  std::unique_ptr<PeerTransfers>& transfers_;
  Kokkos::View<int*, Device> myLengths_;  // lengths of this rank's parts
  Kokkos::View<int*, Device> lengths_;    // lengths of the parts that came
  Kokkos::View<Scalar*, Device> came_;    // received values, by member
  AssembledRows<Scalar, Device> whole_{};
};

/// Whole rows of a product, with the numbers of their rows and columns in the whole product.
template <class Scalar, class Device>
struct NumberedPiece {
  Kokkos::View<Position*, Device> rows;            ///< numbers of the rows
  Kokkos::View<const std::size_t*, Device> begin;  ///< start of each row's entries, and the end
  Kokkos::View<Position*, Device> columns;         ///< number of each entry's column
  Kokkos::View<const Scalar*, Device> values;
};

/// A functor that returns a column's number: first column of the part's tile + local column.
template <class Device>
struct NumbersOfParts {
  Kokkos::View<const Position*, Device> corners;  ///< number of each tile's first column
  int rows;                                       ///< number of rows of the share

  KOKKOS_INLINE_FUNCTION Position operator()(long long part, int column) const {
    return corners(part / rows) + column;
  }
};

/// A PieceConsumer that gives whole rows of A·B to a second consumer, piece by piece. If ranks
/// share rows, each rank gives the whole rows of its share.
template <class Scalar, class Device>
class WholePieces {
 public:
  using Piece = ProductPiece<Scalar, Device>;
  using Rows = NumberedPiece<Scalar, Device>;
  using Consumer = std::function<void(const Rows&)>;

  /// Makes a consumer of pieces, which passes whole rows on to `consume`. Local. Takes memory.
  /// @param consume called for each piece of which this rank has rows. Must outlive this object. If
  ///   it throws, this rank has failed
  WholePieces(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const Consumer& consume, const RoundOptions& options, RoundCounters& counters)
      : exchanges_(*A.exchanges()),
        positions_(*A.rows(), A.grid().me().i, A.grid().me().k),
        consume_(consume),
        options_(options),
        counters_(counters) {
    std::vector<Position> corners;
    for (int j = 0; j < members(); ++j) corners.push_back(B.columns()->tileColBegin(j));
    corners_ = toDevice<Position, Device>(corners);
  }

  /// Gives the whole rows of a piece to the consumer. Returns false if the line must stop.
  bool operator()(const Piece& piece, LocalFailure& failure) {
    if (members() > 1) return passShared(piece, failure);
    failure.guard([&] {
      const Rows rows = take(piece.begin, piece.end, piece.rows.nnz());
      number(piece.rows, rows.columns);
      pass({rows.rows, piece.rows.graph.row_map, rows.columns, piece.rows.values}, piece, 0);
    });
    return !failure.failed();
  }

  // Public, because CUDA needs this for functions with kernels.

  /// Returns the numbers of rows [begin, end), and room for the columns of their entries.
  Rows take(int begin, int end, std::size_t entries) const {
    Rows taken;
    taken.rows = uninitialized<Position, Device>("Trident::numbers", end - begin);
    taken.columns = uninitialized<Position, Device>("Trident::columns", entries);
    const auto to = taken.rows;
    const PieceRowNumbers<Device> number{positions_, begin};
    Kokkos::parallel_for(
        "Trident::rowNumbers", Range<Device>(0, end - begin),
        TRIDENT_LAMBDA(long long r) { to(r) = number(r); });
    return taken;
  }

  /// Writes the numbers of a piece's columns to `to`.
  void number(const LocalMatrix<Scalar, Device>& piece,
              const Kokkos::View<Position*, Device>& to) const {
    const auto columns = piece.graph.entries;
    const auto corners = corners_;
    Kokkos::parallel_for(
        "Trident::columnNumbers", Range<Device>(0, columns.extent(0)),
        TRIDENT_LAMBDA(long long e) { to(e) = corners(0) + columns(e); });
  }

 private:
  int members() const { return exchanges_.grid().shape().nodeCols; }

  bool passShared(const Piece& piece, LocalFailure& failure) {
    const int me = exchanges_.grid().me().j;
    Rows mine;
    Kokkos::View<int*, Device> came;
    RowPartMerge<Scalar, Device> shared(
        exchanges_, piece, options_, transfers_, failure, [&](long long, long long entries) {
          came = uninitialized<int, Device>("Trident::sharedColumns", entries);
          mine = take(piece.shares[me], piece.shares[me + 1], static_cast<std::size_t>(entries));
        });
    if (shared.lineFailed()) return false;
    {
      const PhaseScope scope(counters_.seconds, Phase::Accumulate);
      Traffic& traffic = counters_.traffic.rounds;
      shared.gather(traffic, failure);
      shared.receiveParts(piece.rows.graph.entries.data(), came.data(), traffic, failure);
    }
    failure.guard([&] {
      const AssembledRows<Scalar, Device>& whole = shared.whole();
      shared.setSideBySide(came, mine.columns, NumbersOfParts<Device>{corners_, whole.rows});
      pass({mine.rows, whole.rowBegin, mine.columns, whole.values}, piece,
           shared.bytes() + came.extent(0) * sizeof(int));
    });
    return true;
  }

  /// Gives rows to the second consumer.
  /// @param more bytes of further arrays, without the piece and the numbers
  void pass(const Rows& rows, const Piece& piece, std::size_t more) {
    Kokkos::fence();
    const std::size_t numbers = (rows.rows.extent(0) + rows.columns.extent(0)) * sizeof(Position);
    counters_.pieceBytes = std::max(counters_.pieceBytes, piece.bytes + numbers + more);
    if (rows.rows.extent(0) > 0) consume_(rows);
    Kokkos::fence();  // waits for kernels of the consumer that read these arrays
  }

  const GridExchanges& exchanges_;
  RowPositions<Device> positions_;
  Kokkos::View<Position*, Device> corners_;  // number of the first column of each tile of B
  const Consumer& consume_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  std::unique_ptr<PeerTransfers> transfers_;  // made for the first piece with shared rows
};

/// Gives the whole rows of A·B to consume(rows), by pieces. Each row goes to exactly one rank.
/// Collective over the grid. Throws or sets `failure` as Rounds does.
template <class Scalar, class Device>
void multiplyPassing(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                     const typename WholePieces<Scalar, Device>::Consumer& consume,
                     const RoundOptions& options, RoundCounters& counters, LocalFailure& failure) {
  using Pieces = WholePieces<Scalar, Device>;
  std::unique_ptr<Pieces> whole;
  runEverywhere(A.grid().comm(),
                [&] { whole = std::make_unique<Pieces>(A, B, consume, options, counters); });
  ProductPieces<Scalar, Device> pieces(A, B, std::ref(*whole), options, counters, failure);
  Rounds<Scalar, Device>(A, B, options, counters, failure).run(pieces);
}

}  // namespace Trident::Impl

#endif
