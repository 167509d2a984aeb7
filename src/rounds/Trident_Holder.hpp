// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOLDER_HPP
#define TRIDENT_HOLDER_HPP

#include <algorithm>
#include <map>
#include <vector>

#include "base/Trident_Memory.hpp"
#include "grid/Trident_LineSchedule.hpp"
#include "matrix/Trident_Slab.hpp"
#include "rounds/Trident_FusePlan.hpp"

namespace Trident::Impl {

/// Where the slices of one factor land for one group of rounds; reused by later groups. Messages
/// that land in pinned memory are carried to the device as they lie.
template <class Scalar>
class Holder {
 public:
  /// Bytes that the slices of `group` from other nodes take.
  static std::size_t bytesFor(const RoundGroup& group, const LineSchedule& line,
                              const std::vector<SliceShape>& shapes) {
    std::size_t bytes = 0;
    for (int s : group.segments)
      if (line.owner(s) != line.me()) bytes += padded(shapes[s]);
    return bytes;
  }

  /// @param messages where messages land
  void allocate(MemoryKind messages, std::size_t bytes) {
    messages_ = MemoryBlock(messages, "Trident::holder", bytes);
    staged_ = messages == MemoryKind::Pinned;
    if (staged_) onDevice_ = MemoryBlock(MemoryKind::Device, "Trident::landed", bytes);
  }

  /// Lays out the slices of `group`; what was held before is gone.
  void open(const RoundGroup& group, const LineSchedule& line,
            const std::vector<SliceShape>& shapes) {
    at_.clear();
    std::size_t at = 0;
    for (int s : group.segments)
      if (line.owner(s) != line.me()) {
        at_[s] = at;
        at += padded(shapes[s]);
      }
    used_ = at;
  }

  void* landing(int segment) { return messages_.data() + at_.at(segment); }

  /// Brings what has landed to the device.
  void toDevice() {
    if (staged_)
      copyBytes(onDevice_.data(), MemoryKind::Device, messages_.data(), MemoryKind::Pinned, used_);
  }
  Slab<Scalar> slab(int segment, const SliceShape& shape) const {
    return Slab<Scalar>((staged_ ? onDevice_ : messages_).data() + at_.at(segment), shape);
  }

 private:
  static std::size_t padded(const SliceShape& shape) {
    return (shape.bytes(sizeof(Scalar)) + 63) / 64 * 64;  // aligned for any scalar
  }

  MemoryBlock messages_, onDevice_;
  bool staged_ = false;
  std::map<int, std::size_t> at_;  // by segment
  std::size_t used_ = 0;
};

}  // namespace Trident::Impl

#endif
