// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAREDVERDICTS_HPP
#define TRIDENT_SHAREDVERDICTS_HPP

#include <cstddef>
#include <memory>

#include "matrix/Trident_FilterRows.hpp"
#include "rounds/Trident_SharedRows.hpp"

namespace Trident::Impl {

/// A part's portion of the verdict on its row. Ties are dealt to the parts in their order.
/// @param left gets the verdict for the parts that follow
/// @tparam Cut a RowCut, or one with more in it
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

/// The verdict on a row for each of its parts.
template <class Scalar, class Device, class Rule, class Verdict>
struct JudgeRow {
  WholeRows<Scalar, Device> whole;
  Rule rule;
  Kokkos::View<Verdict*, Device> verdicts;  ///< of parts

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const Scalar* const values = whole.values.data();
    const std::size_t begin = whole.rowBegin(r);
    const int length = static_cast<int>(whole.rowBegin(r + 1) - begin);
    Verdict left = rule(lanes, values + begin, length);
    for (int m = 0; m < whole.members; ++m) {
      const long long part = static_cast<long long>(m) * whole.rows + r;
      const Verdict mine =
          verdictOfPart(lanes, left, values + whole.place(part), whole.partLength(part));
      lanes.once([&] { verdicts(part) = mine; });
    }
  }
};

/// The rows of a piece whose parts lie on the ranks of a row line, while they are judged; seen from
/// one rank. Its steps are the methods, in their order. Values travel to the rank that has the row
/// in its share, and a verdict for each part travels back; columns do not.
template <class Scalar, class Device, class Verdict>
class SharedVerdicts {
 public:
  /// As that of SharedRows.
  SharedVerdicts(const GridTransport& transport, const ProductPiece<Scalar, Device>& piece,
                 const RoundOptions& options, std::unique_ptr<PeerTransfers>& transfers,
                 LocalFailure& failure)
      : rows_(transport, piece, options, transfers, failure, [&](long long parts, long long) {
          ofParts_ = Kokkos::View<Verdict*, Device>("Trident::verdictsOfParts", parts);
          verdicts_ = Kokkos::View<Verdict*, Device>("Trident::verdicts", piece.end - piece.begin);
        }) {}

  /// As SharedRows::lineFailed().
  bool lineFailed() const { return rows_.lineFailed(); }

  /// Brings the rows of this rank's share together. Collective over the line.
  void gather(Traffic& traffic, LocalFailure& failure) { rows_.gather(traffic, failure); }

  /// Judges the rows of this rank's share. Local.
  template <class Rule>
  void judge(const Rule& rule) {
    const auto& whole = rows_.whole();
    forRowsByLanes<Device>("Trident::judgeRows", whole.rows,
                           JudgeRow<Scalar, Device, Rule, Verdict>{whole, rule, ofParts_});
    Kokkos::fence();
  }

  /// Tells the others the verdicts on their parts. Collective over the line.
  void tell(Traffic& traffic, LocalFailure& failure) {
    rows_.tell(ofParts_.data(), verdicts_.data(), traffic, failure);
  }

  /// On this rank's parts of the rows of the piece.
  const Kokkos::View<Verdict*, Device>& verdicts() const { return verdicts_; }

  /// Of the arrays that stand beside the piece.
  std::size_t bytes() const {
    return rows_.bytes() + (ofParts_.extent(0) + verdicts_.extent(0)) * sizeof(Verdict);
  }

 private:
  Kokkos::View<Verdict*, Device> ofParts_;   // that came
  Kokkos::View<Verdict*, Device> verdicts_;  // on this rank's parts
  SharedRows<Scalar, Device> rows_;          // its constructor makes the others
};

}  // namespace Trident::Impl

#endif
