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

/// Returns a weight as mcl takes it: its numbers are floats, so that one below their range is 0.
/// One in their range keeps all its digits. Throws MatrixError for a weight that is negative, not a
/// number, or above their range.
double checkedWeight(double weight);

/// The way from a file's weight to the graph's: first the logarithm, then the steps, then the
/// check.
struct WeightRule {
  /// Logarithms; that of 0 is what no weight exceeds.
  enum class Logarithm { none, negative, negativeDecimal };
  Logarithm logarithm = Logarithm::none;
  Transformation steps;      ///< steps on weights alone
  bool negativeToo = false;  ///< true if negative weights are taken, as the graph is transformed

  /// Returns true if what comes out is another number.
  bool changes() const { return logarithm != Logarithm::none || !steps.empty(); }
  /// Throws MatrixError where what comes out is no weight.
  double weightOf(double written) const;
};

/// Returns the rule of weights that stay as they are written.
const WeightRule& asWritten();

/// The spread of the weights of a file, by which E-values give themselves away.
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
