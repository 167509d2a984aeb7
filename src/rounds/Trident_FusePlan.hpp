// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FUSEPLAN_HPP
#define TRIDENT_FUSEPLAN_HPP

#include <cstddef>
#include <vector>

#include "base/Trident_Options.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// A group of rounds that are fused into one local product.
struct RoundGroup {
  int firstRound, endRound;
  std::vector<int> segments;  ///< of the group on this rank, ascending: the fused operands' order
};

/// What fusing is decided by: the largest over all ranks, so that all decide alike.
struct RoundBytes {
  long long sliceA;      ///< bytes of one slice of A, as it lands and in the fused operand
  long long tileB;       ///< bytes of one whole tile of B that this rank pays for
  long long own;         ///< bytes of a rank's own slices of A and B
  long long widest = 1;  ///< rows of the widest segment, as nodes meet it
};

/// What a product may take beside C, which is larger as a rule, and its factors:
/// options.memoryBytes, or by default max(256 MiB, 8 × the own slices).
long long memoryBound(long long ownBytes, const RoundOptions& options);

/// Rounds per group: options.fuseRounds, or all that fit the memory bound; in any case so few that
/// the rows of a fused tile can be counted.
int roundsPerGroup(int rounds, const RoundBytes& bytes, const RoundOptions& options);

/// Cuts the rounds of node (i, j) into groups of `perGroup`.
std::vector<RoundGroup> groupRounds(const GridShape& shape, int i, int j, int perGroup);

/// The rounds of a rank, in groups.
struct FusePlan {
  int perGroup;  ///< rounds, but for the last group
  std::vector<RoundGroup> groups;
};

/// The largest of all ranks. Collective over the grid; of one node, whose ranks know it already,
/// nothing is asked.
RoundBytes largestOfAll(const ProcessGrid& grid, RoundBytes most);

/// Plans alike on all ranks. Local.
/// @param most of all ranks
FusePlan planGroups(const ProcessGrid& grid, const RoundBytes& most, const RoundOptions& options);

}  // namespace Trident::Impl

#endif
