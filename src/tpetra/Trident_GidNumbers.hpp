// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GIDNUMBERS_HPP
#define TRIDENT_GIDNUMBERS_HPP

#include <algorithm>
#include <numeric>
#include <vector>

#include "matrix/Trident_Interval.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "tpetra/Trident_MapNumbering.hpp"

namespace Trident::Impl {

/// The numbers of global indices of a Map whose ranks' indices are consecutive, for kernels. O(P)
/// device memory.
template <class GO, class Device>
class GidNumbers {
 public:
  /// @param numbering consecutive
  template <class LO, class NO>
  explicit GidNumbers(const MapNumbering<LO, GO, NO>& numbering) {
    std::vector<int> ranks;  // with indices, by their first
    for (int g = 0; g + 1 < static_cast<int>(numbering.rankBegin.size()); ++g)
      if (numbering.rankBegin[g + 1] > numbering.rankBegin[g]) ranks.push_back(g);
    std::sort(ranks.begin(), ranks.end(),
              [&](int a, int b) { return numbering.firstGid[a] < numbering.firstGid[b]; });
    std::vector<GO> first;
    std::vector<Position> begin, count;
    for (int g : ranks) {
      first.push_back(numbering.firstGid[g]);
      begin.push_back(numbering.rankBegin[g]);
      count.push_back(numbering.rankBegin[g + 1] - numbering.rankBegin[g]);
    }
    if (!numbering.firstGid.empty()) {
      ownFirst_ = numbering.firstGid[numbering.me];
      ownBegin_ = numbering.begin();
      ownCount_ = numbering.end() - numbering.begin();
    }
    first_ = toDevice<GO, Device>(first);
    begin_ = toDevice<Position, Device>(begin);
    count_ = toDevice<Position, Device>(count);
  }

  /// -1 where no rank has the index.
  KOKKOS_INLINE_FUNCTION Position operator()(GO gid) const {
    if (gid >= ownFirst_ && static_cast<Position>(gid - ownFirst_) < ownCount_)  // as most are
      return ownBegin_ + static_cast<Position>(gid - ownFirst_);
    const long long ranks = first_.extent(0);
    if (ranks == 0 || gid < first_(0)) return -1;
    const long long r = intervalOf(first_, ranks, gid);
    const Position beyond = static_cast<Position>(gid - first_(r));
    return beyond < count_(r) ? begin_(r) + beyond : -1;
  }

 private:
  GO ownFirst_ = 0;
  Position ownBegin_ = 0, ownCount_ = 0;
  Kokkos::View<GO*, Device> first_;
  Kokkos::View<Position*, Device> begin_, count_;
};

}  // namespace Trident::Impl

#endif
