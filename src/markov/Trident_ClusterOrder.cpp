// SPDX-License-Identifier: BSD-3-Clause
#include "markov/Trident_ClusterOrder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {
namespace {

bool goesBefore(const ClusterKey& a, const ClusterKey& b) {
  return a.size != b.size ? a.size > b.size : a.first < b.first;
}

template <class Before>
std::vector<std::size_t> sortedIndices(std::size_t count, const Before& before) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t(0));
  std::sort(numbers.begin(), numbers.end(), before);
  return numbers;
}

/// A distribution of nodes to ranks, by equal ranges of global indices in ascending order.
/// Differences of indices are unsigned, because signed ones could overflow.
class RangeDistribution {
 public:
  RangeDistribution(long long least, long long largest, int ranks)
      : least_(static_cast<unsigned long long>(least)), last_(ranks - 1) {
    const auto span = static_cast<unsigned long long>(largest) - least_;
    const auto parts = static_cast<unsigned long long>(ranks);
    range_ = std::max(span / parts + (span % parts > 0 ? 1 : 0), 1ull);
  }
  int rankOf(long long gid) const {
    const auto part = (static_cast<unsigned long long>(gid) - least_) / range_;
    return static_cast<int>(std::min(part, static_cast<unsigned long long>(last_)));
  }

 private:
  unsigned long long least_, range_ = 1;
  int last_;
};

/// The order of all clusters. Each rank is dealt the clusters whose first node lies in its range of
/// global indices. Call the methods in the order in which they stand.
class DistributedClusters {
 public:
  DistributedClusters(const GridRanks& ranks, std::vector<ClusterKey> dealt, long long nodes)
      : comm_(ranks.comm()),
        ranks_(ranks.size()),
        dealt_(std::move(dealt)),
        small_(static_cast<long long>(std::sqrt(static_cast<double>(nodes))) + 1) {}

  /// Counts this rank's clusters of each size up to √n, and lists the larger ones. Local.
  void count() {
    counts_.assign(small_ + 1, 0);
    for (const ClusterKey& cluster : dealt_) {
      if (cluster.size <= small_)
        ++counts_[cluster.size];
      else
        large_.push_back(cluster);
    }
    before_.assign(small_ + 1, 0);
    all_ = counts_;
  }

  /// Gathers the large clusters of all ranks, and counts the small clusters of all. Collective.
  void learn(LocalFailure& failure) {
    static_assert(sizeof(ClusterKey) == 2 * sizeof(long long), "travels as numbers");
    int mine = 2 * static_cast<int>(large_.size());
    std::vector<int> lengths(ranks_), begins(ranks_ + 1, 0);
    allGather(&mine, 1, MPI_INT, lengths.data(), comm_, "how many large clusters ranks have");
    std::partial_sum(lengths.begin(), lengths.end(), begins.begin() + 1);
    failure.guard([&] { allLarge_.resize(begins.back() / 2); });
    sumEverywhere(comm_, all_, failure);
    allGatherV(large_.data(), mine, MPI_LONG_LONG, allLarge_.data(), lengths.data(), begins.data(),
               comm_, "the large clusters");
    exclusiveScan(counts_.data(), before_.data(), static_cast<int>(counts_.size()), MPI_LONG_LONG,
                  MPI_SUM, comm_, "the small clusters of the ranks before");
    std::sort(allLarge_.begin(), allLarge_.end(), goesBefore);
  }

  /// Returns the place of each dealt cluster in the order of all clusters. Local.
  std::vector<long long> numbers() const {
    std::vector<long long> next(before_);
    long long larger = static_cast<long long>(allLarge_.size());
    for (long long size = small_; size > 0; larger += all_[size--]) next[size] += larger;
    std::vector<long long> numbers(dealt_.size());
    for (const std::size_t c : sortedIndices(
             dealt_.size(), [&](auto a, auto b) { return dealt_[a].first < dealt_[b].first; }))
      numbers[c] = dealt_[c].size <= small_ ? next[dealt_[c].size]++ : numberOfLarge(dealt_[c]);
    return numbers;
  }

  ClusterCounts counts() const {
    ClusterCounts counts;
    counts.clusters = static_cast<long long>(allLarge_.size());
    for (long long size = 1; size <= small_; ++size) {
      counts.clusters += all_[size];
      if (all_[size] > 0) counts.largest = size;
    }
    if (!allLarge_.empty()) counts.largest = allLarge_.front().size;
    counts.singletons = all_[1];
    return counts;
  }

 private:
  long long numberOfLarge(const ClusterKey& cluster) const {
    return std::lower_bound(allLarge_.begin(), allLarge_.end(), cluster, goesBefore) -
           allLarge_.begin();
  }

  MPI_Comm comm_;
  int ranks_;
  std::vector<ClusterKey> dealt_, large_, allLarge_;
  long long small_;  // largest size of a small cluster
  // Numbers of small clusters by size: on this rank, on lower ranks, on all ranks.
  std::vector<long long> counts_, before_, all_;
};

}  // namespace

std::vector<long long> clusterNumbers(const GridRanks& ranks, const std::vector<ClusterKey>& mine,
                                      long long nodes, long long least, long long largest,
                                      std::size_t messageBytes, ClusterCounts& counts,
                                      LocalFailure& failure) {
  Traffic traffic;
  const RangeDistribution distribution(least, largest, ranks.size());
  std::vector<std::size_t> order;  // place in `mine` of each cluster that is sent
  std::vector<ClusterKey> sent;
  std::vector<long long> sends(ranks.size(), 0);
  failure.guard([&] {
    order =
        sortedIndices(mine.size(), [&](auto a, auto b) { return mine[a].first < mine[b].first; });
    for (const std::size_t c : order) sent.push_back(mine[c]);
    for (const ClusterKey& cluster : sent) ++sends[distribution.rankOf(cluster.first)];
  });
  if (failure.failed()) std::fill(sends.begin(), sends.end(), 0);
  const AllToAll deal(ranks, std::move(sends), messageBytes);
  std::vector<ClusterKey> dealt;
  std::vector<long long> found, answers, numbers;
  failure.guard([&] {
    dealt.resize(deal.receives());
    found.resize(deal.receives());
    answers.resize(mine.size());
    numbers.resize(mine.size());
  });
  throwEverywhere(ranks.comm(), failure.text());
  deal.exchange(sent.data(), dealt.data(), sizeof(ClusterKey), traffic);

  DistributedClusters clusters(ranks, std::move(dealt), nodes);
  failure.guard([&] { clusters.count(); });
  throwEverywhere(ranks.comm(), failure.text());
  clusters.learn(failure);
  failure.guard([&] { found = clusters.numbers(); });
  throwEverywhere(ranks.comm(), failure.text());
  deal.exchangeBack(found.data(), answers.data(), sizeof(long long), traffic);
  for (std::size_t s = 0; s < order.size(); ++s) numbers[order[s]] = answers[s];
  counts = clusters.counts();
  return numbers;
}

}  // namespace Trident::Impl
