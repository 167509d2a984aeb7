// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_OPTIONS_HPP
#define TRIDENTPREDICT_OPTIONS_HPP

#include <string>
#include <vector>

#include "base/Trident_Options.hpp"

namespace Trident {
namespace Predict {

/// The arguments of a prediction.
struct Options {
  bool help = false, version = false;  ///< requests for these texts, in place of any work
  std::string A, B = "A";
  bool permute = false;                 ///< the matrices' rows and columns
  int seed = 1;                         ///< seed of that, and of the aggregates of a restriction
  std::vector<int> ranks;               ///< numbers of ranks in all, each a case
  std::vector<std::string> algorithms;  ///< names among trident, summa, tpetra
  std::string grid = "all";             ///< "all", "square", "tall", or PRxPC
  std::vector<int> lambdas;             ///< ranks in a node of the grid; empty: as the machine has
  Impl::FetchKind fetch = Impl::FetchKind::Auto;
  Impl::GridOptions cuts;  ///< partition, and its imbalance
  std::string machine;     ///< file
  std::string csv, markdown;
  long long sample = 300000000;  ///< multiply-adds to find C's rows; beyond, rows are sampled
  bool least = false;            ///< find the least number of ranks that holds the product
  std::string calibrate;         ///< write a machine file here, and predict nothing
};

/// Reads the arguments, without the program's name. Throws std::runtime_error with the option and
/// the remedy. Local.
Options parseOptions(const std::vector<std::string>& arguments);

/// Returns the text of --help.
std::string helpText();

}  // namespace Predict
}  // namespace Trident

#endif
