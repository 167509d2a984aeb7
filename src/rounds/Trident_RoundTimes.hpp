// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROUNDTIMES_HPP
#define TRIDENT_ROUNDTIMES_HPP

namespace Trident {

/// When one round of one rank came to what, in seconds since the rank began the rounds. Rounds that
/// are fused into one local product share their last three times.
struct RoundTimes {
  int round = 0;          ///< its number, from 0
  double requested = 0;   ///< its slices were asked for
  double awaited = 0;     ///< the rank had nothing else to do but wait for them
  double landed = 0;      ///< and had them, at the latest when it looked
  double gathered = 0;    ///< its operands were whole
  double multiplied = 0;  ///< and its product done and added
};

}  // namespace Trident

#endif
