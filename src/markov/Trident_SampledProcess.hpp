// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMPLEDPROCESS_HPP
#define TRIDENT_SAMPLEDPROCESS_HPP

#include <algorithm>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_PositionSet.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident::Impl {

/// What an iteration is going to make, of all ranks: estimates.
struct IterationEstimate {
  double entries = 0;       ///< after pruning
  double expanded = 0;      ///< before
  double multiplyAdds = 0;  ///< of the product
};

/// A few rows of the matrices that a Markov process is going to have. A row of the next matrix
/// needs the rows of this one that it has entries in, these need such rows of the one before, and
/// so on: each row of each matrix is formed once, by products on the grid of the few rows that are
/// there. So the work is that of a small part of the process, and its memory too.
template <class Scalar, class Device>
class SampledProcess {
  using Matrix = GridMatrix<Scalar, Device>;

 public:
  /// @param first the matrix before the next iteration, which the process is not to change
  SampledProcess(const Matrix& first, const PruneScheme& scheme, double inflation,
                 const RoundOptions& rounds)
      : scheme_(scheme), inflation_(inflation), rounds_(rounds), size_(first.rows()->size()) {
    levels_.push_back({PositionSet::spread(size_, size_), first});
  }

  /// Estimates of the next iterations, as far as the matrices grow; at least one. It ends sooner
  /// where that would need too many rows. Collective; throws Trident::Error on every rank where one
  /// fails.
  std::vector<IterationEstimate> run() {
    std::vector<IterationEstimate> found;
    for (Position samples = sampleRows; found.size() < mostIterations;) {
      const PositionSet rows = PositionSet::spread(size_, samples);
      if (!ensure(found.size() + 1, rows)) {
        if (samples <= fewestRows) break;
        samples /= 2;
        continue;
      }
      // The rows of the last level are those of the sample, and they were formed last.
      const double stand = static_cast<double>(size_) / static_cast<double>(rows.count());
      found.push_back({stand * last_.entries, stand * last_.expanded, stand * last_.multiplyAdds});
      if (found.size() > 1 && found.back().entries < grows * found[found.size() - 2].entries) break;
    }
    return found;
  }

  /// Bytes that the rounds bring to this rank beside the factors where the first matrix is the
  /// right one, but for what they bring of the left one. Known after run().
  double operandBytes() const { return operandBytes_; }

 private:
  static constexpr Position sampleRows = 256, fewestRows = 32;
  static constexpr std::size_t mostIterations = 4;
  static constexpr double grows = 1.1;

  /// Rows of the matrix after so many iterations.
  struct Level {
    PositionSet rows;
    Matrix matrix;
  };

  /// Rows of a matrix that may be formed: few of many, or all of a small one.
  Position mostRows() const { return std::clamp<Position>(size_ / 16, 4096, 1 << 18); }

  /// Forms what is missing of these rows after `level` iterations, and of the rows that they need.
  /// Returns false where they would be too many; the same on every rank. Collective.
  bool ensure(std::size_t level, const PositionSet& wanted) {
    if (level == 0) return true;
    if (levels_.size() == level) levels_.push_back({PositionSet(size_), Matrix()});
    const PositionSet missing = wanted - levels_[level].rows;
    if (missing.count() == 0) return true;
    if ((levels_[level].rows | missing).count() > mostRows()) return false;
    if (!ensure(level - 1, missing)) return false;
    const Matrix left = rowsOf(level - 1, missing);
    if (level > 1 && !ensure(level - 1, columnsOf(left))) return false;
    add(level, missing, next(left, levels_[level - 1].matrix));
    return true;
  }

  Matrix rowsOf(std::size_t level, const PositionSet& rows) const {
    const Matrix& matrix = levels_[level].matrix;
    LocalMatrix<Scalar, Device> local;
    runEverywhere(matrix.grid().comm(), [&] { local = rowsIn(matrix, rows); });
    return {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
            matrix.rowsAscend() ? RowOrder::Ascending : RowOrder::Any};
  }

  PositionSet columnsOf(const Matrix& matrix) const {
    PositionSet set(size_);
    runEverywhere(matrix.grid().comm(), [&] { addColumns(matrix, set); });
    set.agree(matrix.grid().comm());
    return set;
  }

  void add(std::size_t level, const PositionSet& rows, const Matrix& matrix) {
    Level& known = levels_[level];
    LocalMatrix<Scalar, Device> local = matrix.local();
    if (known.rows.count() > 0)
      runEverywhere(matrix.grid().comm(),
                    [&] { local = rowsOfBoth(known.matrix.local(), matrix.local()); });
    known.matrix = {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
                    RowOrder::Ascending};
    known.rows = known.rows | rows;
  }

  /// An iteration of some rows; notes what it made and took.
  Matrix next(const Matrix& left, const Matrix& right) {
    LocalFailure failure;
    SeenNotes<Device> seen;
    failure.guard([&] { seen = noRowsSeen<Device>(); });
    throwEverywhere(left.grid().comm(), failure.text());
    RoundCounters counters;
    RoundOptions rounds = rounds_;
    const bool ofAll = &right == &levels_[0].matrix;
    if (ofAll) rounds.fetch = FetchKind::Tiles;  // as a product of all rows needs them
    const Matrix kept = multiplyFilteredOnGrid(
        left, right, PruneFilter<Device>{{scheme_, inflation_, seen}}, rounds, &counters, &failure);
    SeenRows notes;
    failure.guard([&] { notes = allSeen<Device>(seen); });
    std::vector<double> sums{static_cast<double>(kept.local().nnz()),
                             static_cast<double>(notes.entries),
                             static_cast<double>(counters.multiplyAdds)};
    sumEverywhere(left.grid().comm(), sums, failure);
    last_ = {sums[0], sums[1], sums[2]};
    if (ofAll) operandBytes_ = static_cast<double>(counters.operandBytes);
    return kept;
  }

  PruneScheme scheme_;
  double inflation_;
  RoundOptions rounds_;
  Position size_;
  std::vector<Level> levels_;
  IterationEstimate last_;  // of the rows that were formed last, not of all
  double operandBytes_ = 0;
};

}  // namespace Trident::Impl

#endif
