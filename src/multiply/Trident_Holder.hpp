// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOLDER_HPP
#define TRIDENT_HOLDER_HPP

#include <algorithm>
#include <map>
#include <vector>

#include "Trident_FusePlan.hpp"
#include "Trident_LineSchedule.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_Slab.hpp"

namespace Trident {

/// Where the slices of one factor land for one group of rounds; reused by later groups. Messages
/// land where MPI can write and are carried to the device as they lie.
template <class Scalar, class Device>
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

  void allocate(std::size_t bytes) {
    messages_ = uninitialized<char, Kokkos::HostSpace>("Trident::holder", bytes);
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

  bool expects(int segment) const { return at_.count(segment) > 0; }
  void* landing(int segment) { return messages_.data() + at_.at(segment); }

  /// Brings what has landed to the device.
  void toDevice() {
    onDevice_ = Kokkos::create_mirror_view_and_copy(
        typename Device::memory_space(),
        Kokkos::subview(messages_, std::make_pair(std::size_t(0), used_)));
  }
  Slab<Scalar> slab(int segment, const SliceShape& shape) const {
    return Slab<Scalar>(onDevice_.data() + at_.at(segment), shape);
  }
  void release() { onDevice_ = {}; }

 private:
  static std::size_t padded(const SliceShape& shape) {
    return (shape.bytes(sizeof(Scalar)) + 63) / 64 * 64;  // aligned for any scalar
  }

  Kokkos::View<char*, Kokkos::HostSpace> messages_;
  Kokkos::View<char*, typename Device::memory_space> onDevice_;
  std::map<int, std::size_t> at_;  // by segment
  std::size_t used_ = 0;
};

}  // namespace Trident

#endif
