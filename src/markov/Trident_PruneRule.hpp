// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRUNERULE_HPP
#define TRIDENT_PRUNERULE_HPP

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>

#include "markov/Trident_PruneScheme.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_FilterRows.hpp"

namespace Trident::Impl {

/// Notes that a rule makes on the rows that it prunes.
struct PruneNotes {
  double chaos = 0;       ///< largest chaos of a row
  long long entries = 0;  ///< entries before pruning
};

/// A rule's notes on the device. On GPUs the array is long, so threads seldom wait for an element.
template <class Device>
using NotesOnDevice = Kokkos::View<PruneNotes*, Device>;

template <class Device>
NotesOnDevice<Device> emptyNotes() {
  return NotesOnDevice<Device>("Trident::pruneNotes", isHost<Device> ? 1 : 1024);
}

/// Combines all elements of `notes` into one, on the host. Local.
template <class Device>
PruneNotes combinedNotes(const NotesOnDevice<Device>& notes) {
  PruneNotes all;
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), notes);
  for (std::size_t n = 0; n < host.extent(0); ++n) {
    all.chaos = std::max(all.chaos, host(n).chaos);
    all.entries += host(n).entries;
  }
  return all;
}

/// Raises a value to the power of the inflation, which is mostly 2.
KOKKOS_INLINE_FUNCTION double inflated(double value, double inflation) {
  return inflation == 2 ? value * value : ::pow(value, inflation);
}

/// The largest number that is 0 as a float, the type of mcl's numbers. Values up to this number are
/// dropped here, too, because mcl loses them. If they stayed, products could soon be subnormal
/// numbers, which processors multiply a hundred times as slowly. The least product of values that
/// stay, 2^-300, is far from subnormal.
constexpr double lostInFloats = 0x1p-150;
constexpr double leastKept = lostInFloats * (1 + 0x1p-52);  // least double above lostInFloats

/// The cut of a row, and the divisor and factor that inflate its kept values. A kept value v
/// becomes (v / divisor)^inflation · factor. The divisor is the row's largest value, so no power
/// overflows, and the largest value's power does not underflow. The factor makes the kept values
/// sum to 1.
struct PruneCut : RowCut<double> {
  double factor;
};

/// The entries that a row keeps: those with a value of at least `bar`, so ties stay, too.
struct KeptEntries {
  double bar;
  double count;
  double powers;  ///< sum over these entries of (value / the row's largest value) ^ inflation
};

/// mcl's pruning of a row of M·M. The rule also finds the factor that inflates the row. Otherwise
/// ranks that share a row would bring its parts together twice. Zeros and negative values are
/// dropped. Values are read once for several sums, because a long row does not fit into a cache.
template <class Device>
struct PruneRule {
  PruneScheme scheme;
  double inflation;
  NotesOnDevice<Device> seen;  ///< notes, to which each row adds once

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION PruneCut operator()(const Lanes& lanes, const Scalar* values,
                                             int length) const {
    const double largest =
        lanes.template largest<double>(length, 0.0, [&](int e) { return values[e]; });
    if (!(largest > 0)) return {{0, 0, 1}, 1};
    const double cutoff = scheme.cutoff;
    const auto sums = lanes.template sums<3>(length, [&](int e, int term) -> double {
      if (term == 2) return values[e] * values[e];
      if (!(values[e] >= cutoff)) return 0;
      return term == 0 ? 1 : double(values[e]);
    });
    const KeptEntries kept =
        keptOf(lanes, values, length, largest, static_cast<int>(sums.of[0]), sums.of[1]);
    // Without recovery, a row that loses all entries gets a loop, which counts as kept.
    note(lanes, length,
         (largest - sums.of[2]) * (kept.count == 0 && scheme.recover == 0 ? 1 : kept.count));
    if (kept.count == 0) return {{kept.bar, 0, 1}, 1};
    return {{kept.bar, length, largest}, 1 / kept.powers};
  }

