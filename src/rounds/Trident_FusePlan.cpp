// SPDX-License-Identifier: BSD-3-Clause
#include "rounds/Trident_FusePlan.hpp"

#include <algorithm>
#include <limits>

#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {

long long memoryBound(long long ownBytes, const RoundOptions& options) {
  constexpr long long floor = 256ll << 20;
  return options.memoryBytes > 0 ? static_cast<long long>(options.memoryBytes)
                                 : std::max(floor, 8 * ownBytes);
}

int roundsPerGroup(int rounds, const RoundBytes& bytes, const RoundOptions& options) {
  const long long perRound = std::max(1ll, bytes.sliceA + bytes.tileB);
  const long long wanted =
      options.fuseRounds > 0 ? options.fuseRounds : memoryBound(bytes.own, options) / perRound;
  // The rows of a fused tile are local indices.
  const long long countable = std::numeric_limits<int>::max() / bytes.widest - 1;
  return static_cast<int>(
      std::clamp(std::min(wanted, countable), 1ll, static_cast<long long>(rounds)));
}

std::vector<RoundGroup> groupRounds(const GridShape& shape, int i, int j, int perGroup) {
  const int rounds = shape.segments();
  std::vector<RoundGroup> groups;
  for (int first = 0; first < rounds; first += perGroup) {
    RoundGroup group{first, std::min(first + perGroup, rounds), {}};
    for (int t = group.firstRound; t < group.endRound; ++t)
      group.segments.push_back(shape.segmentOfRound(t, i, j));
    std::sort(group.segments.begin(), group.segments.end());
    groups.push_back(group);
  }
  return groups;
}

RoundBytes largestOfAll(const ProcessGrid& grid, RoundBytes most) {
  static_assert(sizeof most == 4 * sizeof(long long), "travels as numbers");
  if (grid.shape().nodes() > 1)
    allReduce(MPI_IN_PLACE, &most, 4, MPI_LONG_LONG, MPI_MAX, grid.comm(),
              "the largest slices and tiles");
  return most;
}

FusePlan planGroups(const ProcessGrid& grid, const RoundBytes& most, const RoundOptions& options) {
  const int perGroup = roundsPerGroup(grid.shape().segments(), most, options);
  return {perGroup, groupRounds(grid.shape(), grid.me().i, grid.me().j, perGroup)};
}

}  // namespace Trident::Impl
