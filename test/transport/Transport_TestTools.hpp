// SPDX-License-Identifier: BSD-3-Clause
// Recognizable bytes, and grids over all ranks.
#ifndef TRIDENT_TRANSPORT_TESTTOOLS_HPP
#define TRIDENT_TRANSPORT_TESTTOOLS_HPP

#include <chrono>
#include <cstddef>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "Grid_TestTools.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {
namespace TestTools {

using Bytes = std::vector<unsigned char>;

/// Returns bytes that depend on the key and on their place, so that any mix-up shows.
inline Bytes bytesOf(std::uint64_t key, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t n = 0; n < size; ++n)
    bytes[n] = static_cast<unsigned char>(hashOf(key, n) >> 13);
  return bytes;
}

/// Lays the grid of this shape over MPI_COMM_WORLD, all ranks taken as one host.
inline NodeLayout oneHost(const GridShape& shape) {
  return layoutNodes(std::vector<int>(worldSize(), 0), shape.lambda);
}

/// Lays nodes of `nodeSize` of all ranks, taken as one host, for a grid that is blind to them.
inline NodeLayout flatNodes(int nodeSize) {
  return flattened(layoutNodes(std::vector<int>(worldSize(), 0), nodeSize));
}

/// Sleeps up to `microseconds`, differently on every rank and call, often not at all and seldom
/// twenty times as long: shakes the order in which ranks get to their calls, and now and then lets
/// one fall rounds behind.
class Delay {
 public:
  Delay(unsigned seed, int microseconds, int rank = worldRank())
      : random_(seed + 1000003u * rank), most_(microseconds) {}
  void operator()() {
    if (most_ == 0 || random_() % 3) return;
    const int most = random_() % 32 ? most_ : 20 * most_;
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % most));
  }

 private:
  std::mt19937 random_;
  int most_;
};

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
