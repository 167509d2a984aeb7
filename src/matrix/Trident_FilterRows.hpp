// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FILTERROWS_HPP
#define TRIDENT_FILTERROWS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/Trident_Options.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Magnitude.hpp"
#include "matrix/Trident_RowLanes.hpp"

// A rule is a functor for kernels, rule(lanes, values, length). The rule looks at the values of a
// whole row, in ascending order of columns. The rule returns a verdict on the row, such as a
// RowCut. A filter's settle() turns the verdict into a SettledRow, by which keeps() judges each
// entry alone. `lanes` is a OneThread, ThreadLanes or TeamLanes; all give a rule the same results.

namespace Trident::Impl {

/// A bound: the row keeps magnitudes above `from`, the first `ties` that equal `from`, and NaNs.
/// Kept values are divided by `divisor`, which may be 1.
template <class Scalar>
struct RowCut {
  MagnitudeOf<Scalar> from;
  long long ties;
  Scalar divisor;
};

/// The number of entries, the largest magnitude and the sum of magnitudes of a whole row.
template <class Magnitude>
struct RowFacts {
  long long entries;
  Magnitude largest;  ///< largest magnitude; 0 if the row is empty
  Magnitude sum;      ///< sum of magnitudes, which may overflow; the same row gives the same bits
};

/// The rule that finds the RowFacts of a row.
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

/// A bound that selects the m largest magnitudes of a row: all magnitudes above `value`, and `ties`
/// of the magnitudes that equal `value`.
template <class Magnitude>
struct MthLargest {
  Magnitude value;
  long long ties;
};

/// Finds a bound that selects the m largest magnitudes of a row, without sorting the row. Finds the
/// bound's digits one after another, from the highest on. Each time, lanes count the values of the
/// next digit among the magnitudes that have the digits found so far. A NaN is above all numbers.
/// If the m-th largest is a NaN, the bound selects just the NaNs.
/// @param m in [1, length]
template <class Lanes, class Scalar>
KOKKOS_INLINE_FUNCTION MthLargest<MagnitudeOf<Scalar>> mthLargest(const Lanes& lanes,
                                                                  const Scalar* values, int length,
                                                                  int m) {
  using Magnitude = MagnitudeOf<Scalar>;
  using Key = KeyOf<Magnitude>;
  constexpr int keyBits = 8 * sizeof(Key), groups = 16;
  const int digitBits = length < 256 ? 4 : 8;  // 256 counters pay only in longer rows
  const int digits = 1 << digitBits, ofGroup = digits / groups;
  Key known = 0, mask = 0;
  int left = m;  // how many of the m largest have the digits in `known`
  for (int shift = keyBits - digitBits; shift >= 0; shift -= digitBits) {
    lanes.clearCounters(digits);
    lanes.each(length, [&](int e) {
      const Key key = keyOfMagnitude(magnitude(values[e]));
      if ((key & mask) == known) lanes.increase(static_cast<int>(key >> shift) & (digits - 1));
    });
    // Counter `digits + g` becomes the sum of group g's counters.
    lanes.each(groups, [&](int g) {
      int all = 0;
      for (int digit = g * ofGroup; digit < (g + 1) * ofGroup; ++digit) all += lanes.counter(digit);
      lanes.setCounter(digits + g, all);
    });
    int group = groups - 1;
    for (; group > 0 && lanes.counter(digits + group) < left; --group)
      left -= lanes.counter(digits + group);
    int digit = (group + 1) * ofGroup - 1;
    for (; digit > group * ofGroup && lanes.counter(digit) < left; --digit)
      left -= lanes.counter(digit);
    const bool all = lanes.counter(digit) == left;
    lanes.meet();
    known |= static_cast<Key>(digit) << shift;
    mask |= static_cast<Key>(digits - 1) << shift;
    if (!all) continue;
    left = length;  // all magnitudes with these digits are selected, whatever their lower digits
    break;
  }
  if constexpr (!std::is_integral<Magnitude>::value) {
    constexpr Key infinity = static_cast<Key>(keyBits == 64 ? 0x7ff0000000000000 : 0x7f800000);
    if (known > infinity) return {magnitudeOfKey<Magnitude>(infinity), 0};
  }
  return {magnitudeOfKey<Magnitude>(known), left};
}

/// Type of tolerances. For integers it is `double`, because a tolerance may be a fraction.
template <class Magnitude>
using ToleranceOf = std::conditional_t<std::is_integral<Magnitude>::value, double, Magnitude>;

/// Returns the least magnitude that is not below a tolerance. For integers, this is the tolerance
/// rounded up, but at most the type's largest number.
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

/// The rule that drops entries below the tolerance. If `keepLargest` is not 0, the rule also drops
/// all but the `keepLargest` largest entries of a row.
template <class Scalar>
struct DropRule {
  ToleranceOf<MagnitudeOf<Scalar>> tolerance{};  ///< least kept magnitude, in units of `relative`
  DropRelativeTo relative = DropRelativeTo::Nothing;
  long long keepLargest = 0;  ///< limit of kept entries of a row; 0: no limit; low columns win ties

