// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARTITION_HPP
#define TRIDENT_PARTITION_HPP

#include <vector>

#include "base/Trident_Types.hpp"

namespace Trident::Impl {

/// Ways to cut positions 0..n-1 into consecutive parts (the S·λ slices of an IndexSpace). Each
/// returns parts + 1 ascending cuts from 0 to n.

/// Cuts into parts whose lengths differ by one at most.
std::vector<Position> uniformCuts(Position size, int parts);

/// Cuts into parts that are the indices of ranges of ranks; ranks must be a multiple of parts.
/// @param rankBegin number of the first index of each grid rank, and the size: ranks + 1 values
std::vector<Position> alignedCuts(const std::vector<Position>& rankBegin, int parts);

/// Cuts into parts of about equal weight, by a histogram. A position that weighs more than a part's
/// share is not cut: it is in one part, and parts beside it may be empty.
/// @param binBegins bin b holds the positions [binBegins[b], binBegins[b + 1]); from 0 to n
/// @param binWeight of each bin, summed over all ranks by the caller. Inside a bin weight counts as
///                  uniform.
std::vector<Position> balancedCuts(const std::vector<Position>& binBegins, int parts,
                                   const std::vector<long long>& binWeight);

/// Divides the bins of a histogram into which a balanced cut falls, each into up to `intervals` of
/// equal length. The new bins, once weighed, cut as exactly as `intervals` times as many old ones.
std::vector<Position> finerBins(const std::vector<Position>& binBegins, int parts,
                                const std::vector<long long>& binWeight, int intervals);

/// Returns the first position of bin b of `bins`.
TRIDENT_FUNCTION Position binBegin(Position size, int bins, int b) {
  return size / bins * b + size % bins * b / bins;
}

/// Returns the bin that holds `position`.
TRIDENT_FUNCTION int binOf(Position size, int bins, Position position) {
  int b = static_cast<int>(static_cast<double>(position) / static_cast<double>(size) * bins);
  if (b >= bins) b = bins - 1;
  while (b > 0 && binBegin(size, bins, b) > position) --b;
  while (b + 1 < bins && binBegin(size, bins, b + 1) <= position) ++b;
  return b;
}

/// Returns the largest weight of a part over the mean weight (1 if there is no weight).
double imbalance(const std::vector<long long>& partWeight);

/// Returns the most weight that one of `blocks` would take in or give away, if they were cut anew
/// to weigh the same. Blocks consist of equally many successive parts and keep their order. The
/// unit is the mean weight of a part.
/// @param blocks divides the number of parts
double mostMoved(const std::vector<long long>& partWeight, int blocks);

}  // namespace Trident::Impl

#endif
