// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVPROCESS_HPP
#define TRIDENT_MARKOVPROCESS_HPP

#include <algorithm>
#include <vector>

#include "Trident_FilterRows.hpp"
#include "Trident_GridMultiply.hpp"
#include "Trident_GridSpaces.hpp"
#include "Trident_MarkovCluster_decl.hpp"
#include "Trident_PruneRule.hpp"
#include "Trident_SortRows.hpp"
#include "Trident_SumEverywhere.hpp"

namespace Trident::Impl {

/// The Markov process on a grid: expansion, pruning and inflation until hardly a row changes.
/// Everything is on the device. Rows are whole: the grid has one node column.
template <class LO, class GO, class NO>
class MarkovProcess {
  using Spaces = GridSpaces<double, LO, GO, NO>;
  using Device = typename NO::device_type;
  using Matrix = GridMatrix<double, Device>;
  using Local = LocalMatrix<double, Device>;

 public:
  using Result = MarkovResult<LO, GO, NO>;

  /// @param spaces, options outlive this; options are good
  /// @param result gets what is found on the way; of this rank alone: seconds, peakBytes
  MarkovProcess(const Spaces& spaces, const MarkovOptions& options, Result& result)
      : spaces_(spaces), options_(options), scheme_(pruneScheme(options)), result_(result) {}

  /// The limit of a graph, or the last matrix of the iterations. Collective; throws Trident::Error
  /// on every rank where one fails.
  /// @param graph with loops, rows not normalized
  Matrix limitOf(const Matrix& graph) {
    Matrix matrix = normalized(graph);
    double inflation = options_.inflation;
    do {
      const double start = steadySeconds();
      matrix = iterate(matrix, inflation);
      if (++result_.iterations >= slowFrom) inflation *= 1.001;
      report(steadySeconds() - start);
    } while (result_.chaos >= endOfChaos && result_.iterations < options_.mostIterations);
    result_.converged = result_.chaos < endOfChaos;
    return matrix;
  }

 private:
  /// mcl's: where chaos ends, and from which iteration on inflation grows, so that the process ends
  /// for the rare graph whose limit would go on for ever.
  static constexpr double endOfChaos = 0.0001;
  static constexpr int slowFrom = 40;

  Matrix normalized(const Matrix& graph) {
    return spaces_.withLocal(graph, [&] {
      sortRows(graph.local());
      const LargestChaos<Device> ignored("Trident::chaos");
      return filterRows(graph.local(), normalizeRule<Device>(ignored));
    });
  }

  Matrix iterate(const Matrix& matrix, double inflation) {
    double start = steadySeconds();
    spaces_.orderFactors(matrix, matrix);
    const Matrix product = multiplyOnGrid(matrix, matrix, spaces_.options().rounds);
    result_.seconds.expand += steadySeconds() - start;
    start = steadySeconds();
    Local pruned;
    std::vector<double> chaos{0};
    LocalFailure failure;
    failure.guard([&] { pruned = prune(product.local(), inflation, chaos[0]); });
    std::vector<long long> entries{static_cast<long long>(product.local().nnz()),
                                   static_cast<long long>(pruned.nnz())};
    noteBytes(matrixBytes(matrix.local()) + matrixBytes(product.local()));
    noteBytes(matrixBytes(product.local()) + matrixBytes(pruned));
    maximumEverywhere(spaces_.comm(), chaos, failure);
    sumEverywhere(spaces_.comm(), entries, failure);
    noteIteration(chaos[0], entries[0], entries[1]);
    const Matrix next(product.transport(), product.rows(), product.columns(), pruned,
                      RowOrder::Ascending);
    result_.seconds.prune += steadySeconds() - start;
    return next;
  }

  /// Local.
  /// @param chaos gets the largest of the rows
  Local prune(const Local& product, double inflation, double& chaos) const {
    sortRows(product);
    const LargestChaos<Device> largest("Trident::chaos");
    const Local kept = filterRows(product, PruneRule<Device>{scheme_, inflation, largest});
    raisePowers<Device>(kept.values, inflation);
    Kokkos::deep_copy(chaos, largest);
    return kept;
  }

  void noteBytes(std::size_t bytes) {
    result_.peakBytes = std::max(result_.peakBytes, static_cast<double>(bytes));
  }
  void noteIteration(double chaos, long long expanded, long long entries) {
    result_.chaos = chaos;
    result_.entries = entries;
    result_.mostEntries = std::max(result_.mostEntries, entries);
    result_.expanded += expanded;
    result_.dropped += expanded - entries;
    lastExpanded_ = expanded;
  }

  void report(double seconds) const {
    if (!options_.progress) return;
    runEverywhere(spaces_.comm(), [&] {
      options_.progress(
          {result_.iterations, result_.chaos, result_.entries, lastExpanded_, seconds});
    });
  }

  const Spaces& spaces_;
  const MarkovOptions& options_;
  const PruneScheme scheme_;
  Result& result_;
  long long lastExpanded_ = 0;
};

}  // namespace Trident::Impl

#endif
