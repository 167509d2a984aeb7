// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FILTEREDMULTIPLY_HPP
#define TRIDENT_FILTEREDMULTIPLY_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "matrix/Trident_FilterRows.hpp"
#include "rounds/Trident_JoinedPieces.hpp"
#include "rounds/Trident_ProductPieces.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "rounds/Trident_RowPartMerge.hpp"

namespace Trident::Impl {

/// Returns the verdict (a RowCut) for one part of a row. A row keeps the first of its ties.
/// @param[in,out] left verdict for this and all later parts; on return for the later parts alone
/// @tparam Cut a RowCut, or a type with more members
template <class Lanes, class Cut, class Scalar>
KOKKOS_INLINE_FUNCTION Cut verdictOfPart(const Lanes& lanes, Cut& left, const Scalar* values,
                                         int length) {
  Cut part = left;
  const int ties = lanes.count(length, [&](int e) { return magnitude(values[e]) == left.from; });
  if (ties <= left.ties) part.ties = length;
  left.ties -= ties <= left.ties ? ties : left.ties;
  return part;
}
template <class Lanes, class Scalar, class Magnitude>
KOKKOS_INLINE_FUNCTION RowFacts<Magnitude> verdictOfPart(const Lanes&, RowFacts<Magnitude>& facts,
                                                         const Scalar*, int) {
  return facts;
}

/// A functor that writes a verdict for each part of a row. A verdict is a RowCut, which says which
/// entries to keep, or the RowFacts of the whole row.
template <class Scalar, class Device, class Rule, class Verdict>
struct FindVerdicts {
  AssembledRows<Scalar, Device> whole;
  Rule rule;
  Kokkos::View<Verdict*, Device> verdicts;  ///< verdict on the whole row, for each of its parts

  KOKKOS_INLINE_FUNCTION int lengthOf(long long r) const {
    return static_cast<int>(whole.rowBegin(r + 1) - whole.rowBegin(r));
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const Scalar* const values = whole.values.data();
    Verdict left = rule(lanes, values + whole.rowBegin(r), lengthOf(r));
    for (int m = 0; m < whole.members; ++m) {
      const long long part = static_cast<long long>(m) * whole.rows + r;
      const Verdict mine =
          verdictOfPart(lanes, left, values + whole.partOffset(part), whole.partLength(part));
      lanes.once([&] { verdicts(part) = mine; });
    }
  }
};

/// A PieceConsumer that filters the pieces of a product, and keeps the entries that pass. If ranks
/// share rows, each rank judges the rows of its share. For this the rank gets all values of these
/// rows, in the order of columns. Then it sends its verdict on each row to the other ranks.
/// @tparam Filter type with three members. `rule` is a functor of Trident_FilterRows.hpp.
///   partsSuffice() returns true if the rule may judge each part of a row alone. keepFrom(firstRow)
///   returns a KeepByCut or KeepByEntry for the local rows from `firstRow` on
template <class Scalar, class Device, class Filter>
class PieceFilter {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// @param rows number of rows of all pieces together
  PieceFilter(const GridExchanges& exchanges, const Filter& filter, const RoundOptions& options,
              RoundCounters& counters, int rows)
      : exchanges_(exchanges),
        filter_(filter),
        options_(options),
        counters_(counters),
        kept_(rows) {}

  /// Filters a piece, and keeps the entries that pass. Returns false if the caller must stop.
  bool operator()(const ProductPiece<Scalar, Device>& piece, LocalFailure& failure) {
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    const auto keep = filter_.keepFrom(piece.begin);
    using Verdict = typename decltype(keep)::Verdict;
    const bool rowsAreWhole = exchanges_.grid().shape().nodeCols == 1;
    if (rowsAreWhole || filter_.partsSuffice()) {
      failure.guard([&] {
        take(piece, keepEntries(piece.rows, VerdictByRule<Rule>{filter_.rule}, keep), 0);
      });
      // If ranks share rows, a failed rank goes on. The next piece tells the failure to the others.
      return !rowsAreWhole || !failure.failed();
    }
    return takeShared<Verdict>(piece, keep, failure);
  }

  /// Returns the kept entries. Local.
  Matrix result(int columns) { return kept_.take(columns); }

 private:
  using Rule = decltype(Filter::rule);

  /// Filters a piece whose rows have parts on several ranks. The rank whose share has a row gets
  /// the values of all the row's parts, but no columns, and sends back a verdict for each part.
  /// Returns false if a rank of the row line lacks memory.
  template <class Verdict, class Keep>
  bool takeShared(const ProductPiece<Scalar, Device>& piece, const Keep& keep,
                  LocalFailure& failure) {
    Kokkos::View<Verdict*, Device> ofParts, verdicts;  // verdicts on received parts; on own rows
    RowPartMerge<Scalar, Device> shared(
        exchanges_, piece, options_, transfers_, failure, [&](long long parts, long long) {
          ofParts = Kokkos::View<Verdict*, Device>("Trident::verdictsOfParts", parts);
          verdicts = Kokkos::View<Verdict*, Device>("Trident::verdicts", piece.end - piece.begin);
        });
    if (shared.lineFailed()) return false;
    Traffic& traffic = counters_.traffic.rounds;
    shared.gather(traffic, failure);
    failure.guard([&] {
      const auto& whole = shared.whole();
      forRowsByLanes<Device>(
          "Trident::findVerdicts", whole.rows, static_cast<long long>(whole.values.extent(0)),
          FindVerdicts<Scalar, Device, Rule, Verdict>{whole, filter_.rule, ofParts});
      Kokkos::fence();
    });
    shared.tell(ofParts.data(), verdicts.data(), traffic, failure);
    failure.guard([&] {
      take(piece, keepEntries(piece.rows, KnownVerdicts<Verdict, Device>{verdicts}, keep),
           shared.bytes() + (ofParts.extent(0) + verdicts.extent(0)) * sizeof(Verdict));
    });
    return true;
  }

