// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GIDINDEX_HPP
#define TRIDENTPROBLEMS_GIDINDEX_HPP

#include <algorithm>
#include <vector>

#include "TridentProblems_Hash.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// A set of global indices, then numbered in ascending order: an open-addressing hash table,
/// because a matrix asks it once per remote entry and sorting those entries costs several times
/// more.
class GidIndex {
 public:
  GidIndex() : slots_(64, Slot{empty, 0}) {}

  void insert(global_ordinal_type gid) {
    Slot& slot = slots_[find(slots_, gid)];
    if (slot.gid == gid) return;
    slot.gid = gid;
    gids_.push_back(gid);
    if (2 * gids_.size() > slots_.size()) grow();
  }

  /// Ends the insertions: sorts the set and numbers it.
  /// \return the indices, ascending.
  const std::vector<global_ordinal_type>& number() {
    std::sort(gids_.begin(), gids_.end());
    for (std::size_t i = 0; i < gids_.size(); ++i)
      slots_[find(slots_, gids_[i])].number = static_cast<local_ordinal_type>(i);
    return gids_;
  }

  /// Returns the number of an inserted `gid`; valid after number().
  local_ordinal_type operator[](global_ordinal_type gid) const {
    return slots_[find(slots_, gid)].number;
  }

 private:
  struct Slot {
    global_ordinal_type gid;
    local_ordinal_type number;
  };
  static constexpr global_ordinal_type empty = -1;

  /// Returns the slot that holds `gid`, or the empty one where it would go.
  static std::size_t find(const std::vector<Slot>& slots, global_ordinal_type gid) {
    const std::size_t mask = slots.size() - 1;  // the size is a power of two
    std::size_t at = hash(static_cast<std::uint64_t>(gid)) & mask;
    while (slots[at].gid != gid && slots[at].gid != empty) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    slots_.assign(2 * slots_.size(), Slot{empty, 0});
    for (global_ordinal_type gid : gids_) slots_[find(slots_, gid)].gid = gid;
  }

  std::vector<Slot> slots_;
  std::vector<global_ordinal_type> gids_;
};

}  // namespace Problems
}  // namespace Trident

#endif
