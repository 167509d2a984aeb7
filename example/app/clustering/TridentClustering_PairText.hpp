// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_PAIRTEXT_HPP
#define TRIDENTCLUSTERING_PAIRTEXT_HPP

#include <cstdint>
#include <utility>
#include <vector>

#include "TridentClustering_Labels.hpp"
#include "TridentClustering_Weights.hpp"
#include "TridentProblems_TextChunks.hpp"

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

/// Names what lines say, in mcl's words.
struct PairLines {
  enum class Form {
    abc,  ///< parsePair()
    sif,  ///< LABEL TYPE LABEL ...: a node, what its edges are called, and all its neighbours
    etc   ///< LABEL LABEL ...: the same without what edges are called
  };
  Form form = Form::abc;
  bool weighted = false;  ///< true in sif and etc if LABEL:WEIGHT is a neighbour and its weight
  /// Reads abc as mcl does: ignores what follows a weight, takes 1 for one that is no number, and
  /// skips lines of less than two labels.
  bool lenient = false;
};

/// The pairs of a rank's part of a text.
class PairReader {
 public:
  /// \param rule outlives this
  explicit PairReader(const WeightRule& rule = asWritten(), const PairLines& lines = PairLines())
      : rule_(&rule), lines_(lines) {}

  /// A pair by places in labels().
  struct Pair {
    std::int64_t first, second;
    double weight;
  };

  /// Takes whole lines. Throws LineError.
  void take(const TextChunk& chunk);

  /// Returns the number of skipped lines, and that of weights taken for 1, as they could not
  /// be read.
  std::int64_t skippedLines() const { return skippedLines_; }
  std::int64_t unreadWeights() const { return unreadWeights_; }

  const WeightSpread& spread() const { return spread_; }
  const LabelTable& labels() const { return labels_; }
  std::vector<Pair> takePairs() { return std::move(pairs_); }

 private:
  void takeLine(Text line, const TextChunk& chunk);
  void takeLeniently(Text line, const TextChunk& chunk);
  void takeNeighbours(Text line, const TextChunk& chunk);
  void add(const LabelledPair& pair, const TextChunk& chunk);
  std::int64_t place(Text label, const TextChunk& chunk);

  const WeightRule* rule_;
  PairLines lines_;
  LabelTable labels_;
  std::vector<Pair> pairs_;
  WeightSpread spread_;
  std::int64_t skippedLines_ = 0, unreadWeights_ = 0;
};

}  // namespace Clustering
}  // namespace Trident

#endif
