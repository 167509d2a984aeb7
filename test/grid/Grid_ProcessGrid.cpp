// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a grid hold the right ranks in the right order, however ranks lie on hosts.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "Grid_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {
namespace {

using TestTools::gridsOf;
using TestTools::worldRank;
using TestTools::worldSize;

/// Returns the members of `comm`, as ranks of MPI_COMM_WORLD.
std::vector<int> membersOf(MPI_Comm comm) {
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<int> members(size);
  const int me = worldRank();
  TRIDENT_MPI_CHECK(MPI_Allgather(&me, 1, MPI_INT, members.data(), 1, MPI_INT, comm));
  return members;
}

/// Compares the four communicators of every shape with what the layout says.
int wrongCommunicators(const NodeLayout& layout, const GridShape& shape) {
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, layout), shape);
  const GridCoordinates me = shape.coordinates(layout.gridRank[worldRank()]);
  std::vector<int> node, row, col;
  for (int k = 0; k < shape.lambda; ++k) node.push_back(layout.commRank[shape.rank(me.i, me.j, k)]);
  for (int j = 0; j < shape.nodeCols; ++j)
    row.push_back(layout.commRank[shape.rank(me.i, j, me.k)]);
  for (int i = 0; i < shape.nodeRows; ++i)
    col.push_back(layout.commRank[shape.rank(i, me.j, me.k)]);

  int wrong = 0;
  wrong += grid.rank() != layout.gridRank[worldRank()] || !(grid.shape() == shape);
  wrong += grid.me().i != me.i || grid.me().j != me.j || grid.me().k != me.k;
  wrong += membersOf(grid.comm()) != layout.commRank;
  wrong += membersOf(grid.nodeComm()) != node;
  wrong += membersOf(grid.rowLine()) != row;
  wrong += membersOf(grid.colLine()) != col;
  for (int g = 0; g < shape.ranks(); ++g) {
    const GridCoordinates other = shape.coordinates(g);
    wrong += grid.sameNode(g) != (other.i == me.i && other.j == me.j);
  }
  return wrong;
}

/// Lists shapes to test; fewer on many ranks, as communicators are slow to make where ranks are
/// more than cores.
std::vector<GridShape> testedShapes() {
  return worldSize() < 12 ? gridsOf(worldSize(), {1, 2, 3, 4}) : gridsOf(worldSize(), {3, 4});
}

TEUCHOS_UNIT_TEST(ProcessGrid, HostsInOrder) {
  for (const GridShape& shape : testedShapes()) {
    const NodeLayout layout = layoutNodes(std::vector<int>(worldSize(), 0), shape.lambda);
    const int wrong = wrongCommunicators(layout, shape);
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

TEUCHOS_UNIT_TEST(ProcessGrid, HostsRoundRobinAndAtRandom) {
  const unsigned seed = 4;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : testedShapes()) {
    std::vector<int> hosts(worldSize());
    for (int r = 0; r < worldSize(); ++r) hosts[r] = r % shape.nodes();
    TEST_EQUALITY_CONST(wrongCommunicators(layoutNodes(hosts, 0), shape), 0);
    for (int r = worldSize() - 1; r > 0; --r) std::swap(hosts[r], hosts[random() % (r + 1)]);
    const NodeLayout layout = layoutNodes(hosts, 0);
    TEST_EQUALITY(layout.lambda, shape.lambda);
    TEST_EQUALITY_CONST(wrongCommunicators(layout, shape), 0);
  }
}

TEUCHOS_UNIT_TEST(ProcessGrid, LinesKnowWhichMembersSitOnOtherNodes) {
  // On a flattened layout, as SUMMA has it, a line runs through nodes and inside them.
  for (int nodeSize : {1, 2, 3, 4}) {
    const NodeLayout nodes = layoutNodes(std::vector<int>(worldSize(), 0), nodeSize);
    for (const GridShape& shape : allShapes(worldSize(), 1)) {
      const GridShape summa = summaShape(shape.nodeRows, shape.nodeCols);
      const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, flattened(nodes)), summa);
      int wrong = 0;
      for (Factor factor : {Factor::A, Factor::B}) {
        const std::vector<int> ranks = grid.lineRanks(factor);
        const std::vector<bool> internode = grid.internodeOnLine(factor);
        wrong += membersOf(grid.line(factor)) != ranks;  // one host: grid order is world order
        wrong += internode.size() != ranks.size();
        for (std::size_t m = 0; m < ranks.size(); ++m)
          wrong += internode[m] != (ranks[m] / nodes.lambda != grid.rank() / nodes.lambda);
      }
      out << shape.name() << " nodes of " << nodes.lambda << "\n";
      TEST_EQUALITY_CONST(wrong, 0);
    }
  }
}

TEUCHOS_UNIT_TEST(ProcessGrid, ShapeOfOtherRanksIsAnError) {
  const NodeLayout layout = layoutNodes(std::vector<int>(worldSize(), 0), 1);
  for (const GridShape& shape : {GridShape{worldSize() + 1, 1, 1}, GridShape{65536, 65536, 1},
                                 GridShape{worldSize(), 1, 2}, GridShape{worldSize(), 1, 0}})
    TEST_THROW(ProcessGrid(GridRanks(MPI_COMM_WORLD, layout), shape), Error);
}

}  // namespace

}  // namespace Trident::Impl
