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
  long long select = 0;   ///< number of largest entries that stay, with ties; 0: all stay
  long long recover = 0;  ///< number of entries that a row has after recovery; 0: no recovery
  double enough = 0;      ///< least sum of a row's kept entries that needs no recovery
};

/// Returns an origin with these options, and without a graph. The options must be checked.
MarkovOrigin originOfOptions(const MarkovOptions& options);

/// Returns the scheme of checked options. Options that are not -1 replace numbers of the scheme.
PruneScheme pruneScheme(const MarkovOptions& options);

/// Returns a message if an option is wrong, else an empty text. Local.
std::string problemOfOptions(const MarkovOptions& options);

/// Returns the values that must be the same on all ranks.
CollectiveArguments collectiveArgumentsOf(const MarkovOptions& options);

}  // namespace Trident::Impl

#endif
