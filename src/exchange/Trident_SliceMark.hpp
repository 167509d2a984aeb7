// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICEMARK_HPP
#define TRIDENT_SLICEMARK_HPP

namespace Trident::Impl {

/// The byte that follows every slice: whether its sender had failed by then, so that others stop
/// multiplying what will be thrown away. Not counted as payload.
constexpr char soundMark = 1, failedMark = 0;

/// A mark that stays where it is while it is being sent.
inline const char* markToSend(bool failed) {
  static const char marks[2] = {soundMark, failedMark};
  return &marks[failed];
}

}  // namespace Trident::Impl

#endif
