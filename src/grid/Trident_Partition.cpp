// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Partition.hpp"

#include <algorithm>
#include <numeric>

namespace Trident::Impl {

std::vector<Position> uniformCuts(Position size, int parts) {
  std::vector<Position> cuts(parts + 1);
  for (int p = 0; p <= parts; ++p) cuts[p] = binBegin(size, parts, p);
  return cuts;
}

std::vector<Position> alignedCuts(const std::vector<Position>& rankBegin, int parts) {
  const int ranksPerPart = (static_cast<int>(rankBegin.size()) - 1) / parts;
  std::vector<Position> cuts(parts + 1);
  for (int p = 0; p <= parts; ++p) cuts[p] = rankBegin[p * ranksPerPart];
  return cuts;
}

std::vector<Position> balancedCuts(Position size, int parts,
                                   const std::vector<long long>& binWeight) {
  const int bins = static_cast<int>(binWeight.size());
  const double total = std::accumulate(binWeight.begin(), binWeight.end(), 0.0);
  if (total == 0) return uniformCuts(size, parts);
  std::vector<Position> cuts(parts + 1, size);
  cuts[0] = 0;
  double before = 0;  // weight of the bins before b
  int p = 1;
  for (int b = 0; b < bins; ++b) {
    const double weight = static_cast<double>(binWeight[b]);
    for (; p < parts && before + weight >= total * p / parts; ++p) {
      const double inside = weight > 0 ? (total * p / parts - before) / weight : 0.0;
      const Position begin = binBegin(size, bins, b), length = binBegin(size, bins, b + 1) - begin;
      cuts[p] = std::max(cuts[p - 1],
                         begin + static_cast<Position>(inside * static_cast<double>(length)));
    }
    before += weight;
  }
  return cuts;
}

double imbalance(const std::vector<long long>& partWeight) {
  const double total = std::accumulate(partWeight.begin(), partWeight.end(), 0.0);
  if (total == 0) return 1.0;
  const long long largest = *std::max_element(partWeight.begin(), partWeight.end());
  return static_cast<double>(largest) * static_cast<double>(partWeight.size()) / total;
}

}  // namespace Trident::Impl
