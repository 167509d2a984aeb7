// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRUNESCHEME_HPP
#define TRIDENT_PRUNESCHEME_HPP

#include <string>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"

namespace Trident::Impl {

/// The scheme by which a row of a product is pruned.
struct PruneScheme {
  double cutoff = 0;      ///< entries from here on stay
  long long select = 0;   ///< most of these, the largest and ties; 0: all
  long long recover = 0;  ///< a row that kept too little gets back its largest up to so many
  double enough = 0;      ///< a row that kept this much of its sum did not keep too little
};

/// Returns the origin of a run with these options, which are good, on a graph that is not known
/// yet.
MarkovOrigin originOfOptions(const MarkovOptions& options);

/// Returns the scheme that options name, with their changes of it. Options are good.
PruneScheme pruneScheme(const MarkovOptions& options);

/// Returns the fault of options, with the remedy; empty if there is none. Local.
std::string problemOfOptions(const MarkovOptions& options);

/// Returns the values that ranks must pass alike.
CollectiveArguments collectiveArgumentsOf(const MarkovOptions& options);

}  // namespace Trident::Impl

#endif
