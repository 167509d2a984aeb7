// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Coverage.hpp"

#include <Tpetra_Import.hpp>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "TridentClustering_Ask.hpp"
#include "TridentClustering_Diagonal.hpp"

namespace Trident {
namespace Clustering {

namespace Details {  // what holds kernels: nvcc wants a name for it

/// Parts that a row adds to the sums of all.
struct RowCoverage {
  double efficiency = 0, mass = 0, area = 0;
};

/// Finds that of a row, whose cluster has so many nodes.
template <class Local, class Labels>
struct CoverRow {
  Local local;
  DiagonalColumns diagonals;
  Labels ofRows, ofColumns;
  double loopFactor;

  /// Returns the row's heaviest edge; 0 where it has none.
  KOKKOS_INLINE_FUNCTION double heaviest(long long row, local_ordinal_type diagonal) const {
    double most = 0;
    for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e)
      if (local.graph.entries(e) != diagonal && local.values(e) != 0 &&
          (most == 0 || local.values(e) > most))
        most = local.values(e);
    return most;
  }
  KOKKOS_INLINE_FUNCTION RowCoverage operator()(long long row, double nodes) const {
    const auto diagonal = diagonals(row);
    const double most = heaviest(row, diagonal);
    double in = most == 0 ? 1 : most < 0 ? -loopFactor : loopFactor;  // of the loop
    double out = 0, squares = in * in, outside = 0;
    for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e) {
      const auto column = local.graph.entries(e);
      if (column == diagonal || local.values(e) == 0) continue;
      const double weight = local.values(e) / ::fabs(most);
      const bool inside = ofColumns(column, 0) == ofRows(row, 0);
      (inside ? in : out) += weight;
      squares += weight * weight;
      outside += inside ? 0 : 1;
    }
    const double sum = in + out;
    RowCoverage found;
    found.area = nodes - 1;
    if (sum == 0) return found;  // of weights that are negative, too
    found.mass = in / sum;
    found.efficiency = 1 - (nodes - (in - out) * sum / squares) / (nodes + outside);
    return found;
  }
};

RowCoverage sumOfRows(const matrix_type& matrix, const labels_type& labels,
                      const labels_type& ofColumns, const labels_type& nodes, double loopFactor) {
  const auto local = matrix.getLocalMatrixDevice();
  const auto ofRows = labels.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const auto sizes = nodes.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const CoverRow<std::decay_t<decltype(local)>, std::decay_t<decltype(ofRows)>> cover{
      local, DiagonalColumns(matrix), ofRows,
      ofColumns.getLocalViewDevice(Tpetra::Access::ReadOnly), loopFactor};
  RowCoverage sum;
  const matrix_range rows(0, static_cast<long long>(numLocalElements(*matrix.getRowMap())));
  Kokkos::parallel_reduce(
      "TridentClustering::coverage", rows,
      KOKKOS_LAMBDA(long long row, double& efficiency, double& mass, double& area) {
        const RowCoverage found = cover(row, static_cast<double>(sizes(row, 0)));
        efficiency += found.efficiency;
        mass += found.mass;
        area += found.area;
      },
      sum.efficiency, sum.mass, sum.area);
  return sum;
}

}  // namespace Details

namespace {

/// A cluster's nodes on one rank.
struct ClusterPart {
  std::int64_t cluster, nodes;
};

/// Returns the number of nodes on all ranks of the clusters of these parts. Clusters are dealt to
/// ranks in turn. Collective.
std::vector<std::int64_t> nodesOfClusters(const std::vector<ClusterPart>& parts, const Comm& comm) {
  const auto ranks = static_cast<std::int64_t>(comm.size());
  const auto owner = [&](std::size_t i) { return static_cast<int>(parts[i].cluster % ranks); };
  const auto reply = [&](const Received<ClusterPart>& received) {
    std::vector<std::int64_t> answers;
    collectively(comm, [&] {
      std::unordered_map<std::int64_t, std::int64_t> all;
      for (const ClusterPart& part : received.items) all[part.cluster] += part.nodes;
      for (const ClusterPart& part : received.items) answers.push_back(all[part.cluster]);
    });
    return answers;
  };
  return ask<std::int64_t>(groupItems(parts.size(), owner, comm), parts, reply, comm);
}

/// Returns the number of nodes of each row's cluster. Collective.
labels_type clusterSizesOfRows(const labels_type& labels, const Comm& comm) {
  std::optional<labels_type> sizes;
  std::vector<ClusterPart> parts;
  std::unordered_map<std::int64_t, std::size_t> placeOf;
  collectively(comm, [&] {
    sizes.emplace(labels.getMap());
    for (const auto cluster : labels.getData()) {
      const auto place = placeOf.emplace(cluster, parts.size()).first->second;
      if (place == parts.size()) parts.push_back({cluster, 0});
      ++parts[place].nodes;
    }
  });
  const std::vector<std::int64_t> nodes = nodesOfClusters(parts, comm);
  collectively(comm, [&] {
    const auto clusters = labels.getData();
    const auto to = sizes->getDataNonConst();
    for (Teuchos::Ordinal row = 0; row < clusters.size(); ++row)
      to[row] = nodes[placeOf.at(clusters[row])];
  });
  return *sizes;
}

}  // namespace

Coverage coverage(const matrix_type& matrix, const labels_type& labels, double loopFactor) {
  const Comm comm(*matrix.getComm());
  const auto nodes = static_cast<double>(matrix.getRowMap()->getGlobalNumElements());
  if (nodes == 0) return {};
  const labels_type sizes = clusterSizesOfRows(labels, comm);
  const auto importer = matrix.getGraph()->getImporter();
  std::optional<labels_type> ofColumns;
  collectively(comm, [&] {
    ofColumns.emplace(matrix.getColMap());
    if (importer.is_null()) Tpetra::deep_copy(*ofColumns, labels);
  });
  if (!importer.is_null()) ofColumns->doImport(labels, *importer, Tpetra::INSERT);
  Details::RowCoverage mine;
  collectively(comm,
               [&] { mine = Details::sumOfRows(matrix, labels, *ofColumns, sizes, loopFactor); });
  Coverage found;
  found.efficiency = comm.sumReal(mine.efficiency) / nodes;
  found.massFraction = comm.sumReal(mine.mass) / nodes;
  found.areaFraction = nodes > 1 ? comm.sumReal(mine.area) / (nodes * (nodes - 1)) : 0;
  return found;
}

}  // namespace Clustering
}  // namespace Trident
