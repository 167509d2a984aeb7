// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Labels.hpp"

#include <algorithm>
#include <cstring>

#include "TridentProblems_Hash.hpp"

namespace Trident {
namespace Clustering {

LabelList::LabelList(std::vector<char> characters, const std::vector<std::int32_t>& lengths)
    : characters_(std::move(characters)) {
  ends_.reserve(lengths.size());
  std::size_t end = 0;
  for (const std::int32_t length : lengths)
    ends_.push_back(end += static_cast<std::size_t>(length));
}

void LabelList::append(Text label) {
  characters_.insert(characters_.end(), label.begin, label.end);
  ends_.push_back(characters_.size());
}

std::uint64_t hash(Text label) {
  std::uint64_t mixed = label.size();
  for (const char* at = label.begin; at != label.end;) {
    std::uint64_t word = 0;
    const std::size_t bytes = std::min<std::size_t>(sizeof word, label.end - at);
    std::memcpy(&word, at, bytes);
    mixed = Problems::hash(mixed ^ word);
    at += bytes;
  }
  return mixed;
}

std::size_t LabelTable::slotOf(Text label) const {
  const std::size_t mask = slots_.size() - 1;  // the size is a power of two
  for (std::size_t at = hash(label) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == free) return at;
    const Text there = labels_[static_cast<std::size_t>(slots_[at])];
    if (there.size() == label.size() && std::equal(label.begin, label.end, there.begin)) return at;
  }
}

void LabelTable::grow() {
  slots_.assign(2 * slots_.size(), free);
  for (std::size_t i = 0; i < labels_.size(); ++i)
    slots_[slotOf(labels_[i])] = static_cast<std::int64_t>(i);
}

std::int64_t LabelTable::add(Text label, std::int64_t position) {
  const std::size_t slot = slotOf(label);
  if (slots_[slot] != free) {
    std::int64_t& least = positions_[static_cast<std::size_t>(slots_[slot])];
    least = std::min(least, position);
    return slots_[slot];
  }
  const auto place = static_cast<std::int64_t>(labels_.size());
  slots_[slot] = place;
  labels_.append(label);
  positions_.push_back(position);
  if (2 * labels_.size() > slots_.size()) grow();
  return place;
}

}  // namespace Clustering
}  // namespace Trident
