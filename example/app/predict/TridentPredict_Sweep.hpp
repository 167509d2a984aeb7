// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_SWEEP_HPP
#define TRIDENTPREDICT_SWEEP_HPP

#include <string>
#include <vector>

#include "TridentPredict_Options.hpp"
#include "TridentPredict_Seconds.hpp"

namespace Trident {
namespace Predict {

/// One case and what is predicted for it.
struct Prediction {
  Case which;
  bool neededRows = false;
  TrafficByPart received;  ///< traffic of all ranks together
  double fullestNode = 0;  ///< bytes from other nodes, of the node that receives most
  double fullestRank = 0;  ///< likewise, of the rank that receives most
  double imbalance = 1;    ///< largest over mean multiply-adds of a rank
  double memory = 0;       ///< bytes of the rank that needs most
  PredictedSeconds seconds;
  bool best = false;  ///< the fewest seconds of its algorithm on so many ranks
};

/// Predicts one case.
Prediction predict(ProductCounter& counter, const Case& which, const Machine& machine);

/// Predicts all cases that the options name, and marks the best of each algorithm and number of
/// ranks. Throws std::runtime_error where a grid or λ does not fit the ranks.
std::vector<Prediction> sweep(ProductCounter& counter, const Options& options,
                              const Machine& machine);

/// Finds the fewest full nodes whose ranks' memory holds the product by Trident, in the better of
/// the tall and the square shape. It searches by doubling and halving, so memory is taken to fall
/// with the number of nodes.
/// @param mostNodes to be tried
/// @return none where that many do not hold it
std::vector<Prediction> leastNodes(ProductCounter& counter, const Options& options,
                                   const Machine& machine, int mostNodes);

}  // namespace Predict
}  // namespace Trident

#endif