  /// Returns the entries that a row keeps.
  /// @param over number of the row's entries that are at least the scheme's cutoff
  /// @param sum sum of these entries
  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION KeptEntries keptOf(const Lanes& lanes, const Scalar* values, int length,
                                            double largest, int over, double sum) const {
    const auto keptFrom = [&](double bar) { return look(lanes, values, length, largest, bar); };
    const auto mthFrom = [&](long long m) {
      return static_cast<double>(mthLargest(lanes, values, length, static_cast<int>(m)).value);
    };
    if (tooLittle(over, sum))
      return keptFrom(length > scheme.recover ? mthFrom(scheme.recover) : 0);
    if (scheme.select == 0 || over <= scheme.select) return keptFrom(scheme.cutoff);
    const KeptEntries selected = keptFrom(mthFrom(scheme.select));
    const auto sumOfSelected = [&] {
      return lanes.template sum<double>(
          length, [&](int e) { return values[e] >= selected.bar ? double(values[e]) : 0.0; });
    };
    if (selected.count >= static_cast<double>(scheme.recover) ||
        !tooLittle(selected.count, sumOfSelected()))
      return selected;
    return keptFrom(over > scheme.recover ? mthFrom(scheme.recover) : scheme.cutoff);
  }
  /// Returns true if a row that keeps `count` entries with sum `sum` must get entries back.
  KOKKOS_INLINE_FUNCTION bool tooLittle(double count, double sum) const {
    return count < static_cast<double>(scheme.recover) && sum < scheme.enough;
  }
  /// Returns the entries of a row whose values are at least `bar` and `leastKept`.
  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION KeptEntries look(const Lanes& lanes, const Scalar* values, int length,
                                          double largest, double bar) const {
    const double from = bar > leastKept ? bar : leastKept, power = inflation;
    const auto sums = lanes.template sums<2>(length, [&](int e, int term) -> double {
      if (!(values[e] >= from)) return 0;
      return term == 0 ? 1 : inflated(values[e] / largest, power);
    });
    return {from, sums.of[0], sums.of[1]};
  }
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void note(const Lanes& lanes, int length, double chaos) const {
    lanes.once([&] {
      PruneNotes& notes = seen(lanes.number() % seen.extent(0));
      maxShared(&notes.chaos, chaos);
      addShared(&notes.entries, static_cast<long long>(length));
    });
  }
};

/// A filter that keeps entries by the PruneCut of their row, and inflates them.
struct KeepInflated {
  using Verdict = PruneCut;
  struct SettledRow {
    KeepByCut<double>::SettledRow cut;
    double factor;
  };

  double inflation;

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION SettledRow settle(const Lanes& lanes, const PruneCut& cut,
                                           const Scalar* values, int length) const {
    PruneCut raised = cut;
    const double lost = cut.divisor * ::pow(lostInFloats / cut.factor, 1 / inflation);
    if (lost > cut.from) raised.from = lost;  // inflation makes values below `lost` too small
    return {KeepByCut<double>().settle(lanes, raised, values, length), cut.factor};
  }
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow& row, long long r, int e, int column,
                                    double value) const {
    // The cut compares magnitudes, so negative values are dropped here.
    return value > 0 && KeepByCut<double>().keeps(row.cut, r, e, column, value);
  }
  KOKKOS_INLINE_FUNCTION double kept(const SettledRow& row, double value) const {
    return inflated(value / row.cut.divisor, inflation) * row.factor;
  }
};

/// A reporter of progress. Before a piece of rows is filtered, tell() gets the share of rows done.
struct ProgressReporter {
  std::function<void(double share)> tell;
  int rows = 1;

  /// Calls tell(). Drops its exceptions, because other ranks may wait for this rank.
  void operator()(int row) const noexcept {
    if (!tell) return;
    try {
      tell(static_cast<double>(row) / rows);
    } catch (...) {
    }
  }
};

/// A filter for multiplyFiltered() that prunes and inflates.
template <class Device>
struct PruneFilter {
  PruneRule<Device> rule;
  ProgressReporter reporter;

  bool partsSuffice() const { return false; }
  KeepInflated keepFrom(int row) const {
    reporter(row);
    return KeepInflated{rule.inflation};
  }
};

/// A filter that keeps entries by the PruneCut of their row, and does not inflate them.
struct KeepPruned : KeepInflated {
  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION SettledRow settle(const Lanes& lanes, const PruneCut& cut,
                                           const Scalar* values, int length) const {
    return {KeepByCut<double>().settle(lanes, cut, values, length), cut.factor};
  }
  KOKKOS_INLINE_FUNCTION double kept(const SettledRow&, double value) const { return value; }
};

/// A filter that prunes, and leaves inflation to RowInflation.
template <class Device>
struct PruneAloneFilter {
  PruneRule<Device> rule;
  ProgressReporter reporter;

  bool partsSuffice() const { return false; }
  KeepPruned keepFrom(int row) const {
    reporter(row);
    return KeepPruned{{rule.inflation}};
  }
};

}  // namespace Trident::Impl

#endif
