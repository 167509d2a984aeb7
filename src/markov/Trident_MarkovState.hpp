// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVSTATE_HPP
#define TRIDENT_MARKOVSTATE_HPP

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>

namespace Trident {

/// The precisions in which the matrices of a Markov process are stored. Products are always summed
/// in double precision.
enum class MarkovPrecision {
  Double,  ///< 12 bytes an entry
  Single   ///< 8 bytes an entry; each iteration rounds its results to about 7 digits, as mcl does
};

/// The origin of a Markov process: its graph and options. A run can resume a state if the state's
/// origin equals the run's. An origin is the same on every rank, and for any number of ranks.
struct MarkovOrigin {
  long long nodes = 0;
  /// A digest of the edges' global indices and weights, and of options that change the graph or the
  /// first iterations. Different graphs have the same digest with a probability of about 2^-64.
  unsigned long long graph = 0;
  double inflation = 0;
  /// The options of these names, with the scheme's numbers in the place of -1.
  long long prune = 0, select = 0, recover = 0, percent = 0;
  MarkovPrecision precision = MarkovPrecision::Double;
};

/// The state of a Markov process between two iterations. All numbers are the same on every rank.
template <class LO, class GO, class NO>
struct MarkovState {
  MarkovOrigin origin;
  int iteration = 0;          ///< number of the last iteration, from 1
  double chaos = 0;           ///< chaos of this iteration
  long long mostEntries = 0;  ///< MarkovResult::mostEntries up to this iteration
  long long expanded = 0;     ///< MarkovResult::expanded up to this iteration
  long long dropped = 0;      ///< MarkovResult::dropped up to this iteration
  /// The matrix after this iteration: fill-complete, on the graph's row Map. In single precision
  /// its values are rounded to floats.
  Teuchos::RCP<const Tpetra::CrsMatrix<double, LO, GO, NO>> matrix;
};

}  // namespace Trident

#endif
