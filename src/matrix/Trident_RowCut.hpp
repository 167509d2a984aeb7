// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWCUT_HPP
#define TRIDENT_ROWCUT_HPP

#include <cmath>
#include <limits>
#include <type_traits>

#include "base/Trident_Options.hpp"
#include "matrix/Trident_Magnitude.hpp"
#include "matrix/Trident_RowLanes.hpp"

// Rules: functors for kernels, rule(lanes, values, length), that look at the values of a whole row,
// in ascending order of columns, and say what is kept of it. `lanes` is a OneThread or a
// ThreadLanes; what a rule finds by their functions does not depend on which.

namespace Trident::Impl {

/// What is kept of a row: entries whose magnitude is above `from`, and the first `ties` of those
/// whose magnitude is `from`. Kept values are divided by `divisor`; 1 leaves them as they are.
/// An entry that is a NaN is kept.
template <class Scalar>
struct RowCut {
  MagnitudeOf<Scalar> from;
  long long ties;
  Scalar divisor;
};

/// What a whole row has.
template <class Magnitude>
struct RowFacts {
  long long entries;
  Magnitude largest;  ///< magnitude; 0 of an empty row
  Magnitude sum;      ///< of magnitudes, in an order that depends on the row alone; it may overflow
};

/// The rule that finds these.
template <class Scalar>
struct FindRowFacts {
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION RowFacts<MagnitudeOf<Scalar>> operator()(const Lanes& lanes,
                                                                  const Scalar* values,
                                                                  int length) const {
    using Magnitude = MagnitudeOf<Scalar>;
    const auto size = [&](int e) { return magnitude(values[e]); };
    return {length, lanes.template largest<Magnitude>(length, Magnitude(0), size),
            lanes.template sum<Magnitude>(length, size)};
  }
};

/// The m-th largest of the magnitudes of a row, and how many of those equal to it are among the m
/// largest.
template <class Magnitude>
struct MthLargest {
  Magnitude value;
  long long ties;
};

/// Finds it by the digits of the magnitudes' bits, from the highest on: lanes count the digits of
/// those magnitudes whose higher digits are known to be the m-th's. The row is not sorted. NaNs are
/// above all numbers; where the m-th is one, the value is infinity, with no ties.
/// @param m in [1, length]
template <class Lanes, class Scalar>
KOKKOS_INLINE_FUNCTION MthLargest<MagnitudeOf<Scalar>> mthLargest(const Lanes& lanes,
                                                                  const Scalar* values, int length,
                                                                  int m) {
  using Magnitude = MagnitudeOf<Scalar>;
  using Key = KeyOf<Magnitude>;
  constexpr int keyBits = 8 * sizeof(Key);
  const int digitBits = length < rowCounters ? 4 : 8;  // short rows would wait for the counters
  const int digits = 1 << digitBits;
  const auto keyOf = [&](int e) { return keyOfMagnitude(magnitude(values[e])); };
  Key known = 0, mask = 0;
  int left = m;  // of the m largest, those with the digits that are known
  for (int shift = keyBits - digitBits; shift >= 0; shift -= digitBits) {
    lanes.clearCounters(digits);
    lanes.each(length, [&](int e) {
      const Key key = keyOf(e);
      if ((key & mask) == known) lanes.increase(static_cast<int>(key >> shift) & (digits - 1));
    });
    int digit = digits - 1;
    for (; digit > 0 && lanes.counter(digit) < left; --digit) left -= lanes.counter(digit);
    const bool all = lanes.counter(digit) == left;
    lanes.meet();
    known |= static_cast<Key>(digit) << shift;
    mask |= static_cast<Key>(digits - 1) << shift;
    if (!all) continue;
    // All that have these digits are among the m largest; the m-th is the least of them.
    known = ~lanes.template largest<Key>(length, 0, [&](int e) {
      const Key key = keyOf(e);
      return (key & mask) == known ? static_cast<Key>(~key) : Key(0);
    });
    left = length;
    break;
  }
  if constexpr (!std::is_integral<Magnitude>::value) {
    constexpr Key infinity = static_cast<Key>(keyBits == 64 ? 0x7ff0000000000000 : 0x7f800000);
    if (known > infinity) return {magnitudeOfKey<Magnitude>(infinity), 0};
  }
  return {magnitudeOfKey<Magnitude>(known), left};
}

/// What magnitudes are compared with: between whole numbers there are tolerances, too.
template <class Magnitude>
using ToleranceOf = std::conditional_t<std::is_integral<Magnitude>::value, double, Magnitude>;

/// The least magnitude that is not below a tolerance; the largest that there is, where all are.
template <class Magnitude>
KOKKOS_INLINE_FUNCTION Magnitude leastNotBelow(const ToleranceOf<Magnitude>& tolerance) {
  if constexpr (std::is_integral<Magnitude>::value) {
    constexpr Magnitude most = std::numeric_limits<Magnitude>::max();
    const double least = ::ceil(tolerance);
    return least < static_cast<double>(most) ? static_cast<Magnitude>(least) : most;
  } else {
    return tolerance;
  }
}

/// Drops what is small: entries below a tolerance, and all but the `keepLargest` largest.
template <class Scalar>
struct DropRule {
  ToleranceOf<MagnitudeOf<Scalar>> tolerance{};  ///< entries of this magnitude stay
  DropRelativeTo relative = DropRelativeTo::Nothing;
  long long keepLargest = 0;  ///< of a row at most; 0: all
  bool keepTies = false;      ///< also all that are as large as the last of these; else the first
                              ///< of them, in ascending order of columns

