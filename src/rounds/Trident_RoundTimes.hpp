// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROUNDTIMES_HPP
#define TRIDENT_ROUNDTIMES_HPP

namespace Trident {

/// When one round of one rank came to what, in seconds since the rank began the rounds. Rounds that
/// are fused into one local product share their last three times.
struct RoundTimes {
  int round = 0;          ///< number of the round, from 0
  double requested = 0;   ///< when its slices were asked for
  double awaited = 0;     ///< when the rank had nothing else to do but wait for them
  double landed = 0;      ///< when the rank had them, at the latest when it looked
  double gathered = 0;    ///< when its operands were whole
  double multiplied = 0;  ///< when its product was done and added
};

}  // namespace Trident

#endif
