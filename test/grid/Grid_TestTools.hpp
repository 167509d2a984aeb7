// SPDX-License-Identifier: BSD-3-Clause
// Tools that tests on grids share.
#ifndef TRIDENT_GRID_TESTTOOLS_HPP
#define TRIDENT_GRID_TESTTOOLS_HPP

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "base/Trident_Types.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {
namespace TestTools {

inline int worldRank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int worldSize() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Lists every grid that `ranks` ranks can form with one of these λ.
inline std::vector<GridShape> gridsOf(int ranks, const std::vector<int>& lambdas) {
  std::vector<GridShape> grids;
  for (int lambda : lambdas)
    if (ranks % lambda == 0)
      for (const GridShape& shape : allShapes(ranks / lambda, lambda)) grids.push_back(shape);
  return grids;
}

/// Returns a number that depends on all of its arguments, equal on every rank and machine.
inline std::uint64_t hashOf(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}
template <class... Rest>
std::uint64_t hashOf(std::uint64_t first, Rest... rest) {
  return hashOf(first * 0x9e3779b97f4a7c15ull + hashOf(static_cast<std::uint64_t>(rest)...) + 1);
}

/// Draws cuts of 0..size-1; some parts are empty.
inline std::vector<Position> randomCuts(Position size, int parts, std::mt19937_64& random) {
  std::vector<Position> cuts(parts + 1, 0);
  for (int p = 1; p < parts; ++p) {
    cuts[p] = static_cast<Position>(random() % (size + 1));
    if (p > 1 && random() % 4 == 0) cuts[p] = cuts[p - 1];
  }
  cuts[parts] = size;
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
