// SPDX-License-Identifier: BSD-3-Clause
#ifndef MARKOV_EMULATION_HPP
#define MARKOV_EMULATION_HPP

#include <utility>
#include <vector>

/// \file Markov_Emulation.hpp
/// The work of the program mcl 22-282, serial and plain, in double precision: the oracle of
/// markovCluster(). Shares no code with it.

namespace TridentTest {

/// Neighbours of each node, by node.
using Graph = std::vector<std::vector<std::pair<int, double>>>;
/// Nodes of each cluster, ascending; the largest cluster first, then by first node.
using Clusters = std::vector<std::vector<int>>;

/// mcl's -I, -P, -S, -R, -pct, -L, -c, -pi, -l, -i.
struct MclOptions {
  double inflation = 2;
  long long prune = 10000, select = 1100, recover = 1400;
  int percent = 90;
  int mostIterations = 10000;
  double loops = 1, firstInflation = 1;
  int initialIterations = 0;
  double initialInflation = 2;
};

/// The clusters, and how mcl got there.
struct MclResult {
  Clusters clusters;
  int iterations = 0;
  double chaos = 0;
  long long overlaps = 0;  ///< nodes in several clusters before the overlap was cut
};

MclResult emulateMcl(const Graph& graph, const MclOptions& options);

/// Puts clusters into mcl's order.
Clusters inOrder(Clusters clusters);

/// Makes clusters of the nodes' labels 0, 1, ...: in the order of labels.
Clusters clustersOf(const std::vector<long long>& labels);

}  // namespace TridentTest

#endif
