// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SPACECUTS_HPP
#define TRIDENT_SPACECUTS_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Options.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_Partition.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Weights of the local rows or columns of a matrix. Cuts of a space balance sums of weights.
template <class Device>
struct IndexWeights {
  IndexNumbers<Device> numbers;              ///< numbers of the local rows, or of the local columns
  Kokkos::View<long long*, Device> weights;  ///< weight of this rank's entries at each index
  bool work = false;                         ///< true if weights are multiply-adds, not entries
  long long sum = -1;                        ///< sum of all weights, or -1 if not known
  std::vector<long long> ofRanks = {};       ///< sum of weights on each grid rank; empty if unknown
};

/// Returns the number of entries in each local row, as weights. Local.
template <class Matrix, class Device = typename Matrix::device_type>
IndexWeights<Device> rowWeights(const Matrix& matrix, const IndexNumbers<Device>& numbers) {
  const auto offsets = matrix.graph.row_map;
  const auto entries = scratch<long long, Device>("Trident::rowEntries", matrix.numRows());
  Kokkos::parallel_for(
      "Trident::rowWeights", Range<Device>(0, matrix.numRows()),
      TRIDENT_LAMBDA(long long r) { entries(r) = offsets(r + 1) - offsets(r); });
  return {numbers, entries, false, static_cast<long long>(matrix.nnz())};
}

/// Returns the number of entries in each local column, as weights. Local.
template <class Matrix, class Device = typename Matrix::device_type>
IndexWeights<Device> columnWeights(const Matrix& matrix, const IndexNumbers<Device>& numbers) {
  const auto entries = zeroScratch<long long, Device>("Trident::columnEntries", numbers.size());
  const auto columns = matrix.graph.entries;
  Kokkos::parallel_for(
      "Trident::columnWeights", Range<Device>(0, columns.extent(0)),
      TRIDENT_LAMBDA(long long e) { addShared(&entries(columns(e)), 1ll); });
  return {numbers, entries, false, static_cast<long long>(matrix.nnz())};
}

/// Returns the bin that holds all numbers. Returns -1 if there is no such bin, or if a kernel is
/// needed to find the bin or the sum of weights. Local.
template <class Device>
int onlyBin(const IndexWeights<Device>& weights, const std::vector<Position>& begins) {
  const auto& numbers = weights.numbers;
  if (weights.sum < 0 || !numbers.areConsecutive()) return -1;
  const Position first = numbers.first(), end = first + numbers.size();
  const auto bin = std::upper_bound(begins.begin(), begins.end(), first) - begins.begin() - 1;
  const bool holds =
      bin >= 0 && bin + 1 < static_cast<std::ptrdiff_t>(begins.size()) && end <= begins[bin + 1];
  return holds ? static_cast<int>(bin) : -1;
}

