// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FINDRUNS_HPP
#define TRIDENT_FINDRUNS_HPP

#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"
#include "matrix/Trident_RowEntries.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "move/Trident_Runs.hpp"

namespace Trident::Impl {

/// Where the local rows of a matrix lie on the grid.
template <class Device>
struct RowPlaces {
  Kokkos::View<int*, Device> rank;   ///< that has the row in node column 0
  Kokkos::View<int*, Device> local;  ///< row there
  int ranksApart;                    ///< from a rank to the same one in the next node column
};

template <class Device>
RowPlaces<Device> placeRowsOnGrid(const RowNumbers<Device>& rowNumbers, long long rows,
                                  const IndexSpace& space) {
  const SliceLocator<Device> locator(space);
  const int lambda = space.shape().lambda, ranksInRow = space.shape().nodeCols * lambda;
  const RowPlaces<Device> places{uninitialized<int, Device>("Trident::rowRank", rows),
                                 uninitialized<int, Device>("Trident::rowLocal", rows), lambda};
  const RowNumbers<Device> numbers = rowNumbers;
  Kokkos::parallel_for(
      "Trident::placeRowsOnGrid", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        const auto row = locator.row(numbers(r));
        places.rank(r) = row.i * ranksInRow + row.k;
        places.local(r) = row.local;
      });
  return places;
}

/// The runs of rows, one row after the other; on hosts, where a thread goes through a row.
template <class Matrix, class Device>
Runs<Device> runsByRow(const Matrix& matrix, const RowPlaces<Device>& places,
                       const Kokkos::View<int*, Device>& columnNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows();
  const auto runBegin = uninitialized<long long, Device>("Trident::runBegin", rows + 1);
  Kokkos::parallel_for(
      "Trident::countRowRuns", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        long long count = 0;
        int before = -1;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
          const int j = columnNode(columns(e));
          count += j != before;
          before = j;
        }
        runBegin(r) = count;
      });
  const auto runs = uninitializedRuns<Device>(countsToOffsets<long long, Device>(runBegin));
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        std::size_t e = offsets(r);
        const std::size_t end = offsets(r + 1);
        for (long long run = runBegin(r); run < runBegin(r + 1); ++run) {
          const std::size_t begin = e;
          const int j = columnNode(columns(e));
          while (++e < end && columnNode(columns(e)) == j) {
          }
          runs.destination(run) = places.rank(r) + j * places.ranksApart;
          runs.header(run) = {places.local(r), static_cast<int>(e - begin)};
          runs.source(run) = begin;
        }
      });
  return runs;
}

/// Offsets of the entries that begin a run; on devices, where threads share a row: a byte of memory
/// for each entry.
template <class Matrix, class Device>
Kokkos::View<std::size_t*, Device> runSourcesByEntry(const Matrix& matrix,
                                                     const Kokkos::View<int*, Device>& columnNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long entries = matrix.nnz();
  const auto begins = uninitialized<char, Device>("Trident::beginsRun", entries);
  forRowEntries<Device>(
      "Trident::beginsRun", matrix.numRows(), entries, offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        begins(e) = e == offsets(r) || columnNode(columns(e)) != columnNode(columns(e - 1));
      });
  // Kokkos 3.4 scans no more than 2^31 numbers on CUDA: scanned are blocks of entries.
  constexpr long long block = 64;
  const long long blocks = (entries + block - 1) / block;
  const auto before = uninitialized<long long, Device>("Trident::runsBefore", blocks + 1);
  Kokkos::parallel_for(
      "Trident::countRuns", Range<Device>(0, blocks), TRIDENT_LAMBDA(long long b) {
        long long sum = 0;
        for (long long e = b * block; e < entries && e < (b + 1) * block; ++e) sum += begins(e);
        before(b) = sum;
      });
  const auto source = uninitialized<std::size_t, Device>(
      "Trident::runSource", countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::runSources", Range<Device>(0, blocks), TRIDENT_LAMBDA(long long b) {
        long long run = before(b);
        for (long long e = b * block; e < entries && e < (b + 1) * block; ++e)
          if (begins(e)) source(run++) = e;
      });
  return source;
}

/// The runs of entries; on devices.
template <class Matrix, class Device>
Runs<Device> runsByEntry(const Matrix& matrix, const RowPlaces<Device>& places,
                         const Kokkos::View<int*, Device>& columnNode) {
  const auto source = runSourcesByEntry<Matrix, Device>(matrix, columnNode);
  const long long count = source.extent(0), entries = matrix.nnz(), rows = matrix.numRows();
  Runs<Device> runs{uninitialized<int, Device>("Trident::runDestination", count),
                    uninitialized<RunHeader, Device>("Trident::runHeader", count), source};
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, count), TRIDENT_LAMBDA(long long run) {
        const std::size_t begin = source(run);
        const std::size_t end = run + 1 < count ? source(run + 1) : entries;
        const long long row = intervalOf(offsets, rows, begin);
        runs.destination(run) = places.rank(row) + columnNode(columns(begin)) * places.ranksApart;
        runs.header(run) = {places.local(row), static_cast<int>(end - begin)};
      });
  return runs;
}

/// The runs of a local matrix: consecutive entries of a row with one node column. A row goes to
/// the nodes of one node row, so it has at least as many runs as it meets node columns.
template <class Matrix, class Device = typename Matrix::device_type>
Runs<Device> findRuns(const Matrix& matrix, const RowNumbers<Device>& rowNumbers,
                      const IndexSpace& rowSpace, const Kokkos::View<int*, Device>& columnNode) {
  const auto places = placeRowsOnGrid<Device>(rowNumbers, matrix.numRows(), rowSpace);
  if constexpr (isHost<Device>)
    return runsByRow<Matrix, Device>(matrix, places, columnNode);
  else
    return runsByEntry<Matrix, Device>(matrix, places, columnNode);
}

}  // namespace Trident::Impl

#endif
