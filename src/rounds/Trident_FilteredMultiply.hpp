// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FILTEREDMULTIPLY_HPP
#define TRIDENT_FILTEREDMULTIPLY_HPP

#include <functional>
#include <memory>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "rounds/Trident_GridMultiply_decl.hpp"
#include "rounds/Trident_PieceFilter.hpp"
#include "rounds/Trident_PieceNumbers.hpp"

namespace Trident::Impl {

/// A filter by a rule, a functor rule(lanes, values, length) that returns a RowCut
/// (Trident_RowCut.hpp), and says by partsSuffice() whether it may see parts of rows.
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
  Permutation rowNumbers;
  NumbersOfColumns columns;

  /// For C = A·B. Local; takes memory.
  EntryFilter(const Keep& functor, const GridMatrix<Scalar, Device>& A,
              const GridMatrix<Scalar, Device>& B)
      : keep(functor),
        positions(*A.rows(), A.grid().me().i, A.grid().me().k),
        rowNumbers(A.rows()->permutation()),
        columns{B.columns()->permutation(), B.columns()->tileColBegin(B.grid().me().j)} {}

  bool partsSuffice() const { return false; }  // the facts are of the row
  KeepByEntry<Scalar, Keep, NumbersOfRows<Device>, NumbersOfColumns> keepFrom(int firstRow) const {
    return {keep, {positions, rowNumbers, firstRow}, columns};
  }
};

/// What a filter keeps of A·B, formed by pieces of rows within options.pieceBytes; what is kept
/// stands beside them, twice at the end where there were several pieces. The result depends neither
/// on pieces nor, where nothing is permuted, on the grid: ties and sums follow the order of the
/// columns' positions. Otherwise as multiplyByPieces(), collective over the grid.
/// @param filter a RuleFilter, an EntryFilter, or what has the same members
template <class Scalar, class Device, class Filter>
GridMatrix<Scalar, Device> multiplyFilteredOnGrid(const GridMatrix<Scalar, Device>& A,
                                                  const GridMatrix<Scalar, Device>& B,
                                                  const Filter& filter,
                                                  const RoundOptions& options = RoundOptions(),
                                                  RoundCounters* counters = nullptr,
                                                  LocalFailure* failure = nullptr) {
  LocalFailure own;
  LocalFailure& failed = failure ? *failure : own;
  RoundCounters unseen;
  RoundCounters& count = counters ? *counters : unseen;
  PieceFilter<Scalar, Device, Filter> pieces(*A.transport(), filter, options, count);
  multiplyByPieces<Scalar, Device>(A, B, std::ref(pieces), options, &count, &failed);
  LocalMatrix<Scalar, Device> C;
  failed.guard([&] { C = pieces.result(A.local().numRows(), B.local().numCols()); });
  if (!failure) throwEverywhere(A.grid().comm(), own.text());
  return {A.transport(), A.rows(), B.columns(), C, RowOrder::Ascending};
}

/// What options.dropTolerance and options.keepLargest leave of A·B; otherwise as
/// multiplyFilteredOnGrid().
template <class Scalar, class Device>
GridMatrix<Scalar, Device> multiplyAndDrop(const GridMatrix<Scalar, Device>& A,
                                           const GridMatrix<Scalar, Device>& B,
                                           const RoundOptions& options,
                                           RoundCounters* counters = nullptr,
                                           LocalFailure* failure = nullptr) {
  if constexpr (hasOrderedMagnitude<Scalar>) {
    const DropRule<Scalar> rule{
        static_cast<ToleranceOf<MagnitudeOf<Scalar>>>(options.dropTolerance), options.relative,
        options.keepLargest, options.keepTies};
    return multiplyFilteredOnGrid(A, B, RuleFilter<Scalar, DropRule<Scalar>>{rule}, options,
                                  counters, failure);
  } else {
    throw Error("products of this scalar cannot be filtered by magnitude; take a functor");
  }
}

/// What a user's functor keeps of A·B (EntryFilter); otherwise as multiplyFilteredOnGrid().
template <class Scalar, class Device, class Keep>
GridMatrix<Scalar, Device> multiplyKeepingOnGrid(const GridMatrix<Scalar, Device>& A,
                                                 const GridMatrix<Scalar, Device>& B,
                                                 const Keep& keep, const RoundOptions& options,
                                                 RoundCounters& counters) {
  using Filter = EntryFilter<Scalar, Device, Keep>;
  std::unique_ptr<const Filter> filter;
  runEverywhere(A.grid().comm(), [&] { filter = std::make_unique<const Filter>(keep, A, B); });
  return multiplyFilteredOnGrid(A, B, *filter, options, &counters);
}

}  // namespace Trident::Impl

#endif
