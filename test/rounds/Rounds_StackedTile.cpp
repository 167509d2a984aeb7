// SPDX-License-Identifier: BSD-3-Clause
// The tiles of several rounds, assembled by all ranks of a node. All ranks are one node.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "grid/Trident_Communicator.hpp"
#include "rounds/Trident_NodeTiles.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::Formula;
using TestTools::HostMatrix;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr int columns = 12;

/// Returns slice k of segment s, as every rank of the node can tell it.
HostMatrix<double> slice(const IndexSpace& inner, int s, int k, const Formula& formula) {
  HostMatrix<double> rows(inner.sliceSize(s, k), columns);
  for (int r = 0; r < rows.numRows(); ++r)
    for (int c = 0; c < columns; ++c)
      if (formula.stored(inner.sliceBegin(s, k) + r, c))
        rows.rows[r].emplace_back(c, formula.value(inner.sliceBegin(s, k) + r, c));
  return rows;
}

int wrongTile(NodeGather& node, const IndexSpace& inner, const RoundBatch& batch,
              const Formula& formula) {
  const int lambda = inner.shape().lambda;
  HostMatrix<double> expected(0, columns);
  std::vector<long long> sliceEntries(inner.shape().segments() * lambda, -1000000);
  for (int s : batch.segments)
    for (int k = 0; k < lambda; ++k) {
      const HostMatrix<double> part = slice(inner, s, k, formula);
      sliceEntries[s * lambda + k] = part.entries();
      expected.rows.insert(expected.rows.end(), part.rows.begin(), part.rows.end());
    }
  StackedTile<double, Device> tile(inner, batch, sliceEntries);
  const int slot = 0;
  node.reserve(tile.bytes(), 1);
  MPI_Barrier(MPI_COMM_WORLD);  // no rank opens a tile before all have reserved
  tile.open(node.open(slot), node.memory());
  for (std::size_t m = 0; m < batch.segments.size(); ++m)
    writeRows(slice(inner, batch.segments[m], worldRank(), formula).onDevice(), 0,
              tile.block(m, worldRank()), tile.arrays());
  if (worldRank() == lambda - 1) tile.close();
  Kokkos::fence();
  Traffic traffic;
  tile.start(node, slot, worldRank(), traffic);
  node.finish(slot);
  MPI_Barrier(MPI_COMM_WORLD);  // shared tiles are whole when all have finished
  tile.toDevice();
  int wrong = tile.rows() != expected.numRows();
  wrong += tile.bytes() < (expected.numRows() + 1) * sizeof(std::size_t) +
                              expected.entries() * (sizeof(int) + sizeof(double));
  const HostMatrix<double> read = TestTools::fromDevice<double>(tile.matrix(columns));
  wrong += read.rows != expected.rows || read.columns != columns;
  return wrong;
}

TEUCHOS_UNIT_TEST(StackedTile, EveryBatchOfSegments) {
  const unsigned seed = 91;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const Communicator world = Communicator::duplicate(MPI_COMM_WORLD);
  for (bool shared : {false, true}) {
    const auto node = shared ? makeSharedGather(world.get()) : makeMpiGather(world.get(), 64);
    int wrong = 0;
    for (int n = 0; n < 40; ++n) {
      const GridShape shape{1 + n % 3, 1 + n % 4, worldSize()};
      const auto inner =
          TestTools::randomSpace(shape, static_cast<Position>(random() % 60), random);
      RoundBatch batch{0, 0, {}};
      for (int s = 0; s < shape.segments(); ++s)
        if (random() % 2) batch.segments.push_back(s);
      if (batch.segments.empty()) batch.segments.push_back(0);
      batch.endRound = static_cast<int>(batch.segments.size());
      const int percent[] = {0, 3, 30, 100};
      wrong += wrongTile(*node, *inner, batch, Formula{seed + unsigned(n), percent[n % 4]});
    }
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
