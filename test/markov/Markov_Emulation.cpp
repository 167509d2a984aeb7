// SPDX-License-Identifier: BSD-3-Clause
#include "Markov_Emulation.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

namespace TridentTest {
namespace {

using Row = std::vector<std::pair<int, double>>;  // ascending nodes

double sumOf(const Row& row) {
  double sum = 0;
  for (const auto& entry : row) sum += entry.second;
  return sum;
}

double largestOf(const Row& row) {
  double largest = 0;
  for (const auto& entry : row) largest = std::max(largest, entry.second);
  return largest;
}

double at(const Row& row, int node) {
  for (const auto& entry : row)
    if (entry.first == node) return entry.second;
  return 0;
}

void divide(Row& row, double divisor) {
  for (auto& entry : row) entry.second /= divisor;
}

Row atLeast(const Row& row, double bar) {
  Row kept;
  for (const auto& entry : row)
    if (entry.second >= bar) kept.push_back(entry);
  return kept;
}

/// Returns the value of the k-th largest entry; k >= 1, there are that many.
double kthLargest(const Row& row, std::size_t k) {
  std::vector<double> values;
  for (const auto& entry : row) values.push_back(entry.second);
  std::nth_element(values.begin(), values.begin() + (k - 1), values.end(), std::greater<double>());
  return values[k - 1];
}

/// Loops in the place of those of the graph, powers of all, and rows that sum to 1.
Graph start(const Graph& graph, const MclOptions& options) {
  Graph matrix(graph.size());
  for (int i = 0; i < static_cast<int>(graph.size()); ++i) {
    std::map<int, double> row;
    for (const auto& edge : graph[i])
      if (edge.first != i && edge.second != 0) row[edge.first] += edge.second;
    double heaviest = row.empty() ? 0 : row.begin()->second;
    for (const auto& edge : row) heaviest = std::max(heaviest, edge.second);
    row[i] = heaviest != 0 ? heaviest * options.loops : 1;
    for (auto& edge : row)
      if (options.firstInflation != 1) edge.second = std::pow(edge.second, options.firstInflation);
    matrix[i].assign(row.begin(), row.end());
    if (sumOf(matrix[i]) != 0) divide(matrix[i], sumOf(matrix[i]));  // it may be, of signed weights
  }
  return matrix;
}

Row expand(const Graph& matrix, int i, std::vector<double>& sums) {
  std::vector<int> met;  // a sum of 0 may be met again
  for (const auto& left : matrix[i])
    for (const auto& right : matrix[left.first]) {
      if (sums[right.first] == 0) met.push_back(right.first);
      sums[right.first] += left.second * right.second;
    }
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  Row row;
  for (int j : met) {
    if (sums[j] != 0) row.push_back({j, sums[j]});  // powers may underflow
    sums[j] = 0;
  }
  return row;
}

/// Does cutoff, recovery, selection.
Row pruned(const Row& row, int node, const MclOptions& options) {
  const auto size = [](const Row& r) { return static_cast<long long>(r.size()); };
  const double enough = options.percent / 100.0;
  const Row cut = options.prune > 0 ? atLeast(row, 0.99999 / options.prune) : row;
  if (options.recover == 0 && cut.empty()) return {{node, 1.0}};
  if (options.recover > 0 && size(cut) < options.recover && sumOf(cut) < enough)
    return size(row) > options.recover ? atLeast(row, kthLargest(row, options.recover))
                                       : atLeast(row, 0);
  if (options.select == 0 || size(cut) <= options.select) return cut;
  const Row selected = atLeast(cut, kthLargest(cut, options.select));
  if (size(selected) >= options.recover || sumOf(selected) >= enough) return selected;
  return size(cut) > options.recover ? atLeast(cut, kthLargest(cut, options.recover)) : cut;
}

/// Returns the entries that mcl's numbers, which are floats, can tell from 0.
Row notLost(const Row& row) {
  Row kept;
  for (const auto& entry : row)
    if (entry.second > 0x1p-150) kept.push_back(entry);
  return kept;
}

/// Does one iteration of a row. Sets it to what stays, and returns its chaos. No mass at all leaves
/// nothing.
double iterate(Row& row, int node, const MclOptions& options, double inflation) {
  const double largest = largestOf(row);
  double squares = 0;
  for (const auto& entry : row) squares += entry.second * entry.second;
  row = pruned(notLost(row), node, options);
  const double chaos = (largest - squares) * static_cast<double>(row.size());
  if (row.empty()) return chaos;
  divide(row, sumOf(row));
  for (auto& entry : row) entry.second = std::pow(entry.second, inflation);
  divide(row, sumOf(row));
  row = notLost(row);
  return chaos;
}

/// Finds the edges that tell where a node belongs.
std::vector<std::vector<int>> heaviestEdges(const Graph& limit) {
  std::vector<std::vector<int>> edges(limit.size());
  for (int i = 0; i < static_cast<int>(limit.size()); ++i) {
    const double self = at(limit[i], i), largest = largestOf(limit[i]);
    Row kept =
        atLeast(limit[i], self < largest ? 0.999 * self + 0.001 * largest : self / (1 + 0.01));
    if (kept.empty()) continue;
    divide(kept, sumOf(kept));
    for (const auto& entry : atLeast(kept, 1.0 / (static_cast<double>(kept.size()) + 1)))
      edges[i].push_back(entry.first);
  }
  return edges;
}

bool has(const std::vector<int>& nodes, int node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// Finds the nodes that edges reach from a node, without itself unless it is on a cycle.
std::set<int> reachedFrom(const std::vector<std::vector<int>>& edges, int node) {
  std::set<int> reached;
  std::vector<int> wave{node};
  while (!wave.empty()) {
    std::vector<int> next;
    for (int i : wave)
      for (int j : edges[i])
        if (reached.insert(j).second) next.push_back(j);
    wave = next;
  }
  return reached;
}

/// Finds connected components of the attractors, in mcl's order.
Clusters attractorSystems(const std::vector<std::vector<int>>& edges,
                          const std::vector<bool>& attracts) {
  const int n = static_cast<int>(edges.size());
  std::vector<std::vector<int>> both(n);
  for (int i = 0; i < n; ++i)
    for (int j : edges[i])
      if (attracts[i] && attracts[j]) {
        both[i].push_back(j);
        both[j].push_back(i);
      }
  Clusters systems;
  std::vector<bool> seen(n, false);
  for (int i = 0; i < n; ++i) {
    if (!attracts[i] || seen[i]) continue;
    std::set<int> system = reachedFrom(both, i);
    system.insert(i);
    for (int j : system) seen[j] = true;
    systems.emplace_back(system.begin(), system.end());
  }
  return inOrder(systems);
}

void interpret(const Graph& limit, MclResult& result) {
  const int n = static_cast<int>(limit.size());
  const auto edges = heaviestEdges(limit);
  std::vector<bool> attracts(n);
  for (int i = 0; i < n; ++i) attracts[i] = has(edges[i], i);
  const Clusters systems = attractorSystems(edges, attracts);
  std::vector<int> systemOf(n, -1);
  for (int s = 0; s < static_cast<int>(systems.size()); ++s)
    for (int i : systems[s]) systemOf[i] = s;
  Clusters clusters(systems.size());
  std::vector<int> missing;  // mcl puts them into one cluster
  for (int i = 0; i < n; ++i) {
    std::set<int> mine;
    if (attracts[i])
      mine.insert(systemOf[i]);
    else
      for (int j : reachedFrom(edges, i))
        if (attracts[j]) mine.insert(systemOf[j]);
    (mine.empty() ? missing : clusters[*mine.begin()]).push_back(i);
    result.overlaps += mine.size() > 1;
  }
  if (!missing.empty()) clusters.push_back(missing);
  result.clusters = inOrder(clusters);
}

}  // namespace

Clusters inOrder(Clusters clusters) {
  for (auto& cluster : clusters) std::sort(cluster.begin(), cluster.end());
  std::sort(clusters.begin(), clusters.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  return clusters;
}

Clusters clustersOf(const std::vector<long long>& labels) {
  std::map<long long, std::vector<int>> byLabel;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) byLabel[labels[i]].push_back(i);
  Clusters clusters;
  for (const auto& cluster : byLabel) clusters.push_back(cluster.second);
  return clusters;
}

MclResult emulateMcl(const Graph& graph, const MclOptions& options) {
  const int n = static_cast<int>(graph.size());
  MclResult result;
  Graph matrix = start(graph, options);
  std::vector<double> sums(n, 0);
  double inflation = options.inflation;
  do {
    Graph next(n);
    result.chaos = 0;
    for (int i = 0; i < n; ++i) {
      next[i] = expand(matrix, i, sums);
      const bool initial = result.iterations < options.initialIterations;
      result.chaos =
          std::max(result.chaos,
                   iterate(next[i], i, options, initial ? options.initialInflation : inflation));
    }
    matrix.swap(next);
    if (++result.iterations >= 40 + options.initialIterations) inflation *= 1.001;
  } while ((result.chaos >= 0.0001 || result.iterations <= options.initialIterations) &&
           result.iterations < options.mostIterations);
  interpret(matrix, result);
  return result;
}

}  // namespace TridentTest
