// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_WEIGHTS_HPP
#define TRIDENTCLUSTERING_WEIGHTS_HPP

#include <cstdint>

#include "TridentClustering_Transform.hpp"
#include "TridentProblems_Comm.hpp"

/// \file TridentClustering_Weights.hpp
/// Weights of networks as files write them, before they are those of a graph.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Returns what mcl takes a weight for: its numbers are floats, so that one below their range is 0.
/// What lies in their range keeps all its digits. Throws MatrixError for a weight that is negative,
/// not a number, or above their range.
double checkedWeight(double weight);

/// How the weight of a graph comes from the one that a file has: first the logarithm, then the
/// steps, then the check.
struct WeightRule {
  enum class Logarithm { none, negative, negativeDecimal };  ///< of 0: what no weight exceeds
  Logarithm logarithm = Logarithm::none;
  Transformation steps;      ///< of weights alone
  bool negativeToo = false;  ///< true if negative weights are taken, as the graph is transformed

  /// Returns true if what comes out is another number.
  bool changes() const { return logarithm != Logarithm::none || !steps.empty(); }
  /// Throws MatrixError where what comes out is no weight.
  double weightOf(double written) const;
};

/// Returns the rule of weights that stay as they are written.
const WeightRule& asWritten();

/// How the weights of a file spread, by which E-values give themselves away.
class WeightSpread {
 public:
  /// \param weight as in the file; one of 0 says nothing
  void add(double weight);

  /// Returns true if weights look like E-values, of which the smallest mean the strongest
  /// connections: more than half are below 0.001, and they span six orders of magnitude or more.
  /// The same on every rank; collective.
  bool looksLikeEValues(const Comm& comm) const;

 private:
  std::int64_t weights_ = 0, small_ = 0;
  double leastExponent_ = 0, mostExponent_ = 0;  // decimal; of no weight, 0
};

}  // namespace Clustering
}  // namespace Trident

#endif
