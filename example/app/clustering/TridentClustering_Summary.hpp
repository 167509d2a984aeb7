// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_SUMMARY_HPP
#define TRIDENTCLUSTERING_SUMMARY_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Sizes of clusters, in nodes. Of clusters that are numbered by falling size.
struct ClusterSizes {
  std::int64_t clusters = 0, largest = 0, singletons = 0;
  double median = 0;
};

/// \param clusters of this rank's nodes: numbers from 0 by falling size
/// \param singletons how many of all have one node
/// Collective.
ClusterSizes clusterSizes(const std::vector<std::int64_t>& clusters, std::int64_t singletons,
                          const Comm& comm);

/// The results and costs of a run. Times and bytes are those of the slowest and the fullest rank.
struct Summary {
  std::string file, out;
  double inflation = 0;
  int ranks = 1;
  std::string grid;
  std::int64_t nodes = 0, edges = 0;
  ClusterSizes sizes;
  std::int64_t overlaps = 0;
  double modularity = 0, efficiency = 0, massFraction = 0, areaFraction = 0;
  double chaos = 0;
  int iterations = 0;
  int lostCheckpoints = 0;  ///< checkpoints that could not be written
  int resumed = 0;          ///< iterations that the checkpoint had; 0: the run began anew
  bool converged = false;
  std::int64_t expanded = 0, dropped = 0;  ///< entries of products, before pruning and by it
  double readSeconds = 0, clusterSeconds = 0, writeSeconds = 0;
  double residentBytes = 0;  ///< the highest that a rank had
  double matrixBytes = 0;    ///< bytes of matrices, the most that a rank held at once
  double forecastBytes = 0;  ///< bytes expected of the next, before the work
  double peakBytes = 0;      ///< the most that a rank took where the matrices lie; of what ranks of
                             ///< a host share, its part
  double sharedBytes = 0;    ///< bytes that this rank shared, at most
};

/// Writes a few lines for people.
std::string describe(const Summary& summary);

/// Returns a table of several runs on one network, with a line for each.
std::string describe(const std::vector<Summary>& runs);

/// Returns a summary as a JSON object; several as one with the key "runs", which has them all.
std::string json(const Summary& summary);
std::string json(const std::vector<Summary>& runs);

}  // namespace Clustering
}  // namespace Trident

#endif
