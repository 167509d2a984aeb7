// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Quality.hpp"

#include <Tpetra_Import.hpp>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "TridentClustering_Ask.hpp"
#include "TridentClustering_Diagonal.hpp"

namespace Trident {
namespace Clustering {

namespace {

using vector_type =
    Tpetra::Vector<scalar_type, local_ordinal_type, global_ordinal_type, map_type::node_type>;

}  // namespace

namespace Details {  // what holds kernels: nvcc wants a name for it

matrix_range rowsOf(const matrix_type& matrix) {
  return matrix_range(0, static_cast<long long>(numLocalElements(*matrix.getRowMap())));
}

long long countLocalEdges(const matrix_type& matrix, bool negativeOnly, bool loopsToo) {
  const auto local = matrix.getLocalMatrixDevice();
  const DiagonalColumns diagonals(matrix);
  long long edges = 0;
  Kokkos::parallel_reduce(
      "TridentClustering::countEdges", rowsOf(matrix),
      KOKKOS_LAMBDA(long long row, long long& sum) {
        const auto diagonal = diagonals(row);
        for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e)
          sum += (loopsToo || local.graph.entries(e) != diagonal) &&
                         (negativeOnly ? local.values(e) < 0 : local.values(e) != 0)
                     ? 1
                     : 0;
      },
      edges);
  return edges;
}

/// Finds the largest weight off the diagonal of this rank's rows; 0 where there is none.
double largestLocalWeight(const matrix_type& matrix) {
  const auto local = matrix.getLocalMatrixDevice();
  const DiagonalColumns diagonals(matrix);
  double largest = 0;
  Kokkos::parallel_reduce(
      "TridentClustering::largestWeight", rowsOf(matrix),
      KOKKOS_LAMBDA(long long row, double& most) {
        const auto diagonal = diagonals(row);
        for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e)
          if (local.graph.entries(e) != diagonal && local.values(e) > most) most = local.values(e);
      },
      Kokkos::Max<double>(largest));
  return largest > 0 ? largest : 0;  // Max begins with the least number
}

/// Sums the weights of a rank's rows off the diagonal, divided by 2^exponent: out of each row, and
/// into each column. \return the weight that stays inside clusters. `ofColumns` are the clusters of
/// the column Map's nodes, on which `intoColumns` lies, too.
double sumRows(const matrix_type& matrix, int exponent, const labels_type& labels,
               const labels_type& ofColumns, vector_type& outOf, vector_type& intoColumns) {
  const auto local = matrix.getLocalMatrixDevice();
  const DiagonalColumns diagonals(matrix);
  const auto rowLabels = labels.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const auto columnLabels = ofColumns.getLocalViewDevice(Tpetra::Access::ReadOnly);
  const auto out = outOf.getLocalViewDevice(Tpetra::Access::OverwriteAll);
  const auto into = intoColumns.getLocalViewDevice(Tpetra::Access::ReadWrite);
  double inside = 0;
  Kokkos::parallel_reduce(
      "TridentClustering::sumRows", rowsOf(matrix),
      KOKKOS_LAMBDA(long long row, double& sum) {
        double all = 0;
        const auto diagonal = diagonals(row);
        for (auto e = local.graph.row_map(row); e < local.graph.row_map(row + 1); ++e) {
          const auto column = local.graph.entries(e);
          if (column == diagonal) continue;
          const double weight = ::ldexp(local.values(e), -exponent);
          all += weight;
          Kokkos::atomic_add(&into(column, 0), weight);
          if (columnLabels(column, 0) == rowLabels(row, 0)) sum += weight;
        }
        out(row, 0) = all;
      },
      inside);
  return inside;
}

}  // namespace Details

namespace {

/// Weights of the edges out of a cluster's nodes and into them.
struct ClusterWeight {
  std::int64_t cluster;
  double out, into;
};

/// Sums over clusters the product of both weights. Clusters are dealt to ranks in turn.
double sumOfProducts(const std::vector<ClusterWeight>& weights, const Comm& comm) {
  const auto ranks = static_cast<std::int64_t>(comm.size());
  const Grouping grouping = groupItems(
      weights.size(), [&](std::size_t i) { return static_cast<int>(weights[i].cluster % ranks); },
      comm);
  const Received<ClusterWeight> received = send(grouping, weights, comm);
  double sum = 0;
  collectively(comm, [&] {
    std::map<std::int64_t, ClusterWeight> byCluster;
    for (const ClusterWeight& weight : received.items) {
      ClusterWeight& all = byCluster.insert({weight.cluster, {weight.cluster, 0, 0}}).first->second;
      all.out += weight.out;
      all.into += weight.into;
    }
    for (const auto& cluster : byCluster) sum += cluster.second.out * cluster.second.into;
  });
  return comm.sumReal(sum);
}

/// Returns this rank's part of the weights of clusters.
std::vector<ClusterWeight> weightsByCluster(const labels_type& labels, const vector_type& out,
                                            const vector_type& into) {
  const auto cluster = labels.getData();
  const auto outOf = out.getData(), intoOf = into.getData();
  std::map<std::int64_t, ClusterWeight> byCluster;
  for (Teuchos::Ordinal row = 0; row < cluster.size(); ++row) {
    ClusterWeight& weight = byCluster.insert({cluster[row], {cluster[row], 0, 0}}).first->second;
    weight.out += outOf[row];
    weight.into += intoOf[row];
  }
  std::vector<ClusterWeight> weights;
  for (const auto& entry : byCluster) weights.push_back(entry.second);
  return weights;
}

}  // namespace

std::int64_t countEdges(const matrix_type& matrix) {
  return Comm(*matrix.getComm()).sum(Details::countLocalEdges(matrix, false, false));
}

std::int64_t countNegativeEdges(const matrix_type& matrix, bool loopsToo) {
  return Comm(*matrix.getComm()).sum(Details::countLocalEdges(matrix, true, loopsToo));
}

double modularity(const matrix_type& matrix, const labels_type& labels, bool outOnly) {
  const Comm comm(*matrix.getComm());
  const auto importer = matrix.getGraph()->getImporter();
  double largestHere = 0;
  std::optional<labels_type> ofColumns;
  std::optional<vector_type> out, into, intoColumns;
  collectively(comm, [&] {
    largestHere = Details::largestLocalWeight(matrix);
    ofColumns.emplace(matrix.getColMap());
    intoColumns.emplace(matrix.getColMap());
    for (auto* vector : {&out, &into}) vector->emplace(matrix.getRowMap());
    if (importer.is_null()) Tpetra::deep_copy(*ofColumns, labels);
  });
  const double largest = comm.max(largestHere);
  if (!(largest > 0)) return 0;
  if (!importer.is_null()) ofColumns->doImport(labels, *importer, Tpetra::INSERT);
  // Weights of any size: the largest becomes 1 to 2, by a power of two, so that sums of them, and
  // products of these, are numbers.
  const int exponent = std::ilogb(largest);
  double insideHere = 0;
  collectively(comm, [&] {
    insideHere = Details::sumRows(matrix, exponent, labels, *ofColumns, *out, *intoColumns);
    if (importer.is_null()) Tpetra::deep_copy(*into, *intoColumns);
  });
  if (!importer.is_null()) into->doExport(*intoColumns, *importer, Tpetra::ADD);
  const double inside = comm.sumReal(insideHere), all = out->norm1();
  std::vector<ClusterWeight> weights;
  collectively(comm, [&] { weights = weightsByCluster(labels, *out, outOnly ? *out : *into); });
  return inside / all - sumOfProducts(weights, comm) / all / all;
}

}  // namespace Clustering
}  // namespace Trident