  /// Returns true if an entry's own magnitude decides if the entry stays. Then a part of a row can
  /// be filtered without the other parts.
  bool partsSuffice() const { return relative == DropRelativeTo::Nothing && keepLargest <= 0; }

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION RowCut<Scalar> operator()(const Lanes& lanes, const Scalar* values,
                                                   int length) const {
    RowCut<Scalar> cut{bound(lanes, values, length), length, Scalar(1)};
    if (keepLargest <= 0 || keepLargest >= length) return cut;
    const auto last = mthLargest(lanes, values, length, static_cast<int>(keepLargest));
    if (last.value < cut.from) return cut;
    cut.from = last.value;
    cut.ties = last.ties;
    return cut;
  }

 private:
  /// Returns the tolerance of a row.
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
  /// Returns the tolerance times the sum of a row's magnitudes. If the sum overflows, adds the
  /// magnitudes again, scaled down, because the result may be finite. Adds integers as `double`.
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION auto shareOfSum(const Lanes& lanes, const Scalar* values,
                                         int length) const {
    using Tolerance = ToleranceOf<MagnitudeOf<Scalar>>;
    const auto sumOf = [&](const Tolerance& scale) {
      return lanes.template sum<Tolerance>(
          length, [&](int e) { return static_cast<Tolerance>(magnitude(values[e])) * scale; });
    };
    constexpr Tolerance most = std::numeric_limits<Tolerance>::max();
    constexpr Tolerance more = 4294967296.0;  // above row lengths, so scaled sums cannot overflow
    const Tolerance sum = sumOf(Tolerance(1));
    if (!(sum > most)) return tolerance * sum;
    return tolerance * sumOf(1 / more) * more;
  }
};

/// A filter that keeps entries by the RowCut of their row.
template <class Scalar>
struct KeepByCut {
  using Verdict = RowCut<Scalar>;
  /// A RowCut in a form that decides on an entry without looking at other entries.
  struct SettledRow {
    MagnitudeOf<Scalar> from;
    int tiesEnd;  ///< offset in the row from which on ties are dropped
    Scalar divisor;
  };

  /// @tparam Value type of the row's values; its magnitudes must be comparable with those of Scalar
  template <class Lanes, class Value>
  KOKKOS_INLINE_FUNCTION SettledRow settle(const Lanes& lanes, const RowCut<Scalar>& cut,
                                           const Value* values, int length) const {
    SettledRow row{cut.from, length, cut.divisor};
    if (cut.ties >= length) return row;
    // Finds the largest offset that has at most cut.ties ties before it.
    int low = 0, high = length;
    while (low < high) {
      const int middle = high - (high - low) / 2;
      const int ties = lanes.count(middle, [&](int e) { return magnitude(values[e]) == cut.from; });
      if (ties <= cut.ties)
        low = middle;
      else
        high = middle - 1;
    }
    row.tiesEnd = low;
    return row;
  }
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow& row, long long, int e, int,
                                    const Scalar& value) const {
    const MagnitudeOf<Scalar> size = magnitude(value);
    return size == row.from ? e < row.tiesEnd : !(size < row.from);
  }
  KOKKOS_INLINE_FUNCTION Scalar kept(const SettledRow& row, const Scalar& value) const {
    return row.divisor == Scalar(1) ? value : value / row.divisor;
  }
};

/// A filter by a user's functor keep(row, column, value, facts), with the RowFacts of the row.
/// @tparam RowNumbers, ColumnNumbers functors for kernels that return the number of a local index
template <class Scalar, class Keep, class RowNumbers, class ColumnNumbers>
struct KeepByEntry {
  using Verdict = RowFacts<MagnitudeOf<Scalar>>;
  using SettledRow = Verdict;

  Keep keep;
  RowNumbers rows;
  ColumnNumbers columns;

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION SettledRow settle(const Lanes&, const SettledRow& facts, const Scalar*,
                                           int) const {
    return facts;
  }
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow& facts, long long row, int, int column,
                                    const Scalar& value) const {
    return keep(rows(row), columns(column), value, facts);
  }
  KOKKOS_INLINE_FUNCTION Scalar kept(const SettledRow&, const Scalar& value) const { return value; }
};

