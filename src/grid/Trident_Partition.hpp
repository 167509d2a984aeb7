// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARTITION_HPP
#define TRIDENT_PARTITION_HPP

#include <vector>

#include "base/Trident_Types.hpp"

namespace Trident::Impl {

/// Ways to cut positions 0..n-1 into consecutive parts, such as the S·λ slices of an IndexSpace.
/// The functions named ...Cuts() return parts + 1 ascending cuts, from 0 to n.

/// Cuts positions into parts whose lengths differ by one at most.
std::vector<Position> uniformCuts(Position size, int parts);

/// Cuts positions between ranks, so that each part has the indices of equally many ranks. `parts`
/// must divide the number of ranks.
/// @param rankBegin first position of each grid rank, and then the size: ranks + 1 values
std::vector<Position> alignedCuts(const std::vector<Position>& rankBegin, int parts);

/// Cuts positions into parts of about equal weight, by a histogram. If one position weighs more
/// than a part should, parts beside that position may be empty, because no position is divided.
/// @param binBegins ascending, from 0 to n: bin b has positions [binBegins[b], binBegins[b + 1])
/// @param binWeight weight of each bin, summed over all ranks by the caller. The weight of a bin is
///   taken as spread evenly over its positions.
std::vector<Position> balancedCuts(const std::vector<Position>& binBegins, int parts,
                                   const std::vector<long long>& binWeight);

/// Returns all bins, but divides each bin with a balanced cut into up to `intervals` equal ones.
/// If the caller weighs the new bins, cuts are as exact as with `intervals` times as many bins.
std::vector<Position> finerBins(const std::vector<Position>& binBegins, int parts,
                                const std::vector<long long>& binWeight, int intervals);

/// Returns the first position of bin b, if `bins` bins divide `size` positions equally.
TRIDENT_FUNCTION Position binBegin(Position size, int bins, int b) {
  return size / bins * b + size % bins * b / bins;
}

/// Returns the bin in which `position` lies. binBegin() is the first position of a bin.
TRIDENT_FUNCTION int binOf(Position size, int bins, Position position) {
  int b = static_cast<int>(static_cast<double>(position) / static_cast<double>(size) * bins);
  if (b >= bins) b = bins - 1;
  while (b > 0 && binBegin(size, bins, b) > position) --b;
  while (b + 1 < bins && binBegin(size, bins, b + 1) <= position) ++b;
  return b;
}

/// Returns the largest weight of a part, divided by the mean weight; 1 if there is no weight.
double imbalance(const std::vector<long long>& partWeight);

/// Returns the largest weight that a block gains or loses if blocks of equally many successive
/// parts are cut anew, to equal weights. The unit is the mean weight of a part.
/// @param blocks number of blocks; divides the number of parts
double largestBlockChange(const std::vector<long long>& partWeight, int blocks);

}  // namespace Trident::Impl

#endif
