// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BATCHPLAN_HPP
#define TRIDENT_BATCHPLAN_HPP

#include <algorithm>
#include <limits>
#include <vector>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Options.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// A batch of rounds that are fused into one local product.
struct RoundBatch {
  int firstRound, endRound;
  std::vector<int> segments;  ///< this rank's segments, in the order of the fused operands
};

/// Bytes of the largest round, by which ranks choose the number of rounds to fuse.
struct RoundBytes {
  long long sliceA;      ///< bytes of a slice of A, and of its copy in the fused operand
  long long tileB;       ///< bytes of a tile of B (divided by λ if shared) plus B's landed slice
  long long own;         ///< bytes of a rank's own slices of A and B
  long long widest = 1;  ///< number of rows of the inner space's largest segment
};

/// Returns the bytes that a product may take beside its factors and C: options.memoryBytes, or by
/// default max(256 MiB, 8 × the own slices).
inline long long memoryBound(long long ownBytes, const RoundOptions& options) {
  constexpr long long floor = 256ll << 20;
  return options.memoryBytes > 0 ? static_cast<long long>(options.memoryBytes)
                                 : std::max(floor, 8 * ownBytes);
}

/// Returns the rounds per batch: options.fuseRounds, or all that fit the memory bound. There are
/// fewer if an int could not count the rows of a fused tile.
inline int roundsPerBatch(int rounds, const RoundBytes& bytes, const RoundOptions& options) {
  const long long perRound = std::max(1ll, bytes.sliceA + bytes.tileB);
  const long long wanted =
      options.fuseRounds > 0 ? options.fuseRounds : memoryBound(bytes.own, options) / perRound;
  // A fused tile may have no more rows than an int can count.
  const long long countable = std::numeric_limits<int>::max() / bytes.widest - 1;
  return static_cast<int>(
      std::clamp(std::min(wanted, countable), 1ll, static_cast<long long>(rounds)));
}

/// Cuts the rounds of node (i, j) into batches of `perBatch`.
inline std::vector<RoundBatch> batchRounds(const GridShape& shape, int i, int j, int perBatch) {
  const int rounds = shape.segments();
  std::vector<RoundBatch> batches;
  for (int first = 0; first < rounds; first += perBatch) {
    RoundBatch batch{first, std::min(first + perBatch, rounds), {}};
    for (int t = batch.firstRound; t < batch.endRound; ++t)
      batch.segments.push_back(shape.segmentOfRound(t, i, j));
    std::sort(batch.segments.begin(), batch.segments.end());
    batches.push_back(batch);
  }
  return batches;
}

/// The rounds of a rank, in batches.
struct BatchPlan {
  int perBatch;  ///< rounds of each batch; the last may have fewer
  std::vector<RoundBatch> batches;
};

/// Returns the largest of each number over all ranks. Collective over the grid. On one node
/// nothing is sent, because the ranks of a node know the largest values already.
inline RoundBytes maxOverRanks(const ProcessGrid& grid, RoundBytes most) {
  static_assert(sizeof most == 4 * sizeof(long long), "travels as numbers");
  if (grid.shape().nodes() > 1)
    allReduce(MPI_IN_PLACE, &most, 4, MPI_LONG_LONG, MPI_MAX, grid.comm(),
              "the largest slices and tiles");
  return most;
}

/// Plans the batches of this rank. All ranks plan equally many batches. Local.
/// @param most result of maxOverRanks()
inline BatchPlan planBatches(const ProcessGrid& grid, const RoundBytes& most,
                             const RoundOptions& options) {
  const int perBatch = roundsPerBatch(grid.shape().segments(), most, options);
  return {perBatch, batchRounds(grid.shape(), grid.me().i, grid.me().j, perBatch)};
}

}  // namespace Trident::Impl

#endif
