// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FILTERROWS_HPP
#define TRIDENT_FILTERROWS_HPP

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowCut.hpp"

namespace Trident::Impl {

/// How entries are kept by the RowCut of their row.
template <class Scalar>
struct KeepByCut {
  using Verdict = RowCut<Scalar>;
  /// A cut, as it decides on an entry alone.
  struct Row {
    MagnitudeOf<Scalar> from;
    int tiesEnd;  ///< ties before this place of the row are kept
    Scalar divisor;
  };

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION Row settle(const Lanes& lanes, const RowCut<Scalar>& cut,
                                    const Scalar* values, int length) const {
    Row row{cut.from, length, cut.divisor};
    if (cut.ties >= length) return row;
    // The last place before which there are no more ties than are kept.
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
  KOKKOS_INLINE_FUNCTION bool keeps(const Row& row, long long, int e, int,
                                    const Scalar& value) const {
    const MagnitudeOf<Scalar> size = magnitude(value);
    return size == row.from ? e < row.tiesEnd : !(size < row.from);
  }
  KOKKOS_INLINE_FUNCTION Scalar kept(const Row& row, const Scalar& value) const {
    return row.divisor == Scalar(1) ? value : value / row.divisor;
  }
};

/// How they are kept by what a user's functor says of each, with the facts of its row:
/// keep(row, column, value, facts).
/// @tparam Numbers what kernels get the number of a row, and of a column, by: number(local index)
template <class Scalar, class Keep, class RowNumbers, class ColumnNumbers>
struct KeepByEntry {
  using Verdict = RowFacts<MagnitudeOf<Scalar>>;
  using Row = Verdict;

  Keep keep;
  RowNumbers rows;
  ColumnNumbers columns;

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION Row settle(const Lanes&, const Row& facts, const Scalar*, int) const {
    return facts;
  }
  KOKKOS_INLINE_FUNCTION bool keeps(const Row& facts, long long row, int, int column,
                                    const Scalar& value) const {
    return keep(rows(row), columns(column), value, facts);
  }
  KOKKOS_INLINE_FUNCTION Scalar kept(const Row&, const Scalar& value) const { return value; }
};

/// The verdict on each row by a rule, from the row's own values.
template <class Rule>
struct VerdictByRule {
  Rule rule;

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION auto operator()(const Lanes& lanes, long long, const Scalar* values,
                                         int length) const {
    return rule(lanes, values, length);
  }
};

/// Verdicts that are there already, as of rows whose other parts are elsewhere.
template <class Verdict, class Device>
struct KnownVerdicts {
  Kokkos::View<Verdict*, Device> verdicts;

  template <class Lanes, class Scalar>
  KOKKOS_INLINE_FUNCTION Verdict operator()(const Lanes&, long long row, const Scalar*, int) const {
    return verdicts(row);
  }
};

/// Settles a row's verdict, and counts what it keeps.
template <class Scalar, class Device, class Verdicts, class Keep>
struct SettleRow {
  LocalMatrix<Scalar, Device> matrix;
  Verdicts verdicts;
  Keep keep;
  Kokkos::View<typename Keep::Row*, Device> rows;
  Kokkos::View<std::size_t*, Device> counts;

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const std::size_t begin = matrix.graph.row_map(r);
    const int length = static_cast<int>(matrix.graph.row_map(r + 1) - begin);
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

/// Writes what is kept of a row.
template <class Scalar, class Device, class Keep>
struct WriteKept {
  LocalMatrix<Scalar, Device> matrix;
  Keep keep;
  Kokkos::View<typename Keep::Row*, Device> rows;
  CrsArrays<Scalar, Device> to;

  template <class Lanes>
  KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
    const std::size_t begin = matrix.graph.row_map(r), at = to.offsets(r);
    const int length = static_cast<int>(matrix.graph.row_map(r + 1) - begin);
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

/// Runs work(lanes, row) for all rows. By default forRowsByLanes(); tests take the way of devices
/// on hosts too.
struct RowsByLanes {
  template <class Device, class Work>
  static void run(const std::string& label, long long rows, const Work& work) {
    forRowsByLanes<Device>(label, rows, work);
  }
};

/// What verdicts keep of the rows of a matrix, in the order of its entries. Local; waits for its
/// kernels.
/// @param verdicts a VerdictByRule or KnownVerdicts; @param keep a KeepByCut or KeepByEntry
template <class Way = RowsByLanes, class Scalar, class Device, class Verdicts, class Keep>
LocalMatrix<Scalar, Device> keepEntries(const LocalMatrix<Scalar, Device>& matrix,
                                        const Verdicts& verdicts, const Keep& keep) {
  const long long rows = matrix.numRows();
  if (matrix.nnz() == 0) return emptyMatrix<Scalar, Device>(matrix.numRows(), matrix.numCols());
  const auto settled = uninitialized<typename Keep::Row, Device>("Trident::settledRows", rows);
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  Way::template run<Device>(
      "Trident::settleRows", rows,
      SettleRow<Scalar, Device, Verdicts, Keep>{matrix, verdicts, keep, settled, counts});
  const auto to = arraysForCounts<Scalar, Device>(counts);
  Way::template run<Device>("Trident::writeKept", rows,
                            WriteKept<Scalar, Device, Keep>{matrix, keep, settled, to});
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

/// What a rule keeps of the rows of a matrix. They are whole: no rank has another part of one.
/// Local.
/// @param matrix rows sorted by column
/// @param rule a functor rule(lanes, values, length) that returns a RowCut (Trident_RowCut.hpp)
template <class Way = RowsByLanes, class Scalar, class Device, class Rule>
LocalMatrix<Scalar, Device> filterRows(const LocalMatrix<Scalar, Device>& matrix,
                                       const Rule& rule) {
  return keepEntries<Way>(matrix, VerdictByRule<Rule>{rule}, KeepByCut<Scalar>());
}

}  // namespace Trident::Impl

#endif
