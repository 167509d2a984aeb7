// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_SECONDS_HPP
#define TRIDENTPREDICT_SECONDS_HPP

#include "TridentPredict_Machine.hpp"
#include "TridentPredict_Product.hpp"

namespace Trident {
namespace Predict {

/// Seconds of a product by phase: on the grid those of the rank that ends last, otherwise those of
/// the rank or node that takes longest.
struct PredictedSeconds {
  double import = 0;         ///< operands; for Tpetra, rows of B
  double setup = 0;          ///< telling shapes, finding needed rows, and what any call costs
  double exchange = 0;       ///< slices between nodes
  double gather = 0;         ///< tiles in a node
  double localMultiply = 0;  ///< product of the same rank, as exchange and gather
  double export_ = 0;        ///< entries of C

  double total() const { return import + setup + exchange + gather + localMultiply + export_; }
};

/// Puts a machine's rates to what was counted. Phases follow each other: by default all rounds are
/// one batch, so nothing is multiplied while slices travel.
PredictedSeconds predictSeconds(const Case& which, const Counted& counted, const Machine& machine);

/// Returns the bytes of the rank that needs most at once: the operands, slices, what lands, tile, C
/// and result.
double largestMemory(const Case& which, const Counted& counted, const Machine& machine);

}  // namespace Predict
}  // namespace Trident

#endif