  /// @param more bytes of further arrays, without the piece and its kept entries
  void take(const ProductPiece<Scalar, Device>& piece, const Matrix& kept, std::size_t more) {
    counters_.pieceBytes = std::max(counters_.pieceBytes, piece.bytes + matrixBytes(kept) + more);
    kept_.add(kept);
  }

  const GridExchanges& exchanges_;
  Filter filter_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  std::unique_ptr<PeerTransfers> transfers_;  // made for the first piece with shared rows
  JoinedPieces<Scalar, Device> kept_;
};

/// A filter by a rule: a functor rule(lanes, values, length) that returns a RowCut
/// (Trident_FilterRows.hpp). The rule must have partsSuffice(): see PieceFilter.
template <class Scalar, class Rule>
struct RuleFilter {
  Rule rule;

  bool partsSuffice() const { return rule.partsSuffice(); }
  KeepByCut<Scalar> keepFrom(int) const { return {}; }
};

/// A filter by a user's functor: bool keep(row, column, value, facts), with the numbers of row and
/// column (long long) and the RowFacts of the row.
template <class Scalar, class Device, class Keep>
struct EntryFilter {
  FindRowFacts<Scalar> rule;
  Keep keep;
  RowPositions<Device> positions;
  TileColumnNumbers columns;

  /// Makes the filter for C = A·B. Local; takes memory.
  EntryFilter(const Keep& functor, const GridMatrix<Scalar, Device>& A,
              const GridMatrix<Scalar, Device>& B)
      : keep(functor),
        positions(*A.rows(), A.grid().me().i, A.grid().me().k),
        columns{B.columns()->tileColBegin(B.grid().me().j)} {}

  bool partsSuffice() const { return false; }  // RowFacts need the whole row
  KeepByEntry<Scalar, Keep, PieceRowNumbers<Device>, TileColumnNumbers> keepFrom(
      int firstRow) const {
    return {keep, {positions, firstRow}, columns};
  }
};

/// Returns the entries of A·B that a filter keeps. Forms A·B by pieces of rows, within
/// options.pieceBytes. The kept entries take more memory: on a device twice, while it joins several
/// pieces. The result is the same for any pieces and any grid, because ties and sums follow the
/// order of column numbers. Collective over the grid. Throws or sets `failure` as Rounds does.
/// @param filter a RuleFilter, an EntryFilter, or a type with the same members
/// @param mask mask of the product, or null
template <class Scalar, class Device, class Filter>
GridMatrix<Scalar, Device> multiplyFiltered(const GridMatrix<Scalar, Device>& A,
                                            const GridMatrix<Scalar, Device>& B,
                                            const Filter& filter, const RoundOptions& options,
                                            RoundCounters& counters, LocalFailure& failure,
                                            const LocalMask<Device>* mask = nullptr) {
  PieceFilter<Scalar, Device, Filter> kept(*A.exchanges(), filter, options, counters,
                                           A.local().numRows());
  ProductPieces<Scalar, Device> pieces(A, B, std::ref(kept), options, counters, failure, mask);
  Rounds<Scalar, Device>(A, B, options, counters, failure).run(pieces);
  LocalMatrix<Scalar, Device> C;
  failure.guard([&] { C = kept.result(B.local().numCols()); });
  return {A.exchanges(), A.rows(), B.columns(), C, RowOrder::Ascending};
}

/// Returns A·B without the entries that options.dropTolerance and options.keepLargest drop. Memory,
/// errors and collectivity are as in multiplyFiltered().
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyAndDrop(const GridMatrix<Scalar, Device>& A,
                                           const GridMatrix<Scalar, Device>& B,
                                           const RoundOptions& options, RoundCounters& counters,
                                           LocalFailure& failure,
                                           const LocalMask<Device>* mask = nullptr) {
  if constexpr (hasOrderedMagnitude<Scalar>) {
    const DropRule<Scalar> rule{
        static_cast<ToleranceOf<MagnitudeOf<Scalar>>>(options.dropTolerance), options.relative,
        options.keepLargest};
    return multiplyFiltered(A, B, RuleFilter<Scalar, DropRule<Scalar>>{rule}, options, counters,
                            failure, mask);
  } else {
    throw Error("products of this scalar cannot be filtered by magnitude; take a functor");
  }
}

/// Returns the entries of A·B that a user's functor keeps (EntryFilter). Memory, errors and
/// collectivity are as in multiplyFiltered().
template <class Scalar, class Device, class Keep>
GridMatrix<Scalar, Device> multiplyKeeping(const GridMatrix<Scalar, Device>& A,
                                           const GridMatrix<Scalar, Device>& B, const Keep& keep,
                                           const RoundOptions& options, RoundCounters& counters,
                                           LocalFailure& failure) {
  using Filter = EntryFilter<Scalar, Device, Keep>;
  std::unique_ptr<const Filter> filter;
  runEverywhere(A.grid().comm(), [&] { filter = std::make_unique<const Filter>(keep, A, B); });
  return multiplyFiltered(A, B, *filter, options, counters, failure);
}

}  // namespace Trident::Impl

#endif
