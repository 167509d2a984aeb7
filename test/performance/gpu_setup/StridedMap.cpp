// SPDX-License-Identifier: BSD-3-Clause
// Members of Xpetra::StridedMap that factories for nodes of unknowns call, and that a prefix's
// library (lib/muelu_cuda.link) has no symbols of.
#include <Tpetra_Core.hpp>
#include <Tpetra_Map.hpp>
#include <Xpetra_StridedMap.hpp>
#include <Xpetra_StridedMap_decl.hpp>

namespace Xpetra {

template <class LO, class GO, class NO>
LO StridedMap<LO, GO, NO>::getStridedBlockId() const {
  return stridedBlockId_;
}
template <class LO, class GO, class NO>
size_t StridedMap<LO, GO, NO>::getFixedBlockSize() const {
  size_t size = 0;
  for (const size_t stride : stridingInfo_) size += stride;
  return size;
}

using Node = Tpetra::Map<>::node_type;
template int StridedMap<int, long long, Node>::getStridedBlockId() const;
template size_t StridedMap<int, long long, Node>::getFixedBlockSize() const;

}  // namespace Xpetra
