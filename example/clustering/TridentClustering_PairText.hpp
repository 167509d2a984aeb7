// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_PAIRTEXT_HPP
#define TRIDENTCLUSTERING_PAIRTEXT_HPP

#include <cstdint>
#include <vector>

#include "TridentClustering_Labels.hpp"
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
/// these may have spaces; in others, spaces end them. What follows the weight is ignored.
/// A carriage return at the line's end is no part of it.
/// \return false for blank lines and comments (#). Throws MatrixError where the line has fewer than
/// two labels, or a weight that is no number, negative, or too large for mcl's (or a float).
bool parsePair(Text line, LabelledPair& pair);

/// Weights are numbers from 0 to the largest float. Throws MatrixError for others.
double checkedWeight(double weight);

/// The pairs of a rank's part of a text.
class PairReader {
 public:
  /// A pair by places in labels().
  struct Pair {
    std::int64_t first, second;
    double weight;
  };

  /// Takes whole lines. Throws LineError.
  void take(const TextPiece& piece);

  const LabelTable& labels() const { return labels_; }
  std::vector<Pair> takePairs() { return std::move(pairs_); }

 private:
  LabelTable labels_;
  std::vector<Pair> pairs_;
};

}  // namespace Clustering
}  // namespace Trident

#endif
