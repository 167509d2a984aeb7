// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMPLEDPROCESS_HPP
#define TRIDENT_SAMPLEDPROCESS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "markov/Trident_RowMarks.hpp"
#include "markov/Trident_ThinRows.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident::Impl {

/// Estimates the entries of a product before pruning, from a known product with `multiplyAdds`
/// multiply-adds and `expanded` entries before pruning. The estimated product has `times` times as
/// many multiply-adds, so more of them fall on the same entry. If m multiply-adds fall at random on
/// U places, they hit U (1 - exp(-m / U)) places. The known product gives U.
inline double expandedOf(double multiplyAdds, double expanded, double times) {
  if (!(times > 1) || !(expanded < multiplyAdds) || !(expanded > 0)) return times * expanded;
  double low = 0, high = multiplyAdds / expanded;  // bounds of x = m / U
  for (int n = 0; n < 60; ++n) {
    const double x = (low + high) / 2;
    (-std::expm1(-x) * multiplyAdds > expanded * x ? low : high) = x;
  }
  const double places = multiplyAdds / high;
  return places * -std::expm1(-high * times);
}

/// An estimate of a later iteration, for all ranks together.
struct IterationEstimate {
  double entries = 0;       ///< entries after pruning
  double expanded = 0;      ///< entries before pruning
  double multiplyAdds = 0;  ///< multiply-adds of the product
};

