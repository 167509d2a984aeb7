// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Trident {
namespace Clustering {

double checkedWeight(double weight) {
  if (!(weight >= 0 && weight <= std::numeric_limits<float>::max()))
    throw MatrixError(
        "the weight should be a number from 0 to 3.4e38, not inf or nan (-tf \"gt(0)\" drops "
        "negative ones)");
  return static_cast<float>(weight) > 0 ? weight : 0;
}

const WeightRule& asWritten() {
  static const WeightRule rule;
  return rule;
}

double WeightRule::weightOf(double written) const {
  if (!changes() && !negativeToo) return checkedWeight(written);
  constexpr double most = std::numeric_limits<float>::max();
  if (!(std::fabs(written) <= most))
    throw MatrixError(
        "the weight should be a number from -3.4e38 to 3.4e38, not inf or nan (-tf \"gt(0)\" drops "
        "negative ones)");
  double weight = written;
  if (logarithm != Logarithm::none) weight = weight > 0 ? -std::log(weight) : most;
  if (logarithm == Logarithm::negativeDecimal) weight /= std::log(10.0);
  if (!steps.empty())
    weight =
        transformedWeight(steps.data(), steps.data() + steps.size(), static_cast<float>(weight));
  if (!(std::fabs(weight) <= most) || (weight < 0 && !negativeToo)) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", weight);
    throw MatrixError(std::string("the weight becomes ") + text +
                      " and should be from 0 to 3.4e38 (-abc-tf \"gt(0)\" drops negative ones)");
  }
  return static_cast<float>(weight) == 0 ? 0 : weight;
}

void WeightSpread::add(double weight) {
  if (!(weight > 0)) return;
  const double exponent = std::log10(weight);
  leastExponent_ = weights_ == 0 ? exponent : std::min(leastExponent_, exponent);
  mostExponent_ = weights_ == 0 ? exponent : std::max(mostExponent_, exponent);
  ++weights_;
  if (weight < 1e-3) ++small_;
}

bool WeightSpread::looksLikeEValues(const Comm& comm) const {
  constexpr double beyond = 1000;  // any exponent
  const double most = comm.max(weights_ > 0 ? mostExponent_ : -beyond);
  const double least = -comm.max(weights_ > 0 ? -leastExponent_ : -beyond);
  const std::int64_t all = comm.sum(weights_), small = comm.sum(small_);
  return 2 * small > all && most - least >= 6;
}

}  // namespace Clustering
}  // namespace Trident
