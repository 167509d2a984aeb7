// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_Partition.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

namespace {

/// Calls f(p, bin, inside) for each cut p between parts of equal weight. The cut divides `bin`: the
/// fraction `inside` of the bin's weight lies before the cut. Bins ascend from call to call.
template <class F>
void forBalancedCuts(int parts, const std::vector<long long>& binWeight, const F& f) {
  const double total = std::accumulate(binWeight.begin(), binWeight.end(), 0.0);
  double before = 0;  // weight of all bins before bin b
  int p = 1;
  for (std::size_t b = 0; b < binWeight.size(); ++b) {
    const double weight = static_cast<double>(binWeight[b]);
    for (; p < parts && before + weight >= total * p / parts; ++p)
      f(p, b, weight > 0 ? (total * p / parts - before) / weight : 0.0);
    before += weight;
  }
}

bool weighNothing(const std::vector<long long>& binWeight) {
  return std::all_of(binWeight.begin(), binWeight.end(), [](long long w) { return w == 0; });
}

}  // namespace

std::vector<Position> balancedCuts(const std::vector<Position>& binBegins, int parts,
                                   const std::vector<long long>& binWeight) {
  if (weighNothing(binWeight)) return uniformCuts(binBegins.back(), parts);
  std::vector<Position> cuts(parts + 1, binBegins.back());
  cuts[0] = 0;
  forBalancedCuts(parts, binWeight, [&](int p, std::size_t b, double inside) {
    const double length = static_cast<double>(binBegins[b + 1] - binBegins[b]);
    cuts[p] =
        std::max(cuts[p - 1], binBegins[b] + static_cast<Position>(std::lround(inside * length)));
  });
  return cuts;
}

std::vector<Position> finerBins(const std::vector<Position>& binBegins, int parts,
                                const std::vector<long long>& binWeight, int intervals) {
  if (weighNothing(binWeight)) return binBegins;
  std::vector<bool> hasCut(binWeight.size(), false);
  forBalancedCuts(parts, binWeight, [&](int, std::size_t b, double) { hasCut[b] = true; });
  std::vector<Position> finer{0};
  for (std::size_t b = 0; b < binWeight.size(); ++b) {
    const Position length = binBegins[b + 1] - binBegins[b];
    const int count = hasCut[b] ? static_cast<int>(std::min<Position>(length, intervals)) : 1;
    for (int q = 1; q <= count; ++q) finer.push_back(binBegins[b] + binBegin(length, count, q));
  }
  return finer;
}

double imbalance(const std::vector<long long>& partWeight) {
  const double total = std::accumulate(partWeight.begin(), partWeight.end(), 0.0);
  if (total == 0) return 1.0;
  const long long largest = *std::max_element(partWeight.begin(), partWeight.end());
  return static_cast<double>(largest) * static_cast<double>(partWeight.size()) / total;
}

double largestBlockChange(const std::vector<long long>& partWeight, int blocks) {
  const double total = std::accumulate(partWeight.begin(), partWeight.end(), 0.0);
  if (total == 0) return 0;
  const double even = total / blocks;
  const auto partsOfBlock = static_cast<std::ptrdiff_t>(partWeight.size()) / blocks;
  double begin = 0, most = 0;
  for (int b = 0; b < blocks; ++b) {
    const auto first = partWeight.begin() + b * partsOfBlock;
    const double end = std::accumulate(first, first + partsOfBlock, begin);
    const double stays = std::max(0.0, std::min(end, even * (b + 1)) - std::max(begin, even * b));
    most = std::max({most, end - begin - stays, even - stays});
    begin = end;
  }
  return most * static_cast<double>(partWeight.size()) / total;
}

}  // namespace Trident::Impl