/// Returns about `count` of the positions 0 .. size-1, spread evenly and ascending. If `count` is
/// at least `size`, returns all positions. A larger count gives all positions that a smaller count
/// gives.
inline std::vector<Position> spreadPositions(Position size, Position count) {
  std::vector<Position> positions;
  for (Position n = 0; n < size && n < count; ++n) {
    const double turns = (static_cast<double>(n) + 0.5) * 0.61803398874989485;
    const double place = turns - static_cast<double>(static_cast<Position>(turns));
    positions.push_back(count < size ? static_cast<Position>(place * static_cast<double>(size))
                                     : n);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

/// A sample of a Markov process: a few rows of its next matrices. Row r of a matrix is formed from
/// row r of the previous matrix, and from the rows that the entries of row r meet. If the sample
/// lacks such a row, the row is formed first. No row is formed twice. Rows are formed by
/// products on the grid. A sample takes a small part of the process' work and memory.
///
/// If nodes have very many neighbours, a few rows soon need most of the work. Then long rows of
/// left factors are thinned (DrawEntries). If thinning does not suffice, fewer rows are sampled.
template <class Scalar, class Device>
class SampledProcess {
  using Matrix = GridMatrix<Scalar, Device>;

 public:
  /// @param first the matrix from which the process goes on; must not change before run() ends
  SampledProcess(const Matrix& first, const PruneScheme& scheme, double inflation,
                 const RoundOptions& rounds)
      : scheme_(scheme), inflation_(inflation), rounds_(rounds), first_(first) {}

  /// Returns estimates of the next iterations, at least one. Stops when matrices hardly grow, or
  /// when the next estimate would take too many rows or too much work. Collective; throws
  /// Trident::Error on every rank if a rank fails.
  std::vector<IterationEstimate> run() {
    weighFirst();
    while (found_.size() < mostIterations) {
      std::vector<Position> positions;
      Marks rows;
      runEverywhere(first_.grid().comm(), [&] {
        positions = spreadPositions(size(), samples_);
        rows = rowsAt(positions);
        if (levels_.size() == found_.size())
          levels_.push_back({noMarks<Device>(localRows()), 0, Matrix()});
      });
      if (!ensure(found_.size() + 1, rows)) {
        if (!canBeCoarser()) break;
        beCoarser();
        continue;
      }
      // The sampled rows were formed last, so last_ is their estimate.
      const double stand = static_cast<double>(size()) / static_cast<double>(positions.size());
      const double cells = static_cast<double>(size()) * static_cast<double>(size());
      found_.push_back({stand * last_.entries, std::min(stand * last_.expanded, cells),
                        stand * last_.multiplyAdds});
      if (found_.size() > 1 && found_.back().entries < grows * found_[found_.size() - 2].entries)
        break;
    }
    return found_;
  }

  /// Returns the bytes of operands that this rank copied to form the sample's rows of the first
  /// matrix times itself. Known after run().
  double operandBytes() const { return operandBytes_; }

 private:
  using Marks = RowMarks<Device>;

  static constexpr Position sampleRows = 256, fewestRows = 32;
  static constexpr int thinned = 64, thinnest = 16;  // first and second bound of a row's entries
  static constexpr std::size_t mostIterations = 4;
  static constexpr double grows = 1.1;
  /// The bound of a sample's multiply-adds is `leastWork`, plus `shareOfWork` times the work of the
  /// known iterations. A core does `leastWork` in at most a twentieth of a second.
  static constexpr double leastWork = 1 << 24, shareOfWork = 0.02;

  /// The sampled rows of the matrix after some number of iterations.
  struct Level {
    Marks rows;
    Position count = 0;  ///< number of these rows, on all ranks
    Matrix matrix;
  };
  /// Numbers of entries of a left factor, on all ranks.
  struct LeftEntries {
    double entries = 0;  ///< approximate number of entries after thinning
    double full = 0;     ///< number of entries before thinning
  };
  struct Left {
    Matrix matrix;
    double entries = 0, full = 0;  ///< entries after and before thinning, on all ranks
  };

  bool canBeCoarser() const { return most_ > thinnest || samples_ > fewestRows; }
  void beCoarser() {
    if (most_ > thinnest)
      most_ = most_ > thinned ? thinned : thinnest;
    else
      samples_ /= 2;
  }

  Position size() const { return first_.rows()->size(); }
  int localRows() const { return first_.local().numRows(); }
  /// Returns the limit of the rows of a matrix to be formed. A small matrix may be formed whole.
  Position mostRows() const { return std::clamp<Position>(size() / 16, 4096, 1 << 18); }

  /// Sums the first matrix's entries, and estimates the multiply-adds of its square. Collective.
  void weighFirst() {
    LocalFailure failure;
    std::vector<double> sums{0, 0};
    failure.guard([&] {
      // Ranks that share rows are assumed to have equal parts of these rows.
      sums = {static_cast<double>(first_.local().nnz()),
              squaresOfLengths(first_.local()) * first_.grid().shape().nodeCols};
    });
    sumEverywhere(first_.grid().comm(), sums, failure);
    firstEntries_ = sums[0];
    firstWork_ = sums[1];
  }
  /// Returns the mean length of the rows that a left factor of this iteration meets. After the
  /// first iteration, the mean of all rows is taken, although long rows are met more often.
  double metLength(std::size_t iteration) const {
    if (iteration == 1) return firstEntries_ > 0 ? firstWork_ / firstEntries_ : 0;
    return found_[iteration - 2].entries / static_cast<double>(size());
  }
  /// Returns true if the sample's work stays within the bound when this product is added.
  bool isAffordable(const LeftEntries& left, std::size_t iteration) const {
    if (found_.empty() && !canBeCoarser()) return true;  // run() must give one estimate
    double work = firstWork_;
    for (const IterationEstimate& known : found_)
      work += known.entries * known.entries / static_cast<double>(size());
    return spent_ + left.entries * metLength(iteration) <= leastWork + shareOfWork * work;
  }

  Marks rowsAt(const std::vector<Position>& positions) const {
    const GridCoordinates& me = first_.grid().me();
    std::vector<int> rows;
    appendRowsAt(positions, *first_.rows(), me.i, me.k, rows);
    return marksOf<Device>(rows, localRows());
  }

  /// Returns the sampled rows after an iteration; iterations count from 1.
  Level& levelOf(std::size_t iteration) { return levels_[iteration - 1]; }
  const Matrix& matrixAfter(std::size_t iterations) {
    return iterations == 0 ? first_ : levelOf(iterations).matrix;
  }

  /// Forms the `wanted` rows of the matrix after `iterations` iterations, unless they are known.
  /// Also forms the rows of earlier matrices from which these rows are formed. Returns false on all
  /// ranks if there are too many rows, or if the rows are too much work. Collective.
  bool ensure(std::size_t iterations, const Marks& wanted) {
    if (iterations == 0) return true;
    Level& known = levelOf(iterations);
    Marks missing;
    const Position more = countEverywhere([&] {
      missing = marksWithout(wanted, known.rows);
      return countMarks(missing);
    });
    if (more == 0) return true;
    if (known.count + more > mostRows()) return false;
    if (!ensure(iterations - 1, missing)) return false;
    const LeftEntries entries = leftEntries(matrixAfter(iterations - 1), missing);
    if (!isAffordable(entries, iterations)) return false;  // tested before leftOf() takes memory
    const Left left = leftOf(matrixAfter(iterations - 1), missing, entries.full);
    if (iterations > 1 && !ensure(iterations - 1, rowsNeededBy(left.matrix, rounds_.messageBytes)))
      return false;
    add(known, missing, next(left, matrixAfter(iterations - 1)));
    known.count += more;
    return true;
  }

  /// Sums `count()` over the ranks. Each row counts on one of the ranks that share it. Collective.
  template <class Count>
  Position countEverywhere(const Count& count) const {
    LocalFailure failure;
    std::vector<long long> sum{0};
    failure.guard([&] {
      const long long mine = count();
      if (first_.grid().me().j == 0) sum[0] = mine;  // of the ranks that share rows, one counts
    });
    sumEverywhere(first_.grid().comm(), sum, failure);
    return sum[0];
  }

  static Matrix likewise(const Matrix& matrix, const LocalMatrix<Scalar, Device>& local) {
    return {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
            matrix.rowsAscend() ? RowOrder::Ascending : RowOrder::Any};
  }

  /// Counts the entries of marked rows, with and without thinning. Collective.
  LeftEntries leftEntries(const Matrix& matrix, const Marks& rows) const {
    LocalFailure failure;
    std::vector<double> sums{0, 0};
    failure.guard([&] {
      sums = {static_cast<double>(countMarkedEntries(matrix.local(), rows, most_)),
              static_cast<double>(countMarkedEntries(matrix.local(), rows))};
    });
    sumEverywhere(matrix.grid().comm(), sums, failure);
    return {sums[0], sums[1]};
  }
  /// Returns a left factor: the marked rows, thinned. Collective.
  /// @param full number of entries of these rows before thinning, on all ranks
  Left leftOf(const Matrix& matrix, const Marks& rows, double full) const {
    LocalFailure failure;
    LocalMatrix<Scalar, Device> local;
    std::vector<double> entries{0};
    failure.guard([&] {
      local = thinRows(matrix.local(), rows, most_);
      entries[0] = static_cast<double>(local.nnz());
    });
    sumEverywhere(matrix.grid().comm(), entries, failure);
    return {likewise(matrix, local), entries[0], full};
  }
  /// Returns `matrix` with only the rows that `left` meets. Other rows are empty. Collective.
  Matrix rowsMetBy(const Matrix& left, const Matrix& matrix) const {
    const Marks needed = rowsNeededBy(left, rounds_.messageBytes);
    LocalMatrix<Scalar, Device> local;
    runEverywhere(matrix.grid().comm(), [&] { local = markedRows(matrix.local(), needed); });
    return likewise(matrix, local);
  }

  void add(Level& known, const Marks& rows, const Matrix& matrix) const {
    LocalMatrix<Scalar, Device> local = matrix.local();
    runEverywhere(matrix.grid().comm(), [&] {
      if (known.count > 0) local = rowsOfBoth(known.matrix.local(), matrix.local());
      addMarks(known.rows, rows);
    });
    known.matrix = {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
                    RowOrder::Ascending};
  }

  /// Makes an iteration of some rows. Returns the pruned rows, and writes their estimate to last_.
  Matrix next(const Left& left, const Matrix& right) {
    // The first call fetches tiles, so that operandBytes_ counts the whole first matrix.
    if (&right != &first_) return next(left, right, rounds_);
    if (operandBytes_ >= 0) return next(left, rowsMetBy(left.matrix, first_), rounds_);
    RoundOptions rounds = rounds_;
    rounds.fetch = FetchKind::Tiles;
    return next(left, first_, rounds);
  }
  Matrix next(const Left& left, const Matrix& right, const RoundOptions& rounds) {
    LocalFailure failure;
    NotesOnDevice<Device> seen;
    failure.guard([&] { seen = emptyNotes<Device>(); });
    throwEverywhere(first_.grid().comm(), failure.text());
    RoundCounters counters;
    const Matrix kept =
        multiplyFiltered(left.matrix, right, PruneFilter<Device>{{scheme_, inflation_, seen}, {}},
                         rounds, counters, failure);
    PruneNotes notes;
    failure.guard([&] { notes = combinedNotes<Device>(seen); });
    std::vector<double> sums{static_cast<double>(kept.local().nnz()),
                             static_cast<double>(notes.entries),
                             static_cast<double>(counters.multiplyAdds)};
    sumEverywhere(first_.grid().comm(), sums, failure);
    spent_ += sums[2];
    if (operandBytes_ < 0) operandBytes_ = static_cast<double>(counters.operandBytes);
    // Thinning loses about the same share of multiply-adds as of entries. One factor makes up for
    // the loss. It is applied to all rows, even to rows that were not thinned. In simulations of
    // 256 rows, estimates were 1.0 to 1.45 times the true multiply-adds (R-MAT; up to 2.6 times
    // with stars), and 0.8 to 1.3 times the true entries. With a factor for each row, estimates
    // were 0.9 to 1.2 times the multiply-adds, and 0.75 to 1 times the entries. Such factors would
    // hardly improve a forecast: the bound of pieces and the sum of iterations hide errors of
    // multiply-adds.
    const double times = left.entries > 0 ? left.full / left.entries : 1;
    last_ = {sums[0], expandedOf(sums[2], sums[1], times), times * sums[2]};
    return kept;
  }

  PruneScheme scheme_;
  double inflation_;
  RoundOptions rounds_;
  Matrix first_;
  double firstEntries_ = 0, firstWork_ = 0;  // sums over all ranks
  Position samples_ = sampleRows;
  int most_ = std::numeric_limits<int>::max();  // limit of entries of a left factor's row
  double spent_ = 0;
  std::vector<IterationEstimate> found_;
  std::vector<Level> levels_;  // levels after 1, 2, ... iterations
  IterationEstimate last_;     // estimate of the rows that were formed last, not of all
  double operandBytes_ = -1;   // -1: not known yet
};

}  // namespace Trident::Impl

#endif
