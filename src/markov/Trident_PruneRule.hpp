// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRUNERULE_HPP
#define TRIDENT_PRUNERULE_HPP

#include <Kokkos_Core.hpp>
#include <cmath>

#include "Trident_FetchAdd.hpp"
#include "Trident_PruneScheme.hpp"
#include "Trident_RowCut.hpp"

namespace Trident::Impl {

/// What a rule has seen of rows, on the device.
struct SeenRows {
  double chaos = 0;       ///< the largest
  long long entries = 0;  ///< before pruning
};

/// A value to the power of the inflation, which mostly is 2.
KOKKOS_INLINE_FUNCTION double inflated(double value, double inflation) {
  return inflation == 2 ? value * value : ::pow(value, inflation);
}

/// mcl's pruning of a row of M·M, and half of its inflation: kept values are divided so that their
/// powers of `inflation` sum to 1. The powers are left to raisePowers(), which needs no rows. So a
/// row that is split over ranks is looked at once. Zeros go.
template <class Device>
struct PruneRule {
  PruneScheme scheme;
  double inflation;
  Kokkos::View<SeenRows, Device> seen;  ///< gets what each row has; a row is seen once

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION RowCut<double> operator()(const Lanes& lanes, const double* values,
                                                   int length) const {
    const double largest =
        lanes.template largest<double>(length, 0.0, [&](int e) { return values[e]; });
    if (!(largest > 0)) return {0, 0, 1};
    const double bar = barOf(lanes, values, length);
    const int kept = lanes.count(length, [&](int e) { return values[e] >= bar && values[e] > 0; });
    // Where nothing is left and nothing recovered, the row gets a loop (EmptyRows).
    note(lanes, values, length, largest, kept == 0 && scheme.recover == 0 ? 1 : kept);
    if (kept == 0) return {bar, 0, 1};
    // Scaled by the largest: no power overflows, and the largest does not underflow.
    const double power = inflation;
    const double sum = lanes.template sum<double>(length, [&](int e) {
      return values[e] >= bar ? inflated(values[e] / largest, power) : 0.0;
    });
    return {bar, bar > 0 ? length : 0, largest * ::pow(sum, 1 / power)};
  }

  /// Entries from here on stay. Ties of the last that stays do, too.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION double barOf(const Lanes& lanes, const double* values, int length) const {
    const int over = countFrom(lanes, values, length, scheme.cutoff);
    if (tooLittle(lanes, values, length, scheme.cutoff, over))
      return length > scheme.recover ? mthFrom(lanes, values, length, scheme.recover) : 0;
    if (scheme.select == 0 || over <= scheme.select) return scheme.cutoff;
    const double selected = mthFrom(lanes, values, length, scheme.select);
    if (!tooLittle(lanes, values, length, selected, countFrom(lanes, values, length, selected)))
      return selected;
    return over > scheme.recover ? mthFrom(lanes, values, length, scheme.recover) : scheme.cutoff;
  }
  /// Whether a row that keeps `count` entries, those from `bar` on, is to get some back.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION bool tooLittle(const Lanes& lanes, const double* values, int length,
                                        double bar, int count) const {
    if (count >= scheme.recover) return false;
    return lanes.template sum<double>(
               length, [&](int e) { return values[e] >= bar ? values[e] : 0.0; }) < scheme.enough;
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION int countFrom(const Lanes& lanes, const double* values, int length,
                                       double bar) const {
    return lanes.count(length, [&](int e) { return values[e] >= bar; });
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION double mthFrom(const Lanes& lanes, const double* values, int length,
                                        long long m) const {
    return mthLargest(lanes, values, length, static_cast<int>(m)).value;
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void note(const Lanes& lanes, const double* values, int length,
                                   double largest, int kept) const {
    const double squares =
        lanes.template sum<double>(length, [&](int e) { return values[e] * values[e]; });
    const double mine = (largest - squares) * kept;
    lanes.once([&] {
      if (mine > seen().chaos) Kokkos::atomic_fetch_max(&seen().chaos, mine);
      fetchAdd(&seen().entries, static_cast<long long>(length));
    });
  }
};

/// The other half of inflation: each value to this power. Local; waits for nothing.
template <class Device, class Values>
void raisePowers(const Values& values, double power) {
  Kokkos::parallel_for(
      "Trident::raisePowers", Range<Device>(0, values.extent(0)),
      TRIDENT_LAMBDA(long long e) { values(e) = inflated(values(e), power); });
}

}  // namespace Trident::Impl

#endif
