// SPDX-License-Identifier: BSD-3-Clause
// Modularity against its definition, summed over all pairs of nodes, and coverage against its.

#include <Teuchos_UnitTestHarness.hpp>
#include <cmath>
#include <cstdio>
#include <map>

#include "TridentClustering_Coverage.hpp"
#include "TridentClustering_Quality.hpp"
#include "TridentDriver_TestTools.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

/// Returns the cluster of a node in a random clustering.
std::int64_t clusterOf(std::int64_t node, std::int64_t clusters) {
  return static_cast<std::int64_t>(Trident::Problems::hash(5, static_cast<std::uint64_t>(node)) %
                                   static_cast<std::uint64_t>(clusters));
}

labels_type labelsOf(const matrix_type& matrix, std::int64_t clusters) {
  labels_type labels(matrix.getRowMap());
  for (const global_ordinal_type row : globalIndices(*matrix.getRowMap()))
    labels.replaceGlobalValue(row, clusterOf(row, clusters));
  return labels;
}

/// Sums, over pairs of one cluster, A_ij / w - out_i in_j / w², loops left out.
double byDefinition(const Entries& entries, std::int64_t nodes, std::int64_t clusters) {
  std::vector<double> out(static_cast<std::size_t>(nodes)), into(static_cast<std::size_t>(nodes));
  double all = 0, result = 0;
  for (const auto& entry : entries) {
    const auto [row, column] = entry.first;
    if (row == column) continue;
    out[static_cast<std::size_t>(row)] += entry.second;
    into[static_cast<std::size_t>(column)] += entry.second;
    all += entry.second;
  }
  for (std::int64_t i = 0; i < nodes; ++i)
    for (std::int64_t j = 0; j < nodes; ++j) {
      if (clusterOf(i, clusters) != clusterOf(j, clusters)) continue;
      const auto entry = entries.find({i, j});
      if (i != j && entry != entries.end()) result += entry->second / all;
      result -= out[static_cast<std::size_t>(i)] * into[static_cast<std::size_t>(j)] / (all * all);
    }
  return result;
}

TEUCHOS_UNIT_TEST(Quality, Modularity) {
  for (const std::string spec : {"er:n=90,d=6", "families:n=200,most=20", "banded:n=40,bw=3"})
    for (const std::int64_t clusters : {1, 4, 60}) {
      const auto matrix = readMatrix(spec, world()).matrix;
      const Entries entries = entriesOf(*readMatrix(spec, self()).matrix);
      const auto nodes = static_cast<std::int64_t>(matrix->getGlobalNumRows());
      const double expected = byDefinition(entries, nodes, clusters);
      const double found = modularity(*matrix, labelsOf(*matrix, clusters));
      TEST_ASSERT(std::abs(found - expected) < 1e-12);
      std::int64_t edges = 0;
      for (const auto& entry : entries) edges += entry.first.first != entry.first.second ? 1 : 0;
      TEST_EQUALITY(countEdges(*matrix), edges);
    }
  const auto empty = readMatrix("er:n=9,d=0", world()).matrix;
  TEST_EQUALITY(modularity(*empty, labelsOf(*empty, 2)), 0.0);
}

/// Computes coverage by its definition, of rows that are looked at one by one.
Coverage coverageByDefinition(const Entries& entries, std::int64_t nodes, std::int64_t clusters) {
  Coverage result;
  std::map<std::int64_t, double> sizes;
  for (std::int64_t i = 0; i < nodes; ++i) ++sizes[clusterOf(i, clusters)];
  for (std::int64_t i = 0; i < nodes; ++i) {
    std::map<std::int64_t, double> row;
    double heaviest = 0, in = 0, out = 0, squares = 0, outside = 0;
    for (const auto& entry : entries)
      if (entry.first.first == i && entry.first.second != i && entry.second != 0) {
        row[entry.first.second] = entry.second;
        heaviest = std::max(heaviest, entry.second);
      }
    row[i] = heaviest > 0 ? heaviest : 1;
    double sum = 0;
    for (const auto& [j, weight] : row) sum += weight;
    for (const auto& [j, weight] : row) {
      const bool inside = clusterOf(j, clusters) == clusterOf(i, clusters);
      (inside ? in : out) += weight / sum;
      squares += weight * weight / sum / sum;
      outside += inside ? 0 : 1;
    }
    const double size = sizes[clusterOf(i, clusters)], n = static_cast<double>(nodes);
    result.efficiency += (1 - (size - (in - out) / squares) / (size + outside)) / n;
    result.massFraction += in / n;
    result.areaFraction += (size - 1) / n / (n - 1);
  }
  return result;
}

TEUCHOS_UNIT_TEST(Quality, Coverage) {
  for (const std::string spec : {"er:n=60,d=3", "families:n=120,most=20", "er:n=9,d=0"})
    for (const std::int64_t clusters : {1, 4, 60}) {
      const auto matrix = readMatrix(spec, world()).matrix;
      const auto expected =
          coverageByDefinition(entriesOf(*readMatrix(spec, self()).matrix),
                               static_cast<std::int64_t>(matrix->getGlobalNumRows()), clusters);
      const Coverage found = coverage(*matrix, labelsOf(*matrix, clusters));
      TEST_FLOATING_EQUALITY(found.efficiency, expected.efficiency, 1e-12);
      TEST_FLOATING_EQUALITY(found.massFraction, expected.massFraction, 1e-12);
      TEST_FLOATING_EQUALITY(found.areaFraction, expected.areaFraction, 1e-12);
    }
}

/// Returns the modularity of a graph of so many nodes, of edges in both directions and loops of a
/// weight; two nodes a cluster.
double modularityOfPairs(std::int64_t nodes, const Entries& edges, double loops) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + std::to_string(nodes) +
                     " " + std::to_string(nodes) + " " +
                     std::to_string(static_cast<std::size_t>(nodes) + edges.size()) + "\n";
  char line[80];
  for (const auto& edge : edges) {
    std::snprintf(line, sizeof line, "%lld %lld %.17g\n",
                  static_cast<long long>(edge.first.first + 1),
                  static_cast<long long>(edge.first.second + 1), edge.second);
    text += line;
  }
  for (std::int64_t node = 1; node <= nodes; ++node) {
    std::snprintf(line, sizeof line, "%lld %lld %.17g\n", static_cast<long long>(node),
                  static_cast<long long>(node), loops);
    text += line;
  }
  const auto matrix = readText(text).matrix;
  labels_type labels(matrix->getRowMap());
  for (const global_ordinal_type row : globalIndices(*matrix->getRowMap()))
    labels.replaceGlobalValue(row, row / 2);
  return modularity(*matrix, labels);
}

// No sum of weights overflows, none is lost beside loops.
TEUCHOS_UNIT_TEST(Quality, WeightsOfAnySize) {
  for (const double weight : {1.0, 1e160, 1e-170, 1.5e308, 5e-324})
    for (const double loops : {0.0, 1.0, 1e17, 1.7e308})
      TEST_EQUALITY(modularityOfPairs(4, {{{1, 0}, weight}, {{3, 2}, weight}}, loops), 0.5);
  TEST_EQUALITY(modularityOfPairs(4, {{{1, 0}, 1e308}, {{3, 2}, 1e-320}}, 1.0), 0.0);
  TEST_EQUALITY(modularityOfPairs(40, {{{1, 0}, 1e308}, {{31, 30}, 1e308}}, 0.0), 0.5);
  TEST_EQUALITY(modularityOfPairs(4, {}, 1e308), 0.0);
}

}  // namespace
