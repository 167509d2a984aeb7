// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_TRANSFORM_HPP
#define TRIDENTCLUSTERING_TRANSFORM_HPP

#include <string>
#include <vector>

/// \file TridentClustering_Transform.hpp
/// mcl's transformations of networks, `gq(50),add(1),#knn(20)`: text in, steps out, and what the
/// steps make of one weight. Those of whole networks are in TridentClustering_TransformGraph.hpp.
/// No communication.

namespace Trident {
namespace Clustering {

/// The effect of a step on a network as a whole; `none` for one that sees one weight at a time.
enum class NetworkStep {
  none,
  knn,             ///< an edge stays where it is among the strongest of both ends
  knnJoin,         ///< likewise, of one end at least
  rank,            ///< likewise, of the node that has it
  ceilNeighbours,  ///< nodes with many neighbours keep the strongest, and their neighbours agree
  max,             ///< an edge and the one back: the larger, for both
  min,
  add,
  multiply,
  arcMax,  ///< the smaller of the two goes
  transpose
};

/// A step: `ofWeight` or `ofNetwork` is set.
struct TransformStep {
  std::string name;  ///< name of mcl's, for messages
  double argument = 0;
  double (*ofWeight)(float weight, double argument) = nullptr;
  bool selects = false;  ///< true if 0 from ofWeight ends the steps of this weight
  NetworkStep ofNetwork = NetworkStep::none;
};

/// Steps in the order in which they are made.
using Transformation = std::vector<TransformStep>;

/// Reads steps. Throws std::runtime_error, which names the step and what to write in its place.
Transformation parseTransformation(const std::string& text);

/// Reads steps that see weights alone, as the network is not known yet (-abc-tf); otherwise as
/// parseTransformation().
Transformation parseWeightTransformation(const std::string& text);

/// Returns a weight after the steps `begin` .. `end`-1, all of weights; 0: the edge goes. As in mcl
/// the numbers between the steps are floats, so that both find the same edges at a bound.
float transformedWeight(const TransformStep* begin, const TransformStep* end, float weight);

}  // namespace Clustering
}  // namespace Trident

#endif
