// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMPLEDPROCESS_HPP
#define TRIDENT_SAMPLEDPROCESS_HPP

#include <algorithm>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "markov/Trident_RowMarks.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"

namespace Trident::Impl {

/// What an iteration is going to make, of all ranks: estimates.
struct IterationEstimate {
  double entries = 0;       ///< after pruning
  double expanded = 0;      ///< before
  double multiplyAdds = 0;  ///< of the product
};

/// About `count` positions of a space, or all, spread evenly: the first part of one sequence, put
/// in ascending order.
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
      : scheme_(scheme), inflation_(inflation), rounds_(rounds), first_(first) {}

  /// Estimates of the next iterations, as far as the matrices grow; at least one. It ends sooner
  /// where that would need too many rows. Collective; throws Trident::Error on every rank where one
  /// fails.
  std::vector<IterationEstimate> run() {
    std::vector<IterationEstimate> found;
    for (Position samples = sampleRows; found.size() < mostIterations;) {
      std::vector<Position> positions;
      Marks rows;
      runEverywhere(first_.grid().comm(), [&] {
        positions = spreadPositions(size(), samples);
        rows = rowsAt(positions);
        if (levels_.size() == found.size())
          levels_.push_back({noMarks<Device>(localRows()), 0, Matrix()});
      });
      if (!ensure(found.size() + 1, rows)) {
        if (samples <= fewestRows) break;
        samples /= 2;
        continue;
      }
      // The rows of the last level are those of the sample, and they were formed last.
      const double stand = static_cast<double>(size()) / static_cast<double>(positions.size());
      found.push_back({stand * last_.entries, stand * last_.expanded, stand * last_.multiplyAdds});
      if (found.size() > 1 && found.back().entries < grows * found[found.size() - 2].entries) break;
    }
    return found;
  }

  /// Bytes that the rounds bring to this rank beside the factors where the first matrix is the
  /// right one, but for what they bring of the left one. Known after run().
  double operandBytes() const { return operandBytes_; }

 private:
  using Marks = RowMarks<Device>;

  static constexpr Position sampleRows = 256, fewestRows = 32;
  static constexpr std::size_t mostIterations = 4;
  static constexpr double grows = 1.1;

  /// Rows of the matrix after so many iterations.
  struct Level {
    Marks rows;
    Position count = 0;  ///< of these, on all ranks
    Matrix matrix;
  };

  Position size() const { return first_.rows()->size(); }
  int localRows() const { return first_.local().numRows(); }
  /// Rows of a matrix that may be formed: few of many, or all of a small one.
  Position mostRows() const { return std::clamp<Position>(size() / 16, 4096, 1 << 18); }

  Marks rowsAt(const std::vector<Position>& positions) const {
    const GridCoordinates& me = first_.grid().me();
    std::vector<int> rows;
    appendRowsAt(positions, *first_.rows(), me.i, me.k, rows);
    return marksOf<Device>(rows, localRows());
  }

  /// From 1; the first matrix has all its rows.
  Level& levelOf(std::size_t iteration) { return levels_[iteration - 1]; }
  const Matrix& matrixAfter(std::size_t iterations) {
    return iterations == 0 ? first_ : levelOf(iterations).matrix;
  }

  /// Forms what is missing of these rows after so many iterations, and of the rows that they need.
  /// Returns false where they would be too many; the same on every rank. Collective.
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
    const Matrix left = rowsOf(matrixAfter(iterations - 1), missing);
    if (iterations > 1 && !ensure(iterations - 1, rowsNeededBy(left, rounds_.messageBytes)))
      return false;
    add(known, missing, next(left, matrixAfter(iterations - 1)));
    known.count += more;
    return true;
  }

  /// The sum over all rows of what `count()` finds of a rank's own. Collective.
  template <class Count>
  Position countEverywhere(const Count& count) const {
    LocalFailure failure;
    std::vector<long long> sum{0};
    failure.guard([&] {
      const long long mine = count();
      if (first_.grid().me().j == 0) sum[0] = mine;  // others have the same rows
    });
    sumEverywhere(first_.grid().comm(), sum, failure);
    return sum[0];
  }

  Matrix rowsOf(const Matrix& matrix, const Marks& rows) const {
    LocalMatrix<Scalar, Device> local;
    runEverywhere(matrix.grid().comm(), [&] { local = markedRows(matrix.local(), rows); });
    return {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
            matrix.rowsAscend() ? RowOrder::Ascending : RowOrder::Any};
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

  /// An iteration of some rows; notes what it made and took.
  Matrix next(const Matrix& left, const Matrix& right) {
    LocalFailure failure;
    SeenNotes<Device> seen;
    failure.guard([&] { seen = noRowsSeen<Device>(); });
    throwEverywhere(left.grid().comm(), failure.text());
    RoundCounters counters;
    RoundOptions rounds = rounds_;
    const bool ofAll = &right == &first_;
    if (ofAll) rounds.fetch = FetchKind::Tiles;  // as a product of all rows needs them
    const Matrix kept =
        multiplyFiltered(left, right, PruneFilter<Device>{{scheme_, inflation_, seen}, {}}, rounds,
                         counters, failure);
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
  Matrix first_;
  std::vector<Level> levels_;  // after 1, 2, ... iterations
  IterationEstimate last_;     // of the rows that were formed last, not of all
  double operandBytes_ = 0;
};

}  // namespace Trident::Impl

#endif
