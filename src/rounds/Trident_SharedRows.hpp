// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAREDROWS_HPP
#define TRIDENT_SHAREDROWS_HPP

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MatrixParts.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// The rows of a rank's share, whole, and where in them the parts lie. Parts come from members of a
/// line; those of member m are parts m·rows to (m+1)·rows - 1.
template <class Scalar, class Device>
struct WholeRows {
  int members, rows;
  Kokkos::View<std::size_t*, Device> partBegin;   ///< of each part among the values that came
  Kokkos::View<std::size_t*, Device> partOffset;  ///< of each part among `values`
  Kokkos::View<std::size_t*, Device> rowBegin;    ///< of each row there
  Kokkos::View<Scalar*, Device> values;

  KOKKOS_INLINE_FUNCTION int partLength(long long part) const {
    return static_cast<int>(partBegin(part + 1) - partBegin(part));
  }
};

/// The rows of a piece whose parts lie on the ranks of a row line; seen from one rank. Each part
/// travels to the rank that has the row in its share. Parts are set side by side in the order of
/// node columns, which is that of positions.
template <class Scalar, class Device>
class SharedRows {
 public:
  using Piece = ProductPiece<Scalar, Device>;

  /// Tells the others how much comes, and takes all memory. Collective over the line.
  /// @param transfers of all pieces; made at the first
  /// @param more more(parts, entries) takes what the caller needs of memory for the parts that come
  ///   here, and the entries in them
  template <class More>
  SharedRows(const GridExchanges& exchanges, const Piece& piece, const RoundOptions& options,
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

  /// Whether some rank of the line lacked memory; then nothing follows. The same on all of them.
  bool lineFailed() const { return lineFailed_; }

  /// Brings the rows of this rank's share together. Collective over the line.
  void gather(Traffic& traffic, LocalFailure& failure) {
    failure.attempt([&] {
      partsPlan_->exchange(myLengths_.data(), lengths_.data(), sizeof(int), *transfers_, traffic);
    });
    bring(piece_.rows.values.data(), came_.data(), traffic, failure);
    failure.guard([&] {
      arrange();
      setSideBySide(came_, whole_.values, AsItIs());
      Kokkos::fence();
    });
  }

  /// Brings something more of the entries of this rank's share. Collective over the line.
  /// @param mine by the entries of the piece
  /// @param came gets it, by member, part and entry
  template <class Entry>
  void bring(const Entry* mine, Entry* came, Traffic& traffic, LocalFailure& failure) {
    failure.attempt(
        [&] { entriesPlan_->exchange(mine, came, sizeof(Entry), *transfers_, traffic); });
  }

  /// Tells the others something of each of their parts. Collective over the line.
  /// @param ofParts of the parts that came
  /// @param mine gets it of this rank's parts
  template <class Word>
  void tell(const Word* ofParts, Word* mine, Traffic& traffic, LocalFailure& failure) {
    failure.attempt(
        [&] { partsPlan_->exchangeBack(ofParts, mine, sizeof(Word), *transfers_, traffic); });
  }

  /// The rows of this rank's share, after gather().
  const WholeRows<Scalar, Device>& whole() const { return whole_; }

  /// Of the arrays that stand beside the piece.
  std::size_t bytes() const {
    return 2 * came_.extent(0) * sizeof(Scalar) + lengths_.extent(0) * (sizeof(int) + 16) +
           myLengths_.extent(0) * sizeof(int);
  }

  // Not private, as CUDA wants it of what has kernels.

  /// What came, unchanged.
  struct AsItIs {
    KOKKOS_INLINE_FUNCTION Scalar operator()(long long, const Scalar& value) const { return value; }
  };

  /// Sets what came by part where its rows are whole, as convert(part, what came). Does not wait
  /// for its kernel.
  template <class From, class To, class Convert>
  void setSideBySide(const Kokkos::View<From*, Device>& came, const Kokkos::View<To*, Device>& to,
                     const Convert& convert) const {
    const WholeRows<Scalar, Device> whole = whole_;
    forRowEntries<Device>(
        "Trident::wholeRows", lengths_.extent(0), came.extent(0), whole.partBegin,
        TRIDENT_LAMBDA(long long p, std::size_t e) {
          to(whole.partOffset(p) + (e - whole.partBegin(p))) = convert(p, came(e));
        });
  }

  /// The lengths of this rank's parts, and what of them each member gets.
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

  /// Finds the offsets of the parts that came.
  void arrange() {
    const WholeRows<Scalar, Device> whole = whole_;
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
  Kokkos::View<int*, Device> myLengths_;  // of this rank's parts
  Kokkos::View<int*, Device> lengths_;    // of the parts that came
  Kokkos::View<Scalar*, Device> came_;    // by member
  WholeRows<Scalar, Device> whole_{};
};

}  // namespace Trident::Impl

#endif
