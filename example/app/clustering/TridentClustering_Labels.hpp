// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_LABELS_HPP
#define TRIDENTCLUSTERING_LABELS_HPP

#include <cstdint>
#include <vector>

#include "TridentClustering_Ask.hpp"
#include "TridentProblems_LineChunks.hpp"

/// \file TridentClustering_Labels.hpp
/// The names of nodes: any bytes but line ends.

namespace Trident {
namespace Clustering {

/// A list of labels in one chunk of memory.
class LabelList {
 public:
  LabelList() = default;
  /// \param lengths of labels that lie in `characters` one after the other
  LabelList(std::vector<char> characters, const std::vector<std::int32_t>& lengths);

  void append(Text label);
  std::size_t size() const { return ends_.size(); }
  /// Returns a label; valid until the next append().
  Text operator[](std::size_t i) const {
    return {characters_.data() + (i == 0 ? 0 : ends_[i - 1]), characters_.data() + ends_[i]};
  }

 private:
  std::vector<char> characters_;
  std::vector<std::size_t> ends_;
};

/// Different labels, in the order in which they were added first, and the least position of each.
class LabelTable {
 public:
  LabelTable() : slots_(64, free) {}

  /// Adds a label where it is new. \return its place in the list
  /// \param position where it stands in a text, in bytes
  std::int64_t add(Text label, std::int64_t position);

  const LabelList& labels() const { return labels_; }
  const std::vector<std::int64_t>& positions() const { return positions_; }

 private:
  static constexpr std::int64_t free = -1;
  std::size_t slotOf(Text label) const;
  void grow();

  LabelList labels_;
  std::vector<std::int64_t> positions_;
  std::vector<std::int64_t> slots_;  // an open-addressing hash table of places in the list
};

/// Returns a number of a label that looks random, the same on every rank.
std::uint64_t hash(Text label);

/// Sends label i of a list to its rank. \return the labels received, in the order of
/// exchangeGroups(). Collective; throws MatrixError on every rank where one is out of memory.
LabelList sendLabels(const Grouping& grouping, const LabelList& labels, const Comm& comm);

/// The labels of all ranks, each with one number.
struct NumberedLabels {
  std::vector<std::int64_t> numbers;  ///< number of each label of this rank's table
  std::int64_t count = 0;             ///< number of different labels, on all ranks
  /// Labels of this rank's numbers: those of its block of the uniform contiguous Map of `count`.
  LabelList names;
};

/// Numbers the labels of all ranks from 0 in the order of their positions, which are different for
/// different labels. No rank holds all of them: a label is looked up at a rank chosen by its hash,
/// and numbered at one chosen by its position.
///
/// Collective; throws MatrixError on every rank where one is out of memory.
NumberedLabels numberLabels(const LabelTable& mine, const Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