/// Base of filters that judge each entry alone. They are their own `verdicts` for keepEntries().
template <class Scalar>
struct KeepAsIs {
  struct SettledRow {};

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION SettledRow operator()(const Lanes&, long long, const Scalar*, int) const {
    return {};
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION SettledRow settle(const Lanes&, const SettledRow& row, const Scalar*,
                                           int) const {
    return row;
  }
  KOKKOS_INLINE_FUNCTION Scalar kept(const SettledRow&, const Scalar& value) const { return value; }
};

/// Functor that finds the verdict on each row by a rule, from the row's own values.
template <class Rule>
struct VerdictByRule {
  Rule rule;

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION auto operator()(const Lanes& lanes, long long, const Scalar* values,
                                         int length) const {
    return rule(lanes, values, length);
  }
};

/// Verdicts that were found earlier, for example because several ranks have parts of a row.
template <class Verdict, class Device>
struct KnownVerdicts {
  Kokkos::View<Verdict*, Device> verdicts;

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION Verdict operator()(const Lanes&, long long row, const Scalar*, int) const {
    return verdicts(row);
  }
};

template <class Matrix>
KOKKOS_INLINE_FUNCTION int rowLength(const Matrix& matrix, long long r) {
  return static_cast<int>(matrix.graph.row_map(r + 1) - matrix.graph.row_map(r));
}

/// Kernel that finds the verdict on each row, calls settle(), and counts the kept entries.
template <class Scalar, class Device, class Verdicts, class Keep>
struct SettleRow {
  LocalMatrix<Scalar, Device> matrix;
  Verdicts verdicts;
  Keep keep;
  Kokkos::View<typename Keep::SettledRow*, Device> rows;
  Kokkos::View<std::size_t*, Device> counts;

  KOKKOS_INLINE_FUNCTION int lengthOf(long long r) const { return rowLength(matrix, r); }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const std::size_t begin = matrix.graph.row_map(r);
    const int length = lengthOf(r);
    const Scalar* const values = matrix.values.data() + begin;
    const int* const columns = matrix.graph.entries.data() + begin;
    const auto row = keep.settle(lanes, verdicts(lanes, r, values, length), values, length);
    const int kept =
        lanes.count(length, [&](int e) { return keep.keeps(row, r, e, columns[e], values[e]); });
    lanes.once([&] {
      rows(r) = row;
      counts(r) = static_cast<std::size_t>(kept);
    });
  }
};

/// Kernel that writes the kept entries of each row.
template <class Scalar, class Device, class Keep>
struct WriteKept {
  LocalMatrix<Scalar, Device> matrix;
  Keep keep;
  Kokkos::View<typename Keep::SettledRow*, Device> rows;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION int lengthOf(long long r) const { return rowLength(matrix, r); }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const std::size_t begin = matrix.graph.row_map(r), at = to.offsets(r);
    const int length = lengthOf(r);
    const Scalar* const values = matrix.values.data() + begin;
    const int* const columns = matrix.graph.entries.data() + begin;
    const auto row = rows(r);
    lanes.select(
        length, [&](int e) { return keep.keeps(row, r, e, columns[e], values[e]); },
        [&](int e, int m) {
          to.columns(at + m) = columns[e];
          to.values(at + m) = keep.kept(row, values[e]);
        });
  }
};

/// The usual `Loop` of keepEntries(): runs work(lanes, row) by forRowsByLanes(). Tests on hosts
/// give keepEntries() the loop of devices instead.
struct LaneRowLoop {
  template <class Device, class Work>
  static void run(const std::string& label, long long rows, long long longest, const Work& work) {
    forRowsByLanes<Device>(label, rows, longest, work);
  }
};

/// Returns the entries of a matrix that a filter keeps, in their order. Local; waits for kernels.
/// @param verdicts a VerdictByRule or KnownVerdicts; the filter itself if it is a KeepAsIs
/// @param keep the filter, such as KeepByCut or KeepByEntry
template <class Loop = LaneRowLoop, class Scalar, class Device, class Verdicts, class Keep>
LocalMatrix<Scalar, Device> keepEntries(const LocalMatrix<Scalar, Device>& matrix,
                                        const Verdicts& verdicts, const Keep& keep) {
  const long long rows = matrix.numRows();
  if (matrix.nnz() == 0) return emptyMatrix<Scalar, Device>(matrix.numRows(), matrix.numCols());
  const auto settled =
      uninitialized<typename Keep::SettledRow, Device>("Trident::settledRows", rows);
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  const long long longest = std::min<long long>(matrix.nnz(), matrix.numCols());
  Loop::template run<Device>(
      "Trident::settleRows", rows, longest,
      SettleRow<Scalar, Device, Verdicts, Keep>{matrix, verdicts, keep, settled, counts});
  const auto to = arraysForCounts<Scalar, Device>(counts);
  Loop::template run<Device>("Trident::writeKept", rows, longest,
                             WriteKept<Scalar, Device, Keep>{matrix, keep, settled, to});
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

/// Returns the entries of a matrix that a rule keeps. Rows must be whole: no other rank may have a
/// part of a row. Local.
/// @param matrix rows sorted by column
/// @param rule a functor rule(lanes, values, length) that returns a RowCut (Trident_FilterRows.hpp)
template <class Loop = LaneRowLoop, class Scalar, class Device, class Rule>
LocalMatrix<Scalar, Device> filterRows(const LocalMatrix<Scalar, Device>& matrix,
                                       const Rule& rule) {
  return keepEntries<Loop>(matrix, VerdictByRule<Rule>{rule}, KeepByCut<Scalar>());
}

}  // namespace Trident::Impl

#endif
