// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRUNESCHEME_HPP
#define TRIDENT_PRUNESCHEME_HPP

#include <string>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"

namespace Trident::Impl {

/// How a row of a product is pruned.
struct PruneScheme {
  double cutoff = 0;      ///< entries from here on stay
  long long select = 0;   ///< of these at most so many largest and ties; 0: all
  long long recover = 0;  ///< a row that kept too little gets back its largest up to so many
  double enough = 0;      ///< a row that kept this much of its sum did not keep too little
};

/// Of a run with these options on a graph that is not known yet. They are good.
MarkovOrigin originOfOptions(const MarkovOptions& options);

/// The scheme that options name, and what they say beside it. They are good.
PruneScheme pruneScheme(const MarkovOptions& options);

/// What is wrong with options, and the remedy; empty where nothing is. Local.
std::string problemOfOptions(const MarkovOptions& options);

/// What ranks must pass alike.
CommonValues commonValuesOf(const MarkovOptions& options);

}  // namespace Trident::Impl

#endif
