// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVFORECAST_HPP
#define TRIDENT_MARKOVFORECAST_HPP

#include <algorithm>
#include <cstdio>
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

/// What iterations take on a rank, from what a sample says of all ranks. Ranks are taken to have
/// equal parts of matrices to come.
template <class Scalar, class Device>
class MemoryModel {
 public:
  /// @param operandBytes as SampledProcess has them
  MemoryModel(const GridMatrix<Scalar, Device>& first, const RoundOptions& rounds,
              double operandBytes)
      : first_(first),
        rounds_(rounds),
        ranks_(first.grid().shape().ranks()),
        shared_(first.grid().shape().nodeCols > 1),
        rows_(first.local().numRows()),
        firstBytes_(static_cast<double>(matrixBytes(first.local()))),
        operandsPerByte_(operandBytes / firstBytes_ +
                         // Of the left factor: the row of slices of all node columns.
                         (shared_ ? first.grid().shape().nodeCols : 0)) {}

  /// The most that stands at once, beside what stands before the first of these iterations.
  double most(const std::vector<IterationEstimate>& iterations, bool saves) const {
    double most = 0, before = firstBytes_;
    for (const IterationEstimate& iteration : iterations) {
      const double after = bytesOf(iteration.entries);
      const double part = partAtOnce(iteration, before);
      // Several pieces are put together at the end on devices: then what is kept stands twice.
      const double product = before * (1 + operandsPerByte_) + part * bytesOfProduct(iteration) +
                             deviceWorkspace(before) +
                             (part < 1 && !isHost<Device> ? 2 : 1) * after;
      const double saved = saves ? after + saveBytes * iteration.entries / ranks_ : 0;
      most = std::max({most, product, saved});
      before = after;
    }
    return most + hostWorkspace() - firstBytes_;
  }

  /// Returns the bytes of a rank's part of a matrix.
  double bytesOf(double entries) const {
    return entries / ranks_ * entryBytes + sizeof(std::size_t) * (rows_ + 1.0);
  }

 private:
  static constexpr double entryBytes = sizeof(int) + sizeof(Scalar);
  /// Of an entry of a matrix that leaves the grid: on its way, as Tpetra's, in a file's words.
  static constexpr double saveBytes = 48;

  PieceBound boundOf(double factor) const {
    const auto bytes = static_cast<std::size_t>(factor);
    return pieceBound<Device>(first_.grid(), bytes, bytes, rounds_);
  }

  /// How much of a rank's product a piece has: the bound is on what rows may have at most.
  double partAtOnce(const IterationEstimate& iteration, double factor) const {
    const auto costs = PieceCosts::of(sizeof(Scalar), isHost<Device>, shared_);
    const double cells = static_cast<double>(rows_) * first_.local().numCols();
    const double entries = std::min(iteration.multiplyAdds / ranks_, cells);
    const double most =
        entries * static_cast<double>(costs.perEntry) + static_cast<double>(costs.perRow) * rows_;
    return std::min(1.0, static_cast<double>(boundOf(factor).arrays) / most);
  }

  /// Of a rank's product before pruning, were it one piece. On hosts arrays have room for more;
  /// values of rows that ranks share stand twice more.
  double bytesOfProduct(const IterationEstimate& iteration) const {
    const double ofEntry = entryBytes * (isHost<Device> ? 1.5 : 1) + (shared_ ? 16 : 0);
    return iteration.expanded / ranks_ * ofEntry + 24.0 * rows_;
  }

  double deviceWorkspace(double factor) const {
    return std::min(static_cast<double>(boundOf(factor).workspace), 12.0 * rows_);
  }
  /// What a host's threads form rows with: sums, marks and places for each column.
  double hostWorkspace() const {
    if constexpr (isHost<Device>)
      return 13.0 * first_.local().numCols() * typename Device::execution_space().concurrency();
    return 0;
  }

  const GridMatrix<Scalar, Device>& first_;
  const RoundOptions& rounds_;
  double ranks_;
  bool shared_;  // whether rows are
  int rows_;
  double firstBytes_, operandsPerByte_;
};

/// Bytes that a rank may take where its matrices lie: an equal part for each of those that share
/// this memory. 0 where that is not known.
/// @param ranks of the host. Not of a node: where hosts have different numbers of ranks, a node is
///   but a part of a host
template <class Device>
double bytesForRank(int ranks) {
  const int devices = isHost<Device> ? 1 : std::max(1, deviceCount());
  return availableBytes(memoryOf<Device>, (ranks + devices - 1) / devices);
}

/// Throws where a forecast cannot come true. Local, and the same on every rank.
inline void requireFits(const MarkovForecast& forecast, bool saves) {
  if (!(forecast.available > 0) || forecast.bytes <= MarkovForecast::factor * forecast.available)
    return;
  const PlainNumbers plain;
  char text[128];
  std::snprintf(text, sizeof text, "this takes about %.3g GB more on a rank, and %.3g GB are free",
                1e-9 * forecast.bytes, 1e-9 * forecast.available);
  throw Error(
      std::string(text) +
      "; take more hosts or devices, fewer ranks on each, less productMemoryBytes "
      "(--memory), single precision (--precision=single), or a scheme with a smaller number" +
      (saves ? ", or no checkpoints" : ""));
}

/// What the process is going to take from this matrix on, of the rank that takes the most.
/// Collective; throws Trident::Error on every rank where one fails, or where that does not fit.
/// @param severalRuns whether the first of these matrices stays beside all that follow
template <class Scalar, class Device>
MarkovForecast forecastOf(const GridMatrix<Scalar, Device>& first, const PruneScheme& scheme,
                          const MarkovOptions& options, const RoundOptions& rounds, bool saves,
                          bool severalRuns = false) {
  SampledProcess<Scalar, Device> sample(first, scheme, options.inflation, rounds);
  const auto iterations = sample.run();
  const MemoryModel<Scalar, Device> model(first, rounds, sample.operandBytes());
  const double mine = options.availableBytes > 0 ? options.availableBytes
                                                 : bytesForRank<Device>(first.grid().host().size());
  const double staying = severalRuns ? model.bytesOf(iterations.front().entries) : 0;
  std::vector<double> most{model.most(iterations, saves) + staying, -mine};
  maximumEverywhere(first.grid().comm(), most, LocalFailure());
  return {most[0], -most[1]};
}

}  // namespace Trident::Impl

#endif
