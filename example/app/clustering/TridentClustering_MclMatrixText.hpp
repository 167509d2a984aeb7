// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_MCLMATRIXTEXT_HPP
#define TRIDENTCLUSTERING_MCLMATRIXTEXT_HPP

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "TridentClustering_Weights.hpp"
#include "TridentProblems_Redistribute.hpp"
#include "TridentProblems_TextChunks.hpp"

/// \file TridentClustering_MclMatrixText.hpp
/// The grammar of mcl's own matrices, as text: columns that end with `$`. No communication.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// The text before the columns. Trivially copyable, to be broadcast as bytes.
struct MclHeader {
  std::int64_t nodes = 0;
  TextPosition columns;  ///< place where the columns begin
};

/// Returns true if a text begins like a matrix of mcl.
bool looksLikeMclMatrix(const std::string& text);

/// Returns true if the beginning of a file has begun a list of nodes, and ends before the columns:
/// the list of a large graph is long.
bool mayListNodes(const std::string& text);

/// Reads the header from the beginning of a file. Throws LineError where it is none, where the
/// matrix is not square, or where its nodes are not those from 0 to n-1.
MclHeader parseMclHeader(const std::string& text);

/// Returns the text that begins a matrix of mcl, up to its columns; a line ")" ends it.
std::string mclMatrixHeader(std::int64_t rows, std::int64_t columns);

/// Reads columns, `NODE NEIGHBOUR[:WEIGHT] ... $`, from chunks that end with `$` and have no more
/// than the text's last one beyond it.
class MclColumnReader {
 public:
  /// \param rule outlives this
  explicit MclColumnReader(std::int64_t nodes, const WeightRule& rule = asWritten())
      : nodes_(nodes), rule_(&rule) {}

  /// Takes whole columns. Throws LineError.
  void take(const TextChunk& chunk);

  /// Returns entries, of which row i has the neighbours of node i, the file's column i.
  std::vector<Entry> takeEntries() { return std::move(entries_); }
  const WeightSpread& spread() const { return spread_; }
  /// Returns true if the parenthesis that ends the matrix was met.
  bool ended() const { return ended_; }

 private:
  void takeColumn(const char*& at, const char* end);
  double parseWeight(const char*& at, const char* end);
  std::int64_t parseNode(const char*& at, const char* end) const;

  std::int64_t nodes_;
  const WeightRule* rule_;
  std::vector<Entry> entries_;
  WeightSpread spread_;
  bool ended_ = false;
};

}  // namespace Clustering
}  // namespace Trident

#endif
