// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVPROCESS_HPP
#define TRIDENT_MARKOVPROCESS_HPP

#include <algorithm>
#include <functional>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_EmptyRowLoops.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_MarkovForecast.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "markov/Trident_RowInflation.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident::Impl {

/// The Markov process on a grid of any shape: expansion, pruning and inflation until hardly a row
/// changes. All work is on the device.
/// @tparam Scalar type of stored values: double or Single
template <class Scalar, class LO, class GO, class NO>
class MarkovProcess {
  using Spaces = GridSpaces<double, LO, GO, NO>;
  using Device = typename NO::device_type;
  using Matrix = GridMatrix<Scalar, Device>;
  using Local = LocalMatrix<Scalar, Device>;

 public:
  using Result = MarkovResult<LO, GO, NO>;
  using Save = std::function<void(const Result& soFar, const Matrix& matrix)>;

  /// @param spaces, options, result must outlive this object; options are checked already
  /// @param result gets the counts of iterations, and this rank's `seconds` and `peakBytes`. If the
  ///   process is resumed, `result` must have the counts of the earlier iterations
  MarkovProcess(const Spaces& spaces, const MarkovOptions& options, Result& result)
      : spaces_(spaces),
        options_(options),
        scheme_(pruneScheme(options)),
        rounds_(spaces.options().rounds),
        result_(result) {
    if (options.productMemoryBytes > 0)
      rounds_.pieceBytes = static_cast<std::size_t>(options.productMemoryBytes);
  }

  /// Forecasts the memory of the iterations that follow `matrix`, and calls options.forecast.
  /// Collective; throws Trident::Error on every rank if a rank fails, or if memory is too little.
  /// @param saves true if states are saved
  /// @param severalRuns true if the result of expanded() stays beside the matrices of the runs
  void forecast(const Matrix& matrix, bool saves, bool severalRuns = false) {
    const MemoryPlan plan = planMemory(matrix, scheme_, options_, rounds_, saves, severalRuns);
    runEverywhere(spaces_.comm(), [&] { options_.forecast(plan.forecast); });
    requireFits(plan.forecast, saves);
    pieceBytes_.assign(static_cast<std::size_t>(result_.iterations), 0);
    pieceBytes_.insert(pieceBytes_.end(), plan.pieceBytes.begin(), plan.pieceBytes.end());
  }

  /// Iterates until the process converges, or no more iterations are allowed. Returns the last
  /// matrix. Collective; throws Trident::Error on every rank if a rank fails.
  /// @param matrix a graph with loops, whose rows sum to 1; or the last matrix of earlier
  ///   iterations. Rows of `matrix` must have the order that GridSpaces::orderFactors() makes
  /// @param every iterations from one call of `save` to the next; if 0, `save` is never called
  /// @param save called on all ranks. If `every` is not 0, also called after iteration
  ///   `mostIterations`
  Matrix limitOf(Matrix matrix, int every, const Save& save) {
    const int first = options_.initialIterations;
    double inflation = options_.inflation;
    for (int i = slowFrom; i <= result_.iterations - first; ++i) inflation *= growth;
    const auto goesOn = [&] { return result_.iterations <= first || result_.chaos >= endOfChaos; };
    while (goesOn() && result_.iterations < options_.mostIterations) {
      const bool initial = result_.iterations < first;
      matrix = iterate(matrix, initial ? options_.initialInflation : inflation);
      if (result_.iterations - first >= slowFrom) inflation *= growth;
      const bool last = result_.iterations == options_.mostIterations;
      if (every > 0 && (last || result_.iterations % every == 0)) save(result_, matrix);
    }
    result_.converged = result_.chaos < endOfChaos;
    return matrix;
  }

  /// Makes the iterations that runs with different inflations share, and returns their last matrix.
  /// Runs share the initial iterations, and the next product with its pruning, but without
  /// inflation. The product counts as an iteration, so `mostIterations` may forbid the product.
  /// Collective; throws as limitOf().
  /// @param matrix see limitOf()
  Matrix expanded(Matrix matrix) {
    const int first = std::min(options_.initialIterations, options_.mostIterations);
    while (result_.iterations < first) matrix = iterate(matrix, options_.initialInflation);
    if (result_.iterations == options_.mostIterations) return matrix;
    hasSharedProduct_ = true;
    mostBefore_ = result_.mostEntries;
    return iterateBy(matrix, [&](const NotesOnDevice<Device>& seen) {
      return PruneAloneFilter<Device>{{scheme_, options_.inflation, seen}, reporterOf(matrix)};
    });
  }
  /// Returns true if expanded() formed the product that runs share.
  bool hasSharedProduct() const { return hasSharedProduct_; }

