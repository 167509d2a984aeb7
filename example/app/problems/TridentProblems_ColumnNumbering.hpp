// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_COLUMNNUMBERING_HPP
#define TRIDENTPROBLEMS_COLUMNNUMBERING_HPP

#include <cstddef>
#include <limits>
#include <vector>

#include "TridentProblems_GidIndex.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Turns global into local columns, and says what the column Map is: those of the domain Map that
/// were noted, then the others, each ascending. The domain Map is contiguous. Its memory grows with
/// what is noted: a small file may declare very many columns. Local.
class ColumnNumbering {
 public:
  /// \param notes how many columns will be noted, at most
  ColumnNumbering(const map_type& domainMap, std::size_t notes) {
    const std::size_t owned = Problems::numLocalElements(domainMap);
    firstOwned_ = owned > 0 ? domainMap.getMinGlobalIndex() : 0;
    endOwned_ = firstOwned_ + static_cast<global_ordinal_type>(owned);
    listed_ = owned <= notes;
    if (listed_) ownedNumbers_.assign(owned, 0);
  }

  /// Notes, before number(), that an entry has this column.
  void note(global_ordinal_type gid) {
    if (!isOwned(gid))
      remote_.insert(gid);
    else if (listed_)
      ownedNumbers_[static_cast<std::size_t>(gid - firstOwned_)] = 1;
    else
      owned_.insert(gid);
  }

  /// Ends the notes. Throws MatrixError where local ordinals are too few.
  void number() {
    for (std::size_t i = 0; i < ownedNumbers_.size(); ++i) {
      if (ownedNumbers_[i] == 0) continue;
      ownedNumbers_[i] = static_cast<local_ordinal_type>(columnGids_.size());
      columnGids_.push_back(firstOwned_ + static_cast<global_ordinal_type>(i));
    }
    if (!listed_) columnGids_ = owned_.number();
    numOwned_ = columnGids_.size();
    // Blocks of a contiguous Map ascend with the rank: ascending is grouped by owner.
    const std::vector<global_ordinal_type>& remote = remote_.number();
    if (numOwned_ + remote.size() > std::size_t(std::numeric_limits<local_ordinal_type>::max()))
      throw MatrixError(
          "a rank's rows have more distinct columns than its local ordinals can "
          "number: use more ranks");
    columnGids_.insert(columnGids_.end(), remote.begin(), remote.end());
  }

  /// Returns the global indices of local columns, in their order; valid after number().
  const std::vector<global_ordinal_type>& columnGids() const { return columnGids_; }

  /// Returns the local column of a noted one; valid after number().
  local_ordinal_type operator[](global_ordinal_type gid) const {
    if (!isOwned(gid)) return static_cast<local_ordinal_type>(numOwned_) + remote_[gid];
    return listed_ ? ownedNumbers_[static_cast<std::size_t>(gid - firstOwned_)] : owned_[gid];
  }

 private:
  bool isOwned(global_ordinal_type gid) const { return gid >= firstOwned_ && gid < endOwned_; }

  global_ordinal_type firstOwned_, endOwned_;
  bool listed_ = true;
  std::vector<local_ordinal_type> ownedNumbers_;  // first 1 where noted, then the local column
  // Used in its place where the Map has more than notes.
  GidIndex owned_;
  std::size_t numOwned_ = 0;
  GidIndex remote_;
  std::vector<global_ordinal_type> columnGids_;
};

}  // namespace Problems
}  // namespace Trident

#endif
