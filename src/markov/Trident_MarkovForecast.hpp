// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVFORECAST_HPP
#define TRIDENT_MARKOVFORECAST_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_SampledProcess.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "rounds/Trident_ProductPieces.hpp"

namespace Trident::Impl {

/// A forecast of a process' memory, and bounds that keep the process within free memory.
struct MemoryPlan {
  MarkovForecast forecast;
  /// Limit of a piece's bytes in each of the first iterations; if 0, options decide.
  std::vector<double> pieceBytes;
};

/// A model of the memory that estimated iterations take on a rank. Ranks are assumed to have equal
/// parts of later matrices, because rows are cut for equal work.
template <class Scalar, class Device>
class MemoryModel {
 public:
  /// @param operandBytes see SampledProcess::operandBytes()
  /// @param meanBytes bytes of the first matrix on a rank, on average
  /// @param available free bytes, or 0 if not known
  MemoryModel(const GridMatrix<Scalar, Device>& first, const RoundOptions& rounds,
              double operandBytes, double meanBytes, double available)
      : first_(first),
        rounds_(rounds),
        ranks_(first.grid().shape().ranks()),
        shared_(first.grid().shape().nodeCols > 1),
        rows_(first.local().numRows()),
        firstBytes_(static_cast<double>(matrixBytes(first.local()))),
        meanBytes_(meanBytes),
        operandsPerByte_(operandBytes / meanBytes +
                         // If ranks share rows, each copies a left factor of nodeCols slices.
                         (shared_ ? first.grid().shape().nodeCols : 0)),
        available_(available) {}

  /// Plans the memory of iterations. The forecast is the most bytes at one time, in addition to
  /// those taken before the first iteration. If free memory is too little, and options set no bound
  /// of pieces, pieces get smaller.
  /// @param staying bytes that the caller keeps beside all matrices
  MemoryPlan plan(const std::vector<IterationEstimate>& iterations, bool saves,
                  double staying) const {
    MemoryPlan plan;
    double most = 0, before = firstBytes_, right = meanBytes_;
    for (const IterationEstimate& iteration : iterations) {
      const double after = bytesOf(iteration.entries);
      const double beside = staying + hostWorkspace() - firstBytes_;
      double piece = 0, product = bytesOfIteration(iteration, before, right, after, piece);
      if (available_ > 0 && product + beside > available_ && rounds_.pieceBytes == 0) {
        piece = fewestBytes;
        // A piece gets at most half of the memory left (or fewestBytes), as forecasts may be wrong.
        const double left = available_ - beside -
                            bytesOfIteration(iteration, before, right, after, piece) + fewestBytes;
        piece = std::max(fewestBytes, std::min(left / 2, defaultBytes(before)));
        product = bytesOfIteration(iteration, before, right, after, piece);
      }
      plan.pieceBytes.push_back(piece);
      const double saved = saves ? after + saveBytes * iteration.entries / ranks_ : 0;
      most = std::max({most, product + beside, saved + beside});
      before = right = after;
    }
    plan.forecast = {most, available_};
    return plan;
  }

  /// Returns the bytes of a rank's part of a matrix that has `entries` entries in all.
  double bytesOf(double entries) const {
    return entries / ranks_ * entryBytes + sizeof(std::size_t) * (rows_ + 1.0);
  }

 private:
  static constexpr double entryBytes = sizeof(int) + sizeof(Scalar);
  /// Bytes that saving takes for each entry: for messages, a Tpetra matrix, and the data of a file.
  static constexpr double saveBytes = 48;

  /// The least bytes that a plan leaves for a piece.
  static constexpr double fewestBytes = 64 << 20;

  /// Returns the bound of a piece, if this rank's part of each factor has `factor` bytes.
  /// @param piece planned bytes of a piece; if 0, options decide
  PieceBound boundOf(double factor, double piece) const {
    const auto bytes = static_cast<std::size_t>(factor);
    RoundOptions rounds = rounds_;
    if (piece > 0) rounds.pieceBytes = static_cast<std::size_t>(piece);
    return pieceBound<Device>(first_.grid(), bytes, bytes, rounds);
  }
  double defaultBytes(double factor) const {
    const PieceBound bound = boundOf(factor, 0);
    return static_cast<double>(bound.arrays + bound.workspace);
  }

  /// Returns the largest number of bytes that an iteration takes at one time.
  /// @param before, after bytes of this rank's matrix before and after the iteration
  /// @param right bytes of the right factor's part on a rank, on average
  double bytesOfIteration(const IterationEstimate& iteration, double before, double right,
                          double after, double piece) const {
    const PieceBound bound = boundOf(before, piece);
    const double part = partAtOnce(iteration, bound);
    // On devices, joining several pieces in the end takes a second copy of the kept entries.
    return before + right * operandsPerByte_ + part * bytesOfProduct(iteration) +
           deviceWorkspace(bound) + (part < 1 && !isHost<Device> ? 2 : 1) * after;
  }

