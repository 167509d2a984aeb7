// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWMARKS_HPP
#define TRIDENT_ROWMARKS_HPP

#include <algorithm>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Traffic.hpp"
#include "base/Trident_Types.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "rounds/Trident_NeededRows.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// Marks of rows of a matrix on the grid: a bit for each local row. Ranks that share rows have the
/// same marks.
template <class Device>
using RowMarks = Kokkos::View<Word*, Device>;
constexpr long long rowsInWord = 64;

template <class Device>
RowMarks<Device> noMarks(int localRows) {
  return RowMarks<Device>("Trident::rowMarks", localRows / rowsInWord + 1);
}

/// Returns true if a local row is marked. For kernels.
template <class Marks>
KOKKOS_INLINE_FUNCTION bool isMarked(const Marks& marks, long long row) {
  return marks(row / rowsInWord) >> row % rowsInWord & 1;
}

template <class Device>
long long countMarks(const RowMarks<Device>& marks) {
  long long count = 0;
  Kokkos::parallel_reduce(
      "Trident::countMarks", Range<Device>(0, marks.extent(0)),
      TRIDENT_LAMBDA(long long w, long long& sum) { sum += popcount(marks(w)); }, count);
  return count;
}

template <class Device>
RowMarks<Device> marksWithout(const RowMarks<Device>& marks, const RowMarks<Device>& others) {
  const RowMarks<Device> rest = uninitialized<Word, Device>("Trident::rowMarks", marks.extent(0));
  Kokkos::parallel_for(
      "Trident::marksWithout", Range<Device>(0, rest.extent(0)),
      TRIDENT_LAMBDA(long long w) { rest(w) = marks(w) & ~others(w); });
  return rest;
}

template <class Device>
void addMarks(const RowMarks<Device>& marks, const RowMarks<Device>& more) {
  Kokkos::parallel_for(
      "Trident::addMarks", Range<Device>(0, marks.extent(0)),
      TRIDENT_LAMBDA(long long w) { marks(w) |= more(w); });
}

/// Returns marks of the local rows in a list, which may repeat rows. Local; waits for its kernels.
template <class Device>
RowMarks<Device> marksOf(const std::vector<int>& rows, int localRows) {
  const RowMarks<Device> marks = noMarks<Device>(localRows);
  const auto marked = toDevice<int, Device>(rows);
  Kokkos::parallel_for(
      "Trident::marksOf", Range<Device>(0, marked.extent(0)), TRIDENT_LAMBDA(long long n) {
        fetchOr(&marks(marked(n) / rowsInWord), Word(1) << marked(n) % rowsInWord);
      });
  Kokkos::fence();
  return marks;
}

/// Finds the rows at `positions` that ranks (i, *, k) have, and appends their local indices to
/// `rows`. Positions must ascend. Local.
inline void appendRowsAt(const std::vector<Position>& positions, const IndexSpace& space, int i,
                         int k, std::vector<int>& rows) {
  const int slices = space.shape().segmentsPerTileRow();
  auto at = positions.begin();
  Position rowsBefore = 0;  // rows of the slices before s
  for (int s = i * slices; s < (i + 1) * slices; ++s) {
    const Position begin = space.sliceBegin(s, k), end = space.sliceBegin(s, k + 1);
    for (at = std::lower_bound(at, positions.end(), begin); at != positions.end() && *at < end;
         ++at)
      rows.push_back(static_cast<int>(rowsBefore + (*at - begin)));
    rowsBefore += end - begin;
  }
}

/// Local rows of each rank of a grid, in one list that is ordered by ranks.
struct RowsByOwner {
  std::vector<long long> counts;  ///< number of rows of each rank
  std::vector<int> rows;
};

/// Finds the ranks that have the rows at `positions`, which must ascend. Ranks (i, *, k) share a
/// row; only rank (i, j, k), with the given j, is taken. Local.
inline RowsByOwner rowsByOwner(const std::vector<Position>& positions, const IndexSpace& space,
                               int j) {
  const GridShape& shape = space.shape();
  RowsByOwner found;
  found.counts.assign(shape.ranks(), 0);
  for (int i = 0; i < shape.nodeRows; ++i)
    for (int k = 0; k < shape.lambda; ++k) {
      const std::size_t before = found.rows.size();
      appendRowsAt(positions, space, i, k, found.rows);
      found.counts[shape.rank(i, j, k)] = static_cast<long long>(found.rows.size() - before);
    }
  return found;
}

