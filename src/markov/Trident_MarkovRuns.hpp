// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVRUNS_HPP
#define TRIDENT_MARKOVRUNS_HPP

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_MarkovOrigin.hpp"
#include "markov/Trident_MarkovProcess.hpp"
#include "markov/Trident_PruneScheme.hpp"
#include "markov/Trident_RowInflation.hpp"
#include "matrix/Trident_StoredAs.hpp"
#include "product/Trident_GridSpaces.hpp"

namespace Trident::Impl {

inline MarkovOptions optionsWith(MarkovOptions options, double inflation) {
  options.inflation = inflation;
  return options;
}

/// Returns the least inflation. Its run has the largest matrices, so the forecast is for this run.
inline double leastOf(const std::vector<double>& inflations) {
  return *std::min_element(inflations.begin(), inflations.end());
}

/// Returns a message if an argument for several runs is wrong, else an empty text. Local.
/// @param taker true if the caller gave a function that takes the results
inline std::string problemOfRuns(const std::vector<double>& inflations, bool taker,
                                 const MarkovOptions& options) {
  if (inflations.empty()) return "there is no inflation; pass one at least";
  if (!taker) return "the function that takes what is found is empty; set one";
  for (const double inflation : inflations) {
    const std::string problem = problemOfOptions(optionsWith(options, inflation));
    if (!problem.empty()) return problem;
  }
  return "";
}

/// Returns the inflations as text, to compare them between ranks.
inline std::string textOf(const std::vector<double>& inflations) {
  std::string text;
  for (const double inflation : inflations)
    text += (text.empty() ? "" : ", ") + allDigits(inflation);
  return text;
}

/// Runs the process once for each inflation, from a matrix that all runs share. Matrices of the
/// process are stored in type Scalar. Collective.
/// @param finish gets a limit, the inflations of the runs that end at this limit, and the result
template <class Scalar, class LO, class GO, class NO>
void limitsOf(GridMatrix<double, typename NO::device_type>&& first,
              const GridSpaces<double, LO, GO, NO>& spaces, const MarkovOptions& options,
              const std::vector<double>& inflations, MarkovResult<LO, GO, NO> common,
              const std::function<void(GridMatrix<double, typename NO::device_type>&&,
                                       const std::vector<double>& inflations,
                                       MarkovResult<LO, GO, NO>&)>& finish) {
  using Process = MarkovProcess<Scalar, LO, GO, NO>;
  auto matrix = storedAs<Scalar>(first);
  first = {};
  const MarkovOptions forAll = optionsWith(options, leastOf(inflations));
  Process process(spaces, forAll, common);
  if (options.forecast) process.forecast(matrix, false, true);
  const auto expanded = process.expanded(std::move(matrix));
  if (!process.hasSharedProduct()) {  // no iteration is left, so all runs have this limit
    MarkovResult<LO, GO, NO> result = common;
    finish(storedAs<double>(expanded), inflations, result);
    return;
  }
  const double staying = static_cast<double>(matrixBytes(expanded.local()));
  for (const double inflation : inflations) {
    MarkovResult<LO, GO, NO> result = common;
    const MarkovOptions own = optionsWith(options, inflation);
    Process run(spaces, own, result);
    auto limit = run.limitOf(run.inflated(expanded, process), 0, {});
    result.peakBytes += staying;
    finish(storedAs<double>(limit), {inflation}, result);
    common.seconds = {};  // only the first run counts the shared seconds
  }
}

}  // namespace Trident::Impl

#endif