  /// Inflates a matrix for this run. Returns the inflated matrix. Collective; throws as limitOf().
  /// @param expanded matrix that expanded() of `common` returned
  Matrix inflated(const Matrix& expanded, const MarkovProcess& common) {
    pieceBytes_ = common.pieceBytes_;
    const Matrix matrix = inflateRows(expanded, options_.inflation);
    std::vector<long long> kept{static_cast<long long>(matrix.local().nnz())};
    sumEverywhere(spaces_.comm(), kept, LocalFailure());
    result_.dropped += result_.entries - kept[0];  // entries that inflation made too small
    result_.entries = kept[0];
    result_.mostEntries = std::max(common.mostBefore_, kept[0]);
    return matrix;
  }

 private:
  /// Constants of mcl. The process ends if chaos is below endOfChaos. From iteration slowFrom on,
  /// each iteration multiplies the inflation by `growth`. Otherwise the process would never end on
  /// some graphs.
  static constexpr double endOfChaos = 0.0001;
  static constexpr int slowFrom = 40;
  static constexpr double growth = 1.001;

  Matrix iterate(const Matrix& matrix, double inflation) {
    return iterateBy(matrix, [&](const NotesOnDevice<Device>& seen) {
      return PruneFilter<Device>{{scheme_, inflation, seen}, reporterOf(matrix)};
    });
  }

  ProgressReporter reporterOf(const Matrix& matrix) const {
    return {options_.within, matrix.local().numRows()};
  }

  /// Makes an iteration. Collective. If a step after the product fails, agreeOn() throws.
  /// @param filterWith function that takes an array and returns a filter that writes notes to it
  template <class FilterWith>
  Matrix iterateBy(const Matrix& matrix, const FilterWith& filterWith) {
    const double start = steadySeconds();
    LocalFailure failure;
    RoundCounters counters;
    NotesOnDevice<Device> seen;
    failure.guard([&] { seen = emptyNotes<Device>(); });
    throwEverywhere(spaces_.comm(), failure.text());
    Matrix next = multiplyFiltered(matrix, matrix, filterWith(seen), rounds(), counters, failure);
    if (scheme_.recover == 0) next = withoutEmptyRows(next, failure);
    PruneNotes notes;
    failure.guard([&] { notes = combinedNotes<Device>(seen); });
    noteBytes(matrix.local(), next.local(), counters);
    agreeOn(notes, static_cast<long long>(next.local().nnz()), failure);
    const double pruning = counters.seconds[Phase::Accumulate];
    result_.seconds.prune += pruning;
    result_.seconds.expand += steadySeconds() - start - pruning;
    ++result_.iterations;
    report(steadySeconds() - start);
    return next;
  }

  /// Returns the options of the next iteration. An iteration after the planned ones gets the bound
  /// of pieces of the last planned one, because its product may be as large.
  RoundOptions rounds() const {
    RoundOptions rounds = rounds_;
    if (pieceBytes_.empty()) return rounds;
    const auto next =
        std::min(static_cast<std::size_t>(result_.iterations), pieceBytes_.size() - 1);
    if (pieceBytes_[next] > 0) rounds.pieceBytes = static_cast<std::size_t>(pieceBytes_[next]);
    return rounds;
  }

  /// Returns the matrix with a loop in each row that lost all entries. Collective.
  Matrix withoutEmptyRows(const Matrix& matrix, LocalFailure& failure) const {
    EmptyRowLoops<Scalar, Device> empty;
    failure.guard([&] { empty.find(matrix.local()); });
    throwEverywhere(spaces_.comm(), failure.text());
    empty.agree(matrix.grid());
    Local local;
    failure.guard([&] { local = empty.withLoops(matrix, matrix.local()); });
    return {matrix.exchanges(), matrix.rows(), matrix.columns(), local, RowOrder::Ascending};
  }

  /// Raises `peakBytes` to the bytes of an iteration on this rank, if these are more. Local.
  void noteBytes(const Local& matrix, const Local& kept, const RoundCounters& counters) {
    const std::size_t bytes =
        matrixBytes(matrix) + matrixBytes(kept) + counters.operandBytes + counters.pieceBytes;
    result_.peakBytes = std::max(result_.peakBytes, static_cast<double>(bytes));
  }

  /// Combines all ranks' notes of an iteration. Collective.
  void agreeOn(const PruneNotes& seen, long long kept, const LocalFailure& failure) {
    std::vector<double> chaos{seen.chaos};
    std::vector<long long> entries{seen.entries, kept};
    maximumEverywhere(spaces_.comm(), chaos, failure);
    sumEverywhere(spaces_.comm(), entries, failure);
    noteIteration(chaos[0], entries[0], entries[1]);
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
      options_.progress({result_.iterations, result_.chaos, result_.entries, lastExpanded_, seconds,
                         options_.inflation});
    });
  }

  const Spaces& spaces_;
  const MarkovOptions& options_;
  const PruneScheme scheme_;
  RoundOptions rounds_;
  Result& result_;
  // Limit of a piece's bytes in each planned iteration; 0: rounds_ decides.
  std::vector<double> pieceBytes_;
  long long lastExpanded_ = 0;
  long long mostBefore_ = 0;  // mostEntries of the initial iterations
  bool hasSharedProduct_ = false;
};

}  // namespace Trident::Impl

#endif
