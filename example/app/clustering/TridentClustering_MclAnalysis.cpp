// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_MclAnalysis.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <unordered_map>

#include "TridentClustering_Ask.hpp"
#include "TridentClustering_Coverage.hpp"
#include "TridentClustering_Diagonal.hpp"
#include "TridentClustering_Renumber.hpp"
#include "TridentProblems_Partition.hpp"

namespace Trident {
namespace Clustering {

namespace Details {  // what holds kernels: nvcc wants a name for it

/// Divides each row by its heaviest edge and raises weights to a power, but for negative ones, as
/// in mcl; then, if asked to, divides by the row's sum with a loop, which may be negative. \param
/// ofLoop weight of the loop, where the heaviest edge has 1
void divideRows(matrix_type& matrix, double ofLoop, double power, bool bySum) {
  const auto local = matrix.getLocalMatrixDevice();
  const DiagonalColumns diagonals(matrix);
  const matrix_range rows(0, static_cast<long long>(numLocalElements(*matrix.getRowMap())));
  Kokkos::parallel_for(
      "TridentClustering::divideRows", rows, KOKKOS_LAMBDA(long long row) {
        const auto begin = local.graph.row_map(row), end = local.graph.row_map(row + 1);
        const auto diagonal = diagonals(row);
        double most = 0;
        for (auto e = begin; e < end; ++e)
          if (local.graph.entries(e) != diagonal && local.values(e) != 0 &&
              (most == 0 || local.values(e) > most))
            most = local.values(e);
        double sum = most < 0 ? -ofLoop : ofLoop;
        for (auto e = begin; e < end && most != 0; ++e) {
          const double weight = local.values(e) / ::fabs(most);
          local.values(e) = weight > 0 ? ::pow(weight, power) : weight;
          if (local.graph.entries(e) != diagonal) sum += local.values(e);
        }
        for (auto e = begin; e < end && bySum && sum != 0; ++e) local.values(e) /= sum;
      });
  Kokkos::fence();
}

}  // namespace Details

namespace {

/// A cluster's nodes on one rank.
struct ClusterPart {
  std::int64_t cluster, nodes;
};

/// Returns the sizes of the clusters of this rank's block of all. Collective.
std::vector<std::int64_t> sizesOfBlock(const std::vector<std::int64_t>& clusters,
                                       std::int64_t count, const Comm& comm) {
  std::vector<ClusterPart> parts;
  std::vector<std::int64_t> sizes;
  collectively(comm, [&] {
    std::unordered_map<std::int64_t, std::int64_t> nodes;
    for (const std::int64_t cluster : clusters) ++nodes[cluster];
    for (const auto& [cluster, number] : nodes) parts.push_back({cluster, number});
  });
  const UniformPartition blocks(count, comm.size());
  const auto owner = [&](std::size_t i) { return blocks.owner(parts[i].cluster); };
  const auto received = send(groupItems(parts.size(), owner, comm), parts, comm);
  collectively(comm, [&] {
    sizes.resize(static_cast<std::size_t>(blocks.count(comm.rank())));
    for (const ClusterPart& part : received.items)
      sizes[static_cast<std::size_t>(part.cluster - blocks.begin(comm.rank()))] += part.nodes;
  });
  return sizes;
}

/// Returns the line of sizes. DGI is the number of the smallest clusters that have as many nodes as
/// the largest one together; TWI the number of clusters before the one, of size TWL, with which
/// they have half of all.
std::string lineOfSizes(const std::vector<std::int64_t>& clusters, const Comm& comm) {
  const std::int64_t nodes = comm.sum(static_cast<std::int64_t>(clusters.size()));
  const std::int64_t count = countClusters(clusters, comm), half = (nodes + 1) / 2;
  const std::vector<std::int64_t> sizes = sizesOfBlock(clusters, count, comm);
  const auto largest =
      static_cast<std::int64_t>(comm.max(sizes.empty() ? 0 : static_cast<double>(sizes.front())));
  std::int64_t mine = 0, dgi = 0, twi = 0, twl = 0, alone = 0, few = 0;
  for (const std::int64_t size : sizes) mine += size;
  double squares = 0;
  std::int64_t behind = nodes - comm.sumBefore(mine);
  for (const std::int64_t size : sizes) {
    const bool reaches = behind >= half;
    behind -= size;
    dgi += behind < largest;
    twi += reaches && behind >= half;
    twl += reaches && behind < half ? size : 0;
    alone += size <= 1;
    few += size <= 4;
    squares += static_cast<double>(size) * static_cast<double>(size);
  }
  const auto all = [&](std::int64_t number) { return static_cast<long long>(comm.sum(number)); };
  const long long least = comm.min(sizes.empty() ? nodes : sizes.back());
  const auto mean = [](double sum, std::int64_t of) {
    return of > 0 ? sum / static_cast<double>(of) : -1;
  };
  const double center = mean(comm.sumReal(squares), nodes);
  const long long sums[] = {all(dgi), all(twi), all(twl), all(alone), all(few)};
  char text[256];
  std::snprintf(text, sizeof text,
                "ncl=%lld max=%lld  ctr=%.1f avg=%.1f min=%lld DGI=%lld TWI=%lld TWL=%lld "
                "sgl=%lld qrt=%lld\n",
                static_cast<long long>(count), static_cast<long long>(largest), center,
                mean(static_cast<double>(nodes), count), least, sums[0], sums[1], sums[2], sums[3],
                sums[4]);
  return text;
}

}  // namespace

std::string mclAnalysis(const matrix_type& matrix, const labels_type& labels,
                        const Options& options, const std::string& out) {
  const Comm comm(*matrix.getComm());
  const double power = options.markov.firstInflation;
  const double ofLoop = std::pow(options.markov.loopFactor, power);
  std::vector<std::int64_t> clusters;
  std::optional<matrix_type> divided;
  collectively(comm, [&] {
    const auto numbers = labels.getData();
    clusters.assign(numbers.begin(), numbers.end());
    divided.emplace(matrix, Teuchos::Copy);
    Details::divideRows(*divided, ofLoop, power, false);
  });
  Coverage cover = coverage(*divided, labels, ofLoop);
  collectively(comm, [&] { Details::divideRows(*divided, ofLoop, 1, true); });
  const auto nodes = static_cast<double>(matrix.getRowMap()->getGlobalNumElements());
  // In mcl -1 stands for no pair, also below the line.
  if (cover.areaFraction == 0) cover.areaFraction = nodes > 1 ? -1 / (nodes * (nodes - 1)) : 1;
  char text[160];
  std::snprintf(text, sizeof text, "eff=%.5f mod=%.5f mf=%.5f af=%.5f ", cover.efficiency,
                modularity(*divided, labels, true), cover.massFraction, cover.areaFraction);
  return lineOfSizes(clusters, comm) + text + "target-name=" + options.file +
         "\nsource-name=" + out + "\n\n";
}

}  // namespace Clustering
}  // namespace Trident