  /// Whether an entry's own magnitude says if it stays: then a part of a row is judged as the row.
  bool partsSuffice() const { return relative == DropRelativeTo::Nothing && keepLargest <= 0; }

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION RowCut<Scalar> operator()(const Lanes& lanes, const Scalar* values,
                                                   int length) const {
    RowCut<Scalar> cut{bound(lanes, values, length), length, Scalar(1)};
    if (keepLargest <= 0 || keepLargest >= length) return cut;
    const auto last = mthLargest(lanes, values, length, static_cast<int>(keepLargest));
    if (last.value < cut.from) return cut;
    cut.from = last.value;
    if (!keepTies) cut.ties = last.ties;
    return cut;
  }

 private:
  /// The tolerance of a row.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION MagnitudeOf<Scalar> bound(const Lanes& lanes, const Scalar* values,
                                                   int length) const {
    using Magnitude = MagnitudeOf<Scalar>;
    if (relative == DropRelativeTo::Nothing) return leastNotBelow<Magnitude>(tolerance);
    if (relative == DropRelativeTo::Sum)
      return leastNotBelow<Magnitude>(shareOfSum(lanes, values, length));
    const auto facts = FindRowFacts<Scalar>()(lanes, values, length);
    return leastNotBelow<Magnitude>(tolerance * static_cast<ToleranceOf<Magnitude>>(facts.largest));
  }
  /// The tolerance times the sum of a row's magnitudes. Finite numbers whose sum is not are scaled
  /// before they are added: only the share has to be a number. Whole numbers are added as `double`.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION auto shareOfSum(const Lanes& lanes, const Scalar* values,
                                         int length) const {
    using Tolerance = ToleranceOf<MagnitudeOf<Scalar>>;
    const auto sumOf = [&](const Tolerance& scale) {
      return lanes.template sum<Tolerance>(
          length, [&](int e) { return static_cast<Tolerance>(magnitude(values[e])) * scale; });
    };
    constexpr Tolerance most = std::numeric_limits<Tolerance>::max();
    constexpr Tolerance more = 4294967296.0;  // 2^32: above the length of any row
    const Tolerance sum = sumOf(Tolerance(1));
    if (!(sum > most)) return tolerance * sum;
    return tolerance * sumOf(1 / more) * more;
  }
};

}  // namespace Trident::Impl

#endif
