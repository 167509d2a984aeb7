// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FINDRUNS_HPP
#define TRIDENT_FINDRUNS_HPP

#include "Trident_HostWorkspaces.hpp"
#include "Trident_IndexSpace.hpp"
#include "Trident_NumberedMatrix.hpp"
#include "Trident_RowEntries.hpp"
#include "Trident_Runs.hpp"
#include "Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// Offsets of the entries that begin a run; on hosts, where a thread goes through a row.
template <class Matrix, class Device>
Kokkos::View<std::size_t*, Device> runSourcesByRow(const Matrix& matrix,
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
  const auto source = uninitialized<std::size_t, Device>(
      "Trident::runSource", countsToOffsets<long long, Device>(runBegin));
  Kokkos::parallel_for(
      "Trident::runSources", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        long long run = runBegin(r);
        int before = -1;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
          const int j = columnNode(columns(e));
          if (j != before) source(run++) = e;
          before = j;
        }
      });
  return source;
}

/// The same on devices, where threads share a row: a byte of memory for each entry.
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

/// The runs of a local matrix: consecutive entries of a row with one node column. A row goes to
/// the nodes of one node row, so it has at least as many runs as it meets node columns.
template <class Matrix, class Device = typename Matrix::device_type>
Runs<Device> findRuns(const Matrix& matrix, const RowNumbers<Device>& rowNumbers,
                      const IndexSpace& rowSpace, const Kokkos::View<int*, Device>& columnNode) {
  Runs<Device> runs;
  if constexpr (isHost<Device>)
    runs.source = runSourcesByRow<Matrix, Device>(matrix, columnNode);
  else
    runs.source = runSourcesByEntry<Matrix, Device>(matrix, columnNode);
  const long long count = runs.source.extent(0), entries = matrix.nnz(), rows = matrix.numRows();
  runs.destination = uninitialized<int, Device>("Trident::runDestination", count);
  runs.header = uninitialized<RunHeader, Device>("Trident::runHeader", count);
  const SliceLocator<Device> locator(rowSpace);
  const int nodeCols = rowSpace.shape().nodeCols, lambda = rowSpace.shape().lambda;
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto destination = runs.destination;
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, count), TRIDENT_LAMBDA(long long run) {
        const std::size_t begin = source(run);
        const std::size_t end = run + 1 < count ? source(run + 1) : entries;
        const auto row = locator.row(rowNumbers(intervalOf(offsets, rows, begin)));
        const int j = columnNode(columns(begin));
        destination(run) = (row.i * nodeCols + j) * lambda + row.k;
        header(run) = {row.local, static_cast<int>(end - begin)};
      });
  return runs;
}

}  // namespace Trident::Impl

#endif