  /// Returns the share of a rank's product that one piece holds. Each row of a piece counts with
  /// the most entries that the row may have.
  double partAtOnce(const IterationEstimate& iteration, const PieceBound& bound) const {
    const auto costs = PieceCosts::of(sizeof(Scalar), isHost<Device>, shared_);
    const double cells = static_cast<double>(rows_) * first_.local().numCols();
    const double entries = std::min(iteration.multiplyAdds / ranks_, cells);
    const double most =
        entries * static_cast<double>(costs.perEntry) + static_cast<double>(costs.perRow) * rows_;
    return std::min(1.0, static_cast<double>(bound.arrays) / most);
  }

  /// Returns the bytes of a rank's product before pruning, if the product is one piece. On hosts
  /// arrays have spare room. If ranks share rows, there are two more copies of the values.
  double bytesOfProduct(const IterationEstimate& iteration) const {
    const double ofEntry = entryBytes * (isHost<Device> ? 1.5 : 1) + (shared_ ? 16 : 0);
    return iteration.expanded / ranks_ * ofEntry + 24.0 * rows_;
  }

  double deviceWorkspace(const PieceBound& bound) const {
    return std::min(static_cast<double>(bound.workspace), 12.0 * rows_);
  }
  /// Returns the bytes that this rank's threads need to form rows. On a host, each thread has a
  /// sum, a mark and a place for each column.
  double hostWorkspace() const {
    if constexpr (isHost<Device>)
      return 13.0 * first_.local().numCols() * typename Device::execution_space().concurrency();
    return 0;
  }

  const GridMatrix<Scalar, Device>& first_;
  const RoundOptions& rounds_;
  double ranks_;
  bool shared_;  // true if ranks share rows
  int rows_;
  double firstBytes_, meanBytes_, operandsPerByte_, available_;
};

/// Returns the free bytes for a rank in the memory where its matrices lie. Ranks that share a
/// memory get equal parts. Returns 0 if free memory is not known.
/// @param ranks ranks of the host, not of a node: a node may be only a part of a host
template <class Device>
double bytesForRank(int ranks) {
  const int devices = isHost<Device> ? 1 : std::max(1, deviceCount());
  return availableBytes(memoryOf<Device>, (ranks + devices - 1) / devices);
}

/// Throws if a forecast exceeds the free memory times MarkovForecast::factor. All ranks throw, or
/// none.
inline void requireFits(const MarkovForecast& forecast, bool saves) {
  if (!(forecast.available > 0) || forecast.bytes <= MarkovForecast::factor * forecast.available)
    return;
  throw Error(
      "this takes about " + plainText(1e-9 * forecast.bytes, 3) + " GB more on a rank, and " +
      plainText(1e-9 * forecast.available, 3) +
      " GB are free; take more hosts or devices, fewer ranks on each, less productMemoryBytes "
      "(--memory), single precision (--precision=single), or a scheme with a smaller number" +
      (saves ? ", or no checkpoints" : ""));
}

/// Returns the bytes of a matrix on a rank, on average. Collective.
template <class Scalar, class Device>
double meanBytesOf(const GridMatrix<Scalar, Device>& matrix) {
  std::vector<double> sum{static_cast<double>(matrixBytes(matrix.local()))};
  sumEverywhere(matrix.grid().comm(), sum, LocalFailure());
  return sum[0] / matrix.grid().shape().ranks();
}

/// Plans the memory of a process that goes on from `first`. The forecast is for the rank that takes
/// most; bounds of pieces are for this rank. Collective; throws Trident::Error on every rank if a
/// rank fails.
/// @param severalRuns true if the matrix after the next iteration stays beside all later ones
template <class Scalar, class Device>
MemoryPlan planMemory(const GridMatrix<Scalar, Device>& first, const PruneScheme& scheme,
                      const MarkovOptions& options, const RoundOptions& rounds, bool saves,
                      bool severalRuns = false) {
  LocalFailure failure;
  double mine = options.availableBytes;
  if (!(mine > 0))  // free memory is read before the sample takes some
    failure.guard([&] { mine = bytesForRank<Device>(first.grid().host().size()); });
  throwEverywhere(first.grid().comm(), failure.text());
  SampledProcess<Scalar, Device> sample(first, scheme, options.inflation, rounds);
  const auto iterations = sample.run();
  const double mean = meanBytesOf(first);
  MemoryPlan plan;
  failure.guard([&] {
    const MemoryModel<Scalar, Device> model(first, rounds, sample.operandBytes(), mean, mine);
    const double staying = severalRuns ? model.bytesOf(iterations.front().entries) : 0;
    plan = model.plan(iterations, saves, staying);
  });
  std::vector<double> most{plan.forecast.bytes, -mine};
  maximumEverywhere(first.grid().comm(), most, failure);
  plan.forecast = {most[0], -most[1]};
  return plan;
}

}  // namespace Trident::Impl

#endif
