// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_GridRanks.hpp"

#include <algorithm>
#include <utility>

namespace Trident::Impl {
namespace {

/// These very ranks where they are in grid order, as launchers mostly have them.
std::shared_ptr<const Communicator> inGridOrder(const std::shared_ptr<const OwnRanks>& ranks,
                                                const NodeLayout& layout) {
  const Communicator& all = ranks->all;
  if (std::is_sorted(layout.commRank.begin(), layout.commRank.end())) return {ranks, &all};
  return std::make_shared<const Communicator>(
      Communicator::split(all.get(), 0, layout.gridRank[all.rank()]));
}

}  // namespace

GridRanks::GridRanks(std::shared_ptr<const OwnRanks> ranks,
                     std::shared_ptr<const NodeLayout> layout)
    : layout_(std::move(layout)), ranks_(std::move(ranks)), all_(inGridOrder(ranks_, *layout_)) {}

GridRanks::GridRanks(MPI_Comm comm, const NodeLayout& layout)
    : GridRanks(std::make_shared<const OwnRanks>(comm),
                std::make_shared<const NodeLayout>(layout)) {}

}  // namespace Trident::Impl
