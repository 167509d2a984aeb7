// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COLUMNNUMBERING_HPP
#define TRIDENTPROBLEMS_COLUMNNUMBERING_HPP

#include <cstddef>
#include <limits>
#include <vector>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_GidIndex.hpp"

namespace Trident {
namespace Problems {

/// Turns global into local columns, and says what the column Map is.
class ColumnNumbering {
 public:
  ColumnNumbering(const LocalRows& rows, const map_type& domainMap) {
    const std::size_t owned = Problems::numLocalElements(domainMap);
    firstOwned_ = owned > 0 ? domainMap.getMinGlobalIndex() : 0;
    endOwned_ = firstOwned_ + static_cast<global_ordinal_type>(owned);
    ownedNumbers_.assign(owned, 0);
    for (global_ordinal_type column : rows.columns)
      if (isOwned(column))
        ownedNumbers_[static_cast<std::size_t>(column - firstOwned_)] = 1;
      else
        remote_.insert(column);
    for (std::size_t i = 0; i < owned; ++i) {
      if (ownedNumbers_[i] == 0) continue;
      ownedNumbers_[i] = static_cast<local_ordinal_type>(columnGids_.size());
      columnGids_.push_back(firstOwned_ + static_cast<global_ordinal_type>(i));
    }
    numOwned_ = columnGids_.size();
    // Blocks of a contiguous Map ascend with the rank: ascending is grouped by owner.
    const std::vector<global_ordinal_type>& remote = remote_.number();
    if (numOwned_ + remote.size() > std::size_t(std::numeric_limits<local_ordinal_type>::max()))
      throw MatrixError(
          "a rank's rows have more distinct columns than its local ordinals can "
          "number: use more ranks");
    columnGids_.insert(columnGids_.end(), remote.begin(), remote.end());
  }

  const std::vector<global_ordinal_type>& columnGids() const { return columnGids_; }
  bool isOwned(global_ordinal_type gid) const { return gid >= firstOwned_ && gid < endOwned_; }
  global_ordinal_type firstOwned() const { return firstOwned_; }
  global_ordinal_type endOwned() const { return endOwned_; }

  local_ordinal_type operator[](global_ordinal_type gid) const {
    if (isOwned(gid)) return ownedNumbers_[static_cast<std::size_t>(gid - firstOwned_)];
    return static_cast<local_ordinal_type>(numOwned_) + remote_[gid];
  }

 private:
  global_ordinal_type firstOwned_, endOwned_;
  std::vector<local_ordinal_type> ownedNumbers_;  // first 1 where used, then the local column
  std::size_t numOwned_ = 0;
  GidIndex remote_;
  std::vector<global_ordinal_type> columnGids_;
};

}  // namespace Problems
}  // namespace Trident

#endif