/// Returns the sum of this rank's weights in each bin. Bin b holds the positions p with
/// begins[b] <= p < begins[b + 1]. Local.
template <class Device>
std::vector<long long> ownBinWeights(const IndexWeights<Device>& weights,
                                     const std::vector<Position>& begins) {
  const int bins = static_cast<int>(begins.size()) - 1;
  const int one = onlyBin(weights, begins);
  if (one >= 0) {  // one bin has all indices, so no kernel is needed
    std::vector<long long> all(bins);
    all[one] = weights.sum;
    return all;
  }
  const auto begin = toDevice<Position, Device>(begins);
  const auto sums = zeroScratch<long long, Device>("Trident::binWeights", bins);
  const auto numbers = weights.numbers;
  const auto weightOf = weights.weights;
  // Neighbours mostly share a bin, so a few weights are summed before each atomic addition.
  constexpr long long together = 64;
  const long long count = numbers.size();
  Kokkos::parallel_for(
      "Trident::binWeights", Range<Device>(0, (count + together - 1) / together),
      TRIDENT_LAMBDA(long long chunk) {
        const long long first = chunk * together;
        const long long end = first + together < count ? first + together : count;
        long long bin = intervalOf(begin, bins, numbers(first)), sum = 0;
        for (long long l = first; l < end; ++l) {
          const Position at = numbers(l);
          const bool same = at >= begin(bin) && at < begin(bin + 1);
          const long long next = same ? bin : intervalOf(begin, bins, at);
          if (next != bin) {
            addShared(&sums(bin), sum);
            bin = next;
            sum = 0;
          }
          sum += weightOf(l);
        }
        addShared(&sums(bin), sum);
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
  return std::vector<long long>(host.data(), host.data() + bins);
}

/// Notes on the cuts of index spaces, for a report.
struct PartitionNotes {
  std::string partition;  ///< e.g. "aligned"; "aligned and work" if spaces differ
  std::string reasons;    ///< sentences, one for each space that is not cut as asked

  /// Adds the kind of cut of one more space.
  void add(PartitionKind kind) {
    const std::string name = nameOf(kind);
    if (partition.find(name) == std::string::npos)
      partition += (partition.empty() ? "" : " and ") + name;
  }
};

/// An index space to be cut. The caller must keep `weights` and `name` alive.
template <class Device>
struct SpaceToPartition {
  std::shared_ptr<const Numbering> numbering;  ///< numbering of the space
  /// Weights of a matrix's rows along the space, or of columns if no rows lie there. Not read if
  /// the grid has one rank. All ranks must have weights of the same kind: multiply-adds or entries.
  const IndexWeights<Device>& weights;
  const std::string& name;
  /// Index of a left factor's inner space, if that factor's rows lie along this space. -1 if no
  /// left factor's rows lie here.
  int columnSpace = -1;
  /// True if the rows of C, the whole product, lie along this space. They go back to their owners.
  bool comesBack = false;
};

using SpaceCut = std::vector<std::shared_ptr<const IndexSpace>>;

/// Numbers to be summed over the ranks together with the weights, in one reduction. If the numbers
/// depend on cuts that these weights decide, they take another reduction.
struct SumsOfCuts {
  std::function<std::vector<double>(const SpaceCut&)>
      count;                 ///< function that returns this rank's numbers; local; may throw
  std::vector<double> sums;  ///< sums over ranks; before cut(), as long as count()'s result
  bool dependOnCuts = true;  ///< false if count() ignores the cuts
};

/// A cutter of index spaces for a grid. Balanced cuts need sums of weights. Aligned cuts need such
/// sums only for a check that blocks are even.
template <class Device>
class SpacePartitioner {
 public:
  /// Makes a cutter. All arguments must outlive the cutter.
  SpacePartitioner(const std::vector<SpaceToPartition<Device>>& spaces, const GridShape& shape,
                   const GridOptions& options, MPI_Comm comm)
      : spaces_(spaces), shape_(shape), options_(options), comm_(comm) {
    for (const auto& space : spaces) cuts_.push_back(firstCut(space));
  }

  /// Cuts the spaces as the options ask. Collective over `comm`. Throws TileTooLarge, or
  /// Trident::Error on every rank if one has failed. Takes one reduction, and one more in each of
  /// three cases: aligned blocks are too uneven, a space is cut by work, or `also` depends on cuts
  /// that were not known before. If all cuts are aligned, all ranks know the weights, and `also` is
  /// null, the first reduction is left out. Then the caller must tell other ranks of a failure.
  /// @param notes gets the kind of each cut, and a reason if another kind was asked for
  /// @param also numbers to sum for the final cuts, or null
  SpaceCut cut(LocalFailure& failure, PartitionNotes& notes, SumsOfCuts* also = nullptr) {
    const bool depend = also && also->dependOnCuts;
    const SpaceCut guess = depend ? cutAsItStands() : SpaceCut();
    sumBins(failure, depend && guess.empty() ? nullptr : also, guess);
    const bool balance = recutUneven();
    if (balance) sumBins(failure, nullptr, guess);
    if (weighFiner()) sumBins(failure, nullptr, guess);
    const SpaceCut made = spaces();
    if (depend && (guess.empty() || balance)) {
      failure.guard([&] { also->sums = also->count(made); });
      sumEverywhere(comm_, also->sums, failure);
    }
    for (const Cut& cut : cuts_) {
      notes.add(cut.kind);
      notes.reasons += cut.reason;
    }
    return made;
  }

 private:
  struct Cut {
    PartitionKind kind;
    std::vector<Position> at;    // the cut; empty until it is known
    std::vector<Position> bins;  // bins to be weighed, if any
    std::vector<long long> weights = {};
    std::string reason = {};
  };
  static constexpr int finer = 16;  // bins for each slice, and new bins for each divided bin
  int parts() const { return shape_.segments() * shape_.lambda; }

  Cut firstCut(const SpaceToPartition<Device>& space) const {
    const Numbering& numbering = *space.numbering;
    const Position n = numbering.size();
    Cut cut{options_.partition, uniformCuts(n, parts()), {}};
    if (parts() == 1) return cut;
    if (cut.kind == PartitionKind::Work && !space.weights.work) {
      cut.kind = PartitionKind::Balanced;
      cut.reason = "partition of " + space.name +
                   ": balanced, as rows of left factors alone are weighed by work; ";
    }
    if (cut.kind == PartitionKind::Aligned) {
      cut.bins = cut.at = alignedCuts(numbering.rankBegin, parts());
      const std::vector<long long>& ofRanks = space.weights.ofRanks;
      if (!ofRanks.empty()) cut.weights.resize(parts());
      for (std::size_t g = 0; g < ofRanks.size(); ++g)
        cut.weights[g * parts() / ofRanks.size()] += ofRanks[g];
    }
    if (cut.kind == PartitionKind::Balanced || cut.kind == PartitionKind::Work) balance(cut, n);
    return cut;
  }
  /// Prepares a balanced cut. Makes up to `finer` bins for each slice. These bins must be weighed.
  void balance(Cut& cut, Position n) const {
    cut.bins.clear();
    cut.at = uniformCuts(n, parts());
    if (n == 0) return;
    cut.at.clear();
    cut.bins = uniformCuts(n, static_cast<int>(std::min<Position>(n, 1ll * finer * parts())));
  }
  /// Divides each bin that a cut by work falls into, because work may be uneven inside a bin. The
  /// new bins must be weighed. Returns true on all ranks if a bin was divided.
  bool weighFiner() {
    bool any = false;
    for (Cut& cut : cuts_) {
      if (cut.kind != PartitionKind::Work || cut.weights.empty()) continue;
      cut.bins = finerBins(cut.bins, parts(), cut.weights, finer);
      cut.weights.clear();
      cut.at.clear();
      any = true;
    }
    return any;
  }

  /// Sums the weights of bins over the ranks. If `also` is given, sums also->count(guess), too. The
  /// sums are doubles, which hold all integers up to 2^53. Skips bins that have been weighed.
  void sumBins(LocalFailure& failure, SumsOfCuts* also, const SpaceCut& guess) {
    std::vector<double> sums;
    for (std::size_t n = 0; n < cuts_.size(); ++n) {
      if (!weighs(cuts_[n])) continue;
      std::vector<long long> own;
      failure.guard([&] { own = ownBinWeights(spaces_[n].weights, cuts_[n].bins); });
      own.resize(cuts_[n].bins.size() - 1);
      sums.insert(sums.end(), own.begin(), own.end());
    }
    if (also) {
      failure.guard([&] { also->sums = also->count(guess); });
      sums.insert(sums.end(), also->sums.begin(), also->sums.end());
    }
    const auto known = [](const auto& space) { return !space.weights.ofRanks.empty(); };
    if (sums.empty() && !also && std::any_of(spaces_.begin(), spaces_.end(), known)) return;
    sumEverywhere(comm_, sums, failure);
    auto at = sums.begin();
    for (Cut& cut : cuts_) {
      if (!weighs(cut)) continue;
      for (std::size_t b = 0; b + 1 < cut.bins.size(); ++b)
        cut.weights.push_back(static_cast<long long>(*at++));
    }
    if (also) also->sums.assign(at, sums.end());
    for (std::size_t n = 0; n < cuts_.size(); ++n)
      if (cuts_[n].at.empty() && !cuts_[n].weights.empty())
        cuts_[n].at = balancedCuts(cuts_[n].bins, parts(), cuts_[n].weights);
  }
  static bool weighs(const Cut& cut) { return !cut.bins.empty() && cut.weights.empty(); }

  /// Returns, for each space, the imbalance (largest block / mean) above which the space is cut
  /// anew: moving entries then takes less time than the multiply-adds that the fullest rank saves.
  /// Moving an entry takes as long as 10 multiply-adds. If the entry enters or leaves the busiest
  /// grid row, it takes 10 more (doc/algorithm.md, "Balance").
  std::vector<double> imbalanceThresholds() const {
    constexpr double least = 3, entryMoves = 10, entryCrosses = 10;
    std::vector<double> all(cuts_.size(), options_.partitionImbalance);
    if (options_.partitionImbalance > 0) return all;
    for (std::size_t n = 0; n < cuts_.size(); ++n) {
      all[n] = least;
      const int met = spaces_[n].columnSpace;
      if (cuts_[n].kind != PartitionKind::Aligned) continue;
      if (met < 0 || cuts_[met].weights.empty()) continue;
      const auto& weights = cuts_[met].weights;
      const double entries = std::accumulate(weights.begin(), weights.end(), 1.0);
      // Mean length of the next operand's rows. An entry is taken to yield as many entries of C.
      const double rowLength =
          entries / static_cast<double>(std::max<Position>(1, spaces_[met].numbering->size()));
      // Only 1/p_c of the entries count. The others go to another node column under any cut.
      const double crossing =
          largestBlockChange(cuts_[n].weights, shape_.nodeRows) / shape_.nodeCols;
      const double ofEntry = 1 + (spaces_[n].comesBack ? rowLength : 0);
      all[n] += (entryMoves + entryCrosses * crossing * ofEntry) / rowLength;
    }
    return all;
  }

  /// Prepares new cuts of spaces whose blocks are too uneven. Returns true if bins must be weighed.
  bool recutUneven() {
    bool any = false;
    const std::vector<double> imbalanceThresholds = this->imbalanceThresholds();
    for (std::size_t n = 0; n < cuts_.size(); ++n) {
      Cut& cut = cuts_[n];
      const std::string of = "partition of " + spaces_[n].name + ": ";
      if (cut.kind != PartitionKind::Aligned || cut.weights.empty()) continue;
      const double worst = imbalance(cut.weights);
      if (worst <= imbalanceThresholds[n]) continue;
      cut.weights.clear();
      const bool byWork = spaces_[n].weights.work;
      cut.kind = byWork ? PartitionKind::Work : PartitionKind::Balanced;
      balance(cut, spaces_[n].numbering->size());
      any = any || weighs(cut);
      cut.reason = of + (byWork ? "by work" : "balanced") + ", as the largest aligned block has " +
                   std::to_string(worst).substr(0, 5) + " times the mean " +
                   (byWork ? "work; " : "entries; ");
    }
    return any;
  }

  /// Returns the spaces with their present cuts, which may still change. Returns none if a cut is
  /// not known yet, or if a tile is too large for local indices.
  SpaceCut cutAsItStands() const {
    for (const Cut& cut : cuts_)
      if (cut.at.empty()) return {};
    try {
      return spaces();
    } catch (const TileTooLarge&) {
      return {};
    }
  }
  SpaceCut spaces() const {
    SpaceCut spaces;
    for (std::size_t n = 0; n < cuts_.size(); ++n)
      spaces.push_back(std::make_shared<const IndexSpace>(shape_, cuts_[n].at, options_.largestTile,
                                                          spaces_[n].numbering));
    return spaces;
  }

  const std::vector<SpaceToPartition<Device>>& spaces_;
  const GridShape& shape_;
  const GridOptions& options_;
  MPI_Comm comm_;
  std::vector<Cut> cuts_;
};

}  // namespace Trident::Impl

#endif