/// Returns the positions of the columns that have entries in a rank's part of a matrix. Positions
/// ascend, and none comes twice. Takes no more memory than the entries do. Local.
template <class Scalar, class Device>
std::vector<Position> columnPositions(const GridMatrix<Scalar, Device>& matrix) {
  const auto& part = matrix.local();
  ColumnIndex<Device> noneOwned(part.numCols(), 0, 0, static_cast<long long>(part.nnz()));
  auto columns = toHost<Position, Device>(remoteColumns(part.graph.entries, noneOwned));
  const Position corner = matrix.columns()->tileColBegin(matrix.grid().me().j);
  for (Position& column : columns) column += corner;
  return columns;
}

/// Returns marks of this rank's rows of a right factor that are needed for a product with `left`. A
/// row is needed if an entry of `left`, on any rank, meets it. Each rank reports each row that it
/// needs to one of the ranks (i, *, k) that share the row. Then the ranks that share rows join
/// their marks. Collective over the grid; throws Trident::Error on every rank if a rank fails.
template <class Scalar, class Device>
RowMarks<Device> rowsNeededBy(const GridMatrix<Scalar, Device>& left, std::size_t messageBytes) {
  const ProcessGrid& grid = left.grid();
  const IndexSpace& inner = *left.columns();
  LocalFailure failure;
  RowsByOwner needed;
  failure.guard([&] { needed = rowsByOwner(columnPositions(left), inner, grid.me().j); });
  if (failure.failed()) needed.counts.assign(grid.size(), 0);
  const AllToAll toOwners(grid, needed.counts, messageBytes);
  std::vector<int> asked;
  failure.guard([&] { asked.resize(toOwners.receives()); });
  throwEverywhere(grid.comm(), failure.text());
  Traffic uncounted;
  toOwners.exchange(needed.rows.data(), asked.data(), sizeof(int), uncounted);
  std::vector<Word> marks;
  runEverywhere(grid.comm(), [&] {
    marks = toHost<Word, Device>(marksOf<Device>(asked, inner.localRows(grid.me().i, grid.me().k)));
  });
  allReduce(MPI_IN_PLACE, marks.data(), static_cast<int>(marks.size()), MPI_UNSIGNED_LONG_LONG,
            MPI_BOR, grid.rowLine(), "the rows that a sample needs");
  RowMarks<Device> joined;
  runEverywhere(grid.comm(), [&] { joined = toDevice<Word, Device>(marks); });
  return joined;
}

/// Returns a rank's part of a matrix with only the entries of marked rows. Local; waits for its
/// kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> markedRows(const LocalMatrix<Scalar, Device>& matrix,
                                       const RowMarks<Device>& marks) {
  const auto from = matrix;
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", from.numRows() + 1);
  Kokkos::parallel_for(
      "Trident::countMarkedRows", Range<Device>(0, from.numRows()), TRIDENT_LAMBDA(long long r) {
        const bool marked = isMarked(marks, r);
        counts(r) = marked ? from.graph.row_map(r + 1) - from.graph.row_map(r) : 0;
      });
  const auto to = arraysForCounts<Scalar, Device>(counts);
  forRowEntries<Device>(
      "Trident::markedRows", from.numRows(), static_cast<long long>(to.columns.extent(0)),
      to.offsets, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t source = from.graph.row_map(r) + (e - to.offsets(r));
        to.columns(e) = from.graph.entries(source);
        to.values(e) = from.values(source);
      });
  Kokkos::fence();
  return to.matrix(from.numCols());
}

/// Joins two matrices. Each row must be empty in one of them. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> rowsOfBoth(const LocalMatrix<Scalar, Device>& a,
                                       const LocalMatrix<Scalar, Device>& b) {
  if (a.nnz() == 0) return b;
  if (b.nnz() == 0) return a;
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", a.numRows() + 1);
  Kokkos::parallel_for(
      "Trident::countRowsOfBoth", Range<Device>(0, a.numRows()), TRIDENT_LAMBDA(long long r) {
        counts(r) = a.graph.row_map(r + 1) - a.graph.row_map(r) +
                    (b.graph.row_map(r + 1) - b.graph.row_map(r));
      });
  const auto to = arraysForCounts<Scalar, Device>(counts);
  forRowEntries<Device>(
      "Trident::rowsOfBoth", a.numRows(), static_cast<long long>(to.columns.extent(0)), to.offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const bool first = a.graph.row_map(r + 1) > a.graph.row_map(r);
        const std::size_t at = e - to.offsets(r);
        const std::size_t source = (first ? a.graph.row_map(r) : b.graph.row_map(r)) + at;
        to.columns(e) = first ? a.graph.entries(source) : b.graph.entries(source);
        to.values(e) = first ? a.values(source) : b.values(source);
      });
  Kokkos::fence();
  return to.matrix(a.numCols());
}

}  // namespace Trident::Impl

#endif
