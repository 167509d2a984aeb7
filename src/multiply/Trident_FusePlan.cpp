// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_FusePlan.hpp"

#include <algorithm>

namespace Trident {

long long memoryBound(long long ownBytes, const RoundOptions& options) {
  constexpr long long floor = 256ll << 20;
  return options.memoryBytes > 0 ? static_cast<long long>(options.memoryBytes)
                                 : std::max(floor, 8 * ownBytes);
}

int roundsPerGroup(int rounds, const RoundBytes& bytes, const RoundOptions& options) {
  if (options.fuseRounds > 0) return std::min(options.fuseRounds, rounds);
  const long long bound = memoryBound(bytes.own, options);
  const long long perRound = std::max(1ll, bytes.sliceA + bytes.tileB);
  return static_cast<int>(std::clamp(bound / perRound, 1ll, static_cast<long long>(rounds)));
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

}  // namespace Trident
