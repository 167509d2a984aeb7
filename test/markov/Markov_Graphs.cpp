// SPDX-License-Identifier: BSD-3-Clause
#include "Markov_Graphs.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <sstream>

namespace TridentTest {
namespace {

using Edges = std::vector<std::map<int, double>>;

Graph graphOf(const Edges& edges) {
  Graph graph;
  for (const auto& row : edges) graph.emplace_back(row.begin(), row.end());
  return graph;
}

void addEdge(Random& random, const GraphKind& kind, int i, int j, Edges& edges) {
  const double weight = kind.weighted ? 0.05 + random.real() : 1;
  edges[i][j] = weight;
  if (!kind.directed) edges[j][i] = weight;
}

/// Draws the family of each node; -1 for one that is to stay alone.
std::vector<int> drawFamilies(Random& random, const GraphKind& kind) {
  std::vector<int> family(kind.nodes);
  int next = 0;
  for (int f = 0; next < kind.nodes; ++f) {
    const int size = random.between(1, kind.family);
    for (int m = 0; m < size && next < kind.nodes; ++m)
      family[next++] = random.chance(0.03) ? -1 : f;
  }
  random.shuffle(family);
  return family;
}

}  // namespace

Graph familyGraph(Random& random, const GraphKind& kind) {
  const std::vector<int> family = drawFamilies(random, kind);
  Edges edges(kind.nodes);
  for (int i = 0; i < kind.nodes; ++i) {
    for (int j = 0; j < i; ++j) {
      if (family[i] < 0 || family[j] < 0) continue;
      const double chance = family[i] == family[j] ? kind.inside : kind.noise;
      if (random.chance(chance)) addEdge(random, kind, i, j, edges);
      if (kind.directed && random.chance(chance)) addEdge(random, kind, j, i, edges);
    }
    if (random.chance(0.1)) edges[i][i] = 5 * random.real();
    if (random.chance(0.1)) edges[i].insert({random.below(kind.nodes), 0});
  }
  return graphOf(edges);
}

GraphKind randomKind(Random& random, int nodes) {
  GraphKind kind;
  kind.nodes = nodes;
  kind.family = random.between(2, 25);
  kind.inside = 0.2 + 0.7 * random.real();
  kind.noise = random.chance(0.3) ? 0 : 2.0 * random.real() / nodes;
  kind.weighted = random.chance(0.7);
  kind.directed = random.chance(0.3);
  return kind;
}

Graph tiedGraph(Random& random, int nodes) {
  Edges edges(nodes);
  GraphKind unweighted;
  unweighted.weighted = false;
  std::vector<int> order(nodes);
  for (int i = 0; i < nodes; ++i) order[i] = i;
  random.shuffle(order);
  for (int begin = 0; begin < nodes;) {
    const int size = std::min(random.between(1, 12), nodes - begin), form = random.below(3);
    const int half = form == 2 ? size / 2 : 0;  // where the second clique begins
    const auto join = [&](int a, int b) {
      addEdge(random, unweighted, order[begin + a], order[begin + b], edges);
    };
    for (int m = 1; m < size; ++m) {
      if (form == 0) join(0, m);
      for (int l = m < half ? 0 : half; form > 0 && l < m; ++l) join(l, m);
    }
    if (half > 0) join(0, half);
    begin += size;
  }
  return graphOf(edges);
}

Sparse sparseOf(const Graph& graph) {
  const int n = static_cast<int>(graph.size());
  Sparse sparse(n, n);
  for (int i = 0; i < n; ++i)
    for (const auto& edge : graph[i]) sparse.rows[i][edge.first] = edge.second;
  return sparse;
}

std::string outputOf(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> piece;
  while (pipe) {
    const std::size_t read = std::fread(piece.data(), 1, piece.size(), pipe.get());
    if (read == 0) break;
    text.append(piece.data(), read);
  }
  return text;
}

Graph readGraph(const std::string& path) {
  std::istringstream file(outputOf("gzip -dc '" + path + "'"));
  std::string line;
  std::getline(file, line);
  const bool symmetric = line.find("symmetric") != std::string::npos;
  const bool pattern = line.find("pattern") != std::string::npos;
  while (std::getline(file, line) && line[0] == '%') {
  }
  std::istringstream sizes(line);
  long rows = 0, columns = 0, entries = 0;
  sizes >> rows >> columns >> entries;
  Graph graph(columns);
  for (long e = 0; e < entries; ++e) {
    int i = 0, j = 0;
    double weight = 1;
    file >> i >> j;
    if (!pattern) file >> weight;
    graph[j - 1].push_back({i - 1, weight});
    if (symmetric && i != j) graph[i - 1].push_back({j - 1, weight});
  }
  return graph;
}

Clusters readClusters(const std::string& path) {
  std::istringstream file(outputOf("gzip -dc '" + path + "'"));
  Clusters clusters;
  for (std::string line; std::getline(file, line);) {
    std::istringstream nodes(line);
    std::vector<int> cluster;
    for (int node = 0; nodes >> node;) cluster.push_back(node - 1);
    if (!cluster.empty()) clusters.push_back(cluster);
  }
  return clusters;
}

}  // namespace TridentTest
