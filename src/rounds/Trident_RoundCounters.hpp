// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROUNDCOUNTERS_HPP
#define TRIDENT_ROUNDCOUNTERS_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "base/Trident_Phase.hpp"
#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {

/// Counters of one product on the grid, on this rank.
struct RoundCounters {
  PhaseSeconds seconds;
  TrafficByPart traffic;
  long long internodeEntries = 0;  ///< entries of slices that came from other nodes in the rounds
  long long multiplyAdds = 0;      ///< multiply-adds on this rank
  long long blockRows = 0;         ///< rows of left factors in blocks of several rows
  int rounds = 0;
  int fusedRounds = 0;        ///< number of rounds in each local product
  std::size_t tileBytes = 0;  ///< bytes of the largest tile of B, divided by λ if ranks share it
  int pieces = 0;             ///< number of the product's pieces, or 0 if formed whole
  /// Largest number of bytes of a batch's copied operands. Of a shared tile, 1/λ counts.
  std::size_t operandBytes = 0;
  std::size_t predictedPieceBytes = 0;  ///< upper bound for a piece and the arrays that form it
  std::size_t pieceBytes = 0;           ///< largest number of bytes of a piece and its kept entries
  double multiplySeconds = 0;           ///< seconds of the whole product on the grid
  double roundsBegan = 0;               ///< start of the rounds by steadySeconds()
  std::vector<RoundTimes> times;
  std::string fetch;  ///< rows of B that travel: "tiles" (all rows) or "needed-rows"
  std::string exchange, exchangeReason, gather, gatherReason;
  std::string kernel;  ///< kernel of this rank's local products; "a and b" if several
};

/// Runs `work` as the only round of a product of one rank, and notes its time.
/// @param tileBytes bytes of the right factor
template <class Work>
void runOneRound(RoundCounters& counters, std::size_t tileBytes, const Work& work) {
  counters.rounds = counters.fusedRounds = 1;
  counters.tileBytes = tileBytes;
  counters.roundsBegan = steadySeconds();
  work();
  counters.times.assign(1, RoundTimes());
  counters.times[0].multiplied = steadySeconds() - counters.roundsBegan;
}

}  // namespace Trident::Impl

#endif
