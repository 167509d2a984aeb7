// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_PAIRTEXT_HPP
#define TRIDENTCLUSTERING_PAIRTEXT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "TridentClustering_Labels.hpp"
#include "TridentClustering_Weights.hpp"
#include "TridentProblems_TextPieces.hpp"

/// \file TridentClustering_PairText.hpp
/// The grammar of labelled pairs, which mcl calls abc: lines in, pairs out. No communication.

namespace Trident {
namespace Clustering {

/// Two neighbours as a line says.
struct LabelledPair {
  Text first, second;  ///< parts of the line
  double weight = 1;
};

/// Reads a line, LABEL LABEL [WEIGHT]. As mcl does it: in a line with a tab, tabs end labels, and
/// these may have spaces; in others, spaces end them. Unlike mcl, it takes nothing behind the
/// weight. A carriage return at the line's end is no part of it. The weight is as it is written.
/// \return false for blank lines and comments (#). Throws MatrixError where the line has fewer than
/// two labels, more than a weight behind them, or a weight that is no number.
bool parsePair(Text line, LabelledPair& pair);

/// The pairs of a rank's part of a text.
class PairReader {
 public:
  /// \param rule outlives this
  explicit PairReader(const WeightRule& rule = asWritten()) : rule_(&rule) {}

  /// A pair by places in labels().
  struct Pair {
    std::int64_t first, second;
    double weight;
  };

  /// Takes whole lines. Throws LineError.
  void take(const TextPiece& piece);

  const WeightSpread& spread() const { return spread_; }
  const LabelTable& labels() const { return labels_; }
  std::vector<Pair> takePairs() { return std::move(pairs_); }

 private:
  const WeightRule* rule_;
  LabelTable labels_;
  std::vector<Pair> pairs_;
  WeightSpread spread_;
};

}  // namespace Clustering
}  // namespace Trident

#endif
