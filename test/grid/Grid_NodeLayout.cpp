// SPDX-License-Identifier: BSD-3-Clause
// The ranks that form nodes, for launchers that deal ranks in all kinds of ways.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "Grid_TestTools.hpp"
#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_NodeLayout.hpp"

namespace Trident::Impl {
namespace {

using Ranks = std::vector<int>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool isInversePair(const NodeLayout& layout) {
  Ranks sorted = layout.commRank;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t r = 0; r < sorted.size(); ++r)
    if (sorted[r] != static_cast<int>(r)) return false;
  if (layout.gridRank.size() != layout.commRank.size()) return false;
  for (std::size_t g = 0; g < sorted.size(); ++g)
    if (layout.gridRank[layout.commRank[g]] != static_cast<int>(g)) return false;
  return true;
}

bool nodesStayOnOneHost(const NodeLayout& layout, const Ranks& hostOfRank) {
  for (std::size_t g = 0; g < hostOfRank.size(); ++g) {
    const std::size_t first = g / layout.lambda * layout.lambda;
    if (hostOfRank[layout.commRank[g]] != hostOfRank[layout.commRank[first]]) return false;
  }
  return true;
}

TEUCHOS_UNIT_TEST(NodeLayout, EqualHostsInOrder) {
  const NodeLayout layout = layoutNodes({7, 7, 7, 3, 3, 3}, 0);
  TEST_EQUALITY_CONST(layout.lambda, 3);
  TEST_EQUALITY_CONST(layout.nodes(), 2);
  TEST_COMPARE_ARRAYS(layout.commRank, Ranks({0, 1, 2, 3, 4, 5}));
  TEST_ASSERT(contains(layout.reason, "shared-memory domain"));
  TEST_ASSERT(!contains(layout.reason, "unequal"));
}

TEUCHOS_UNIT_TEST(NodeLayout, RoundRobinHostsAreSortedByFirstRank) {
  const NodeLayout layout = layoutNodes({9, 4, 9, 4, 9, 4}, 0);
  TEST_EQUALITY_CONST(layout.lambda, 3);
  TEST_COMPARE_ARRAYS(layout.commRank, Ranks({0, 2, 4, 1, 3, 5}));
  TEST_COMPARE_ARRAYS(layout.gridRank, Ranks({0, 3, 1, 4, 2, 5}));
}

TEUCHOS_UNIT_TEST(NodeLayout, UnequalHostsTakeTheGreatestCommonDivisor) {
  const Ranks hosts{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  const NodeLayout layout = layoutNodes(hosts, 0);
  TEST_EQUALITY_CONST(layout.lambda, 2);
  TEST_EQUALITY_CONST(layout.nodes(), 5);
  TEST_ASSERT(nodesStayOnOneHost(layout, hosts));
  TEST_ASSERT(contains(layout.reason, "greatest common divisor"));
  TEST_ASSERT(contains(layout.reason, "unequal"));
}

TEUCHOS_UNIT_TEST(NodeLayout, RanksPerNodeOverridesTheHosts) {
  const NodeLayout layout = layoutNodes(Ranks(16, 0), 4);
  TEST_EQUALITY_CONST(layout.lambda, 4);
  TEST_EQUALITY_CONST(layout.nodes(), 4);
  TEST_ASSERT(contains(layout.reason, "ranks per node"));
  TEST_ASSERT(!contains(layout.reason, "does not divide"));
}

TEUCHOS_UNIT_TEST(NodeLayout, RanksPerNodeThatDoesNotDivide) {
  const NodeLayout layout = layoutNodes(Ranks(10, 0), 4);
  TEST_EQUALITY_CONST(layout.lambda, 2);
  TEST_ASSERT(contains(layout.reason, "4 does not divide 10"));
  TEST_ASSERT(contains(layout.reason, "greatest common divisor"));
  TEST_EQUALITY_CONST(layoutNodes(Ranks(7, 0), 3).lambda, 1);
  TEST_EQUALITY_CONST(layoutNodes(Ranks(4, 0), 100).lambda, 4);
}

TEUCHOS_UNIT_TEST(NodeLayout, AlwaysAPermutationAndNodesOnOneHost) {
  const unsigned seed = 20240607;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 500; ++n) {
    Ranks hosts(1 + random() % 40);
    const int labels = 1 + random() % 6;
    for (int& host : hosts) host = static_cast<int>(random() % labels) * 100 - 50;
    const NodeLayout layout = layoutNodes(hosts, 0);
    wrong += !isInversePair(layout) || !nodesStayOnOneHost(layout, hosts);
    wrong += hosts.size() % layout.lambda != 0;
    // λ is the greatest that divides every host: λ·f cuts some host for every f > 1.
    for (int f = 2; f * layout.lambda <= static_cast<int>(hosts.size()); ++f) {
      bool divides = true;
      for (int host : hosts)
        divides =
            divides && std::count(hosts.begin(), hosts.end(), host) % (f * layout.lambda) == 0;
      wrong += divides;
    }
    const int wanted = 1 + static_cast<int>(random() % 8);
    const NodeLayout forced = layoutNodes(hosts, wanted);
    wrong += !isInversePair(forced) || hosts.size() % forced.lambda != 0;
    wrong += wanted % forced.lambda != 0;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(NodeLayout, FlattenedIsBlindToNodesButKnowsThem) {
  const unsigned seed = 20240608;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 200; ++n) {
    Ranks hosts(1 + random() % 24);
    for (int& host : hosts) host = static_cast<int>(random() % 3);
    const NodeLayout nodes = layoutNodes(hosts, random() % 2 ? 0 : 1 + int(random() % 6));
    const NodeLayout flat = flattened(nodes);
    const int P = static_cast<int>(hosts.size());
    wrong += flat.lambda != 1 || flat.nodes() != P || flat.nodeSize != nodes.lambda;
    wrong += flat.commRank != nodes.commRank || flat.gridRank != nodes.gridRank;
    for (int a = 0; a < P; ++a)
      for (int b = 0; b < P; ++b) {
        wrong += flat.sameNode(a, b) != (a / nodes.lambda == b / nodes.lambda);
        wrong += flat.sameNode(a, b) != nodes.sameNode(a, b);
      }
    wrong += flattened(flat).nodeSize != flat.nodeSize;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(NodeLayout, DetectedHostsAreTheLowestRankOfEachDomain) {
  const Ranks hosts = detectHosts(MPI_COMM_WORLD, Communicator::ofHost(MPI_COMM_WORLD).get());
  TEST_EQUALITY(static_cast<int>(hosts.size()), TestTools::worldSize());
  MPI_Comm domain = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &domain);
  int lowest = TestTools::worldRank();
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, domain);
  MPI_Comm_free(&domain);
  TEST_EQUALITY(hosts[TestTools::worldRank()], lowest);
}

}  // namespace

}  // namespace Trident::Impl
