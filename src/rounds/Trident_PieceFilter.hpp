// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PIECEFILTER_HPP
#define TRIDENT_PIECEFILTER_HPP

#include <algorithm>
#include <memory>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "exchange/Trident_GridTransport.hpp"
#include "matrix/Trident_FilterRows.hpp"
#include "matrix/Trident_RowRange.hpp"
#include "rounds/Trident_ProductPiece.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "rounds/Trident_SharedVerdicts.hpp"

namespace Trident::Impl {

/// Filters the pieces of a product, and keeps what is left of them. Where ranks share rows, they
/// deal the rows of a piece out; a rank gets all values of its share, puts them in the order of the
/// columns' positions, and tells the others its verdict on each row.
/// @tparam Filter has `rule`, a functor as Trident_RowCut.hpp has them; partsSuffice(), whether the
///   rule may look at a part of a row as if it were the row; and keepFrom(firstRow), which returns
///   a KeepByCut or KeepByEntry for local rows from that one on
template <class Scalar, class Device, class Filter>
class PieceFilter {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  PieceFilter(const GridTransport& transport, const Filter& filter, const RoundOptions& options,
              RoundCounters& counters)
      : transport_(transport), filter_(filter), options_(options), counters_(counters) {}

  /// As PieceConsumer.
  bool operator()(const ProductPiece<Scalar, Device>& piece, LocalFailure& failure) {
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    const auto keep = filter_.keepFrom(piece.begin);
    using Verdict = typename decltype(keep)::Verdict;
    const bool rowsAreWhole = transport_.grid().shape().nodeCols == 1;
    if (rowsAreWhole || filter_.partsSuffice()) {
      failure.guard([&] {
        take(piece, keepEntries(piece.rows, VerdictByRule<Rule>{filter_.rule}, keep), 0);
      });
      // Ranks that share rows keep step: they hear of a failure before the next piece.
      return !rowsAreWhole || !failure.failed();
    }
    SharedVerdicts<Scalar, Device, Verdict> shared(transport_, piece, options_, transfers_,
                                                   failure);
    if (shared.lineFailed()) return false;
    shared.gather(counters_.traffic.rounds, failure);
    failure.guard([&] { shared.judge(filter_.rule); });
    shared.tell(counters_.traffic.rounds, failure);
    failure.guard([&] {
      const KnownVerdicts<Verdict, Device> verdicts{shared.verdicts()};
      take(piece, keepEntries(piece.rows, verdicts, keep), shared.bytes());
    });
    return true;
  }

  /// All that was kept. Local.
  Matrix result(int rows, int columns) {
    const Matrix all =
        kept_.empty() ? emptyMatrix<Scalar, Device>(rows, columns) : joinRows(kept_, rows, columns);
    kept_.clear();
    return all;
  }

 private:
  using Rule = decltype(Filter::rule);

  /// @param more bytes that stood beside the piece and what is kept of it
  void take(const ProductPiece<Scalar, Device>& piece, const Matrix& kept, std::size_t more) {
    counters_.pieceBytes = std::max(counters_.pieceBytes, piece.bytes + matrixBytes(kept) + more);
    kept_.push_back(kept);
  }

  const GridTransport& transport_;
  Filter filter_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  std::unique_ptr<PeerTransfers> transfers_;  // where rows are shared
  std::vector<Matrix> kept_;
};

}  // namespace Trident::Impl

#endif
