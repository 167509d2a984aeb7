// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRUNESCHEME_HPP
#define TRIDENT_PRUNESCHEME_HPP

#include <string>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"

namespace Trident::Impl {

/// The scheme by which a row of a product is pruned.
struct PruneScheme {
  double cutoff = 0;      ///< least value that stays
  long long select = 0;   ///< most entries that stay: the largest, with ties; 0: all
  long long recover = 0;  ///< entries of a row after recovery, if it kept too little
  double enough = 0;      ///< share of its sum that is enough for a row to keep
};

/// Returns the origin of a run with these options, which are checked, but with no graph yet.
MarkovOrigin originOfOptions(const MarkovOptions& options);

/// Returns the scheme of options, with the numbers that they give instead. Options are checked.
PruneScheme pruneScheme(const MarkovOptions& options);

/// Returns the fault of options, with the remedy; empty if there is none. Local.
std::string problemOfOptions(const MarkovOptions& options);

/// Returns the values that ranks must pass alike.
CollectiveArguments collectiveArgumentsOf(const MarkovOptions& options);

}  // namespace Trident::Impl

#endif
