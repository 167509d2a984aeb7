// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Renumber.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "TridentClustering_Ask.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Clustering {

namespace {

/// Lists the clusters of this rank's rows, each once, in the order of their first rows.
std::vector<std::int64_t> inOrderOfRows(const std::vector<std::int64_t>& clusters) {
  std::vector<std::int64_t> result;
  std::unordered_map<std::int64_t, char> seen;
  for (const std::int64_t cluster : clusters)
    if (seen.emplace(cluster, 1).second) result.push_back(cluster);
  return result;
}

/// Numbers each cluster where its first row is: by the first rank, in the order of ranks, that has
/// a row of it. It asks the rank of the cluster whether it is the one, and then tells the number.
void numberByFirstNode(std::vector<std::int64_t>& clusters, const Comm& comm) {
  const UniformPartition blocks(countClusters(clusters, comm), comm.size());
  std::vector<std::int64_t> mine;
  collectively(comm, [&] { mine = inOrderOfRows(clusters); });
  const auto owner = [&](std::size_t i) { return blocks.owner(mine[i]); };
  const Grouping grouping = groupItems(mine.size(), owner, comm);
  const std::int64_t firstOfBlock = blocks.begin(comm.rank());
  const auto place = [&](std::int64_t cluster) {
    return static_cast<std::size_t>(cluster - firstOfBlock);
  };
  std::vector<std::int64_t> numbers;  // of the block's clusters; -1: not known
  collectively(comm,
               [&] { numbers.assign(static_cast<std::size_t>(blocks.count(comm.rank())), -1); });
  const auto isFirst = ask<char>(
      grouping, mine,
      [&](const Received<std::int64_t>& received) {
        std::vector<char> answers, asked;
        collectively(comm, [&] {
          asked.assign(numbers.size(), 0);
          for (const std::int64_t cluster : received.items)  // in the order of the ranks
            answers.push_back(std::exchange(asked[place(cluster)], 1) == 0 ? 1 : 0);
        });
        return answers;
      },
      comm);
  std::int64_t next = comm.sumBefore(std::count(isFirst.begin(), isFirst.end(), 1));
  struct Numbered {
    std::int64_t cluster, number;  // -1: of one that another rank numbers
  };
  std::vector<Numbered> known;
  collectively(comm, [&] {
    for (std::size_t i = 0; i < mine.size(); ++i)
      known.push_back({mine[i], isFirst[i] != 0 ? next++ : -1});
  });
  const auto found = ask<std::int64_t>(
      grouping, known,
      [&](const Received<Numbered>& received) {
        std::vector<std::int64_t> answers;
        collectively(comm, [&] {
          for (const Numbered& one : received.items)
            if (one.number >= 0) numbers[place(one.cluster)] = one.number;
          for (const Numbered& one : received.items) answers.push_back(numbers[place(one.cluster)]);
        });
        return answers;
      },
      comm);
  collectively(comm, [&] {
    std::unordered_map<std::int64_t, std::int64_t> numberOf;
    for (std::size_t i = 0; i < mine.size(); ++i) numberOf[mine[i]] = found[i];
    for (std::int64_t& cluster : clusters) cluster = numberOf[cluster];
  });
}

}  // namespace

std::int64_t countClusters(const std::vector<std::int64_t>& clusters, const Comm& comm) {
  std::int64_t least = 0;  // of the negated, as there is no maximum
  for (const std::int64_t cluster : clusters) least = std::min(least, -cluster - 1);
  return -comm.min(least);
}

void renumber(std::vector<std::int64_t>& clusters, ClusterOrder order, const Comm& comm) {
  if (order == ClusterOrder::bySize) return;
  if (order == ClusterOrder::byFirstNode) return numberByFirstNode(clusters, comm);
  const std::int64_t last = countClusters(clusters, comm) - 1;
  for (std::int64_t& cluster : clusters) cluster = last - cluster;
}

}  // namespace Clustering
}  // namespace Trident
