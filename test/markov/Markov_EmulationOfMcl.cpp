// SPDX-License-Identifier: BSD-3-Clause
// The oracle of markovCluster(): an emulation of mcl, against clusterings that mcl made, and
// against mcl itself where it is installed.

#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "Markov_Graphs.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_TestVerdict.hpp"

namespace {

using namespace TridentTest;

std::string differ(const Clusters& found, const Clusters& expected) {
  if (found == expected) return "";
  return say(found.size(), " clusters, and ", expected.size(), " expected",
             inOrder(found) == inOrder(expected) ? ", the same in another order" : "");
}

TEUCHOS_UNIT_TEST(Emulation, Karate) {
  // Zachary's karate club (Newman/karate of SuiteSparse), and what mcl 22-282 made of it.
  const std::vector<std::pair<int, int>> edges{
      {1, 0},   {2, 0},   {2, 1},   {3, 0},   {3, 1},   {3, 2},   {4, 0},   {5, 0},   {6, 0},
      {6, 4},   {6, 5},   {7, 0},   {7, 1},   {7, 2},   {7, 3},   {8, 0},   {8, 2},   {9, 2},
      {10, 0},  {10, 4},  {10, 5},  {11, 0},  {12, 0},  {12, 3},  {13, 0},  {13, 1},  {13, 2},
      {13, 3},  {16, 5},  {16, 6},  {17, 0},  {17, 1},  {19, 0},  {19, 1},  {21, 0},  {21, 1},
      {25, 23}, {25, 24}, {27, 2},  {27, 23}, {27, 24}, {28, 2},  {29, 23}, {29, 26}, {30, 1},
      {30, 8},  {31, 0},  {31, 24}, {31, 25}, {31, 28}, {32, 2},  {32, 8},  {32, 14}, {32, 15},
      {32, 18}, {32, 20}, {32, 22}, {32, 23}, {32, 29}, {32, 30}, {32, 31}, {33, 8},  {33, 9},
      {33, 13}, {33, 14}, {33, 15}, {33, 18}, {33, 19}, {33, 20}, {33, 22}, {33, 23}, {33, 26},
      {33, 27}, {33, 28}, {33, 29}, {33, 30}, {33, 31}, {33, 32}};
  Graph graph(34);
  for (const auto& edge : edges) {
    graph[edge.first].push_back({edge.second, 1});
    graph[edge.second].push_back({edge.first, 1});
  }
  MclOptions options;
  TRIDENT_TEST_OK(differ(emulateMcl(graph, options).clusters,
                         {{2, 8, 9, 14, 15, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33},
                          {0, 1, 3, 4, 5, 6, 7, 10, 11, 12, 13, 16, 17, 19, 21}}));
  options.inflation = 4;
  TRIDENT_TEST_OK(differ(emulateMcl(graph, options).clusters,
                         {{8, 14, 15, 18, 20, 22, 23, 26, 28, 29, 30, 32, 33},
                          {0, 1, 3, 4, 7, 10, 11, 12, 13, 17, 19, 21},
                          {24, 25, 31},
                          {2, 9},
                          {5, 16},
                          {6},
                          {27}}));
  options = {2, 20, 3, 5, 95};
  TRIDENT_TEST_OK(differ(emulateMcl(graph, options).clusters,
                         {{0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 16, 17, 19, 21},
                          {8, 9, 14, 15, 18, 20, 22, 23, 26, 27, 28, 29, 30, 32, 33},
                          {24, 25, 31}}));
}

TEUCHOS_UNIT_TEST(ReferenceClusterings, AsMcl) {
  const std::string folder = TRIDENT_TEST_MATRICES;
  TRIDENT_TEST_NEEDS(std::ifstream(folder + "/yeast-bim.mtx.gz"),
                     "the matrices with clusterings by mcl are not here (Trident_MATRICES)");
  MclOptions options;
  for (const char* name : {"mcl-falkner", "mcl-proteins", "sfld-amido", "yeast-bim",
                           "yeast-collins", "yeast-krogan-ext"}) {
    const std::string path = folder + "/" + name;
    TRIDENT_TEST_OK(differ(emulateMcl(readGraph(path + ".mtx.gz"), options).clusters,
                           readClusters(path + ".mcl-I20.txt.gz")));
  }
  options.inflation = 1.5;
  TRIDENT_TEST_OK(differ(emulateMcl(readGraph(folder + "/ortho-myco5.mtx.gz"), options).clusters,
                         readClusters(folder + "/ortho-myco5.mcl-I15.txt.gz")));
}

/// Returns the clusters that mcl itself finds in a graph.
Clusters clustersByMcl(const Graph& graph, const MclOptions& options) {
  char path[] = "/tmp/trident-mcl-XXXXXX";
  close(mkstemp(path));
  {
    std::ofstream file(path);
    file.precision(9);  // what a float holds
    file << "(mclheader\nmcltype matrix\ndimensions " << graph.size() << "x" << graph.size()
         << "\n)\n(mclmatrix\nbegin\n";
    for (std::size_t i = 0; i < graph.size(); ++i) {
      file << i;
      for (const auto& edge : graph[i])
        if (edge.second > 0) file << " " << edge.first << ":" << edge.second;
      file << " $\n";
    }
    file << ")\n";
  }
  const std::string out = std::string(path) + ".out";
  outputOf(say(TRIDENT_TEST_MCL, " ", path, " -I ", options.inflation, " -P ", options.prune,
               " -S ", options.select, " -R ", options.recover, " -pct ", options.percent, " -c ",
               options.loops, " -pi ", options.firstInflation, " -o ", out, " > /dev/null 2>&1"));
  Clusters clusters;
  {
    std::ifstream file(out);
    std::string word;
    while (file >> word && word != "begin") {
    }
    for (int cluster = 0; file >> cluster;) {
      clusters.emplace_back();
      while (file >> word && word != "$") clusters.back().push_back(std::stoi(word));
    }
  }
  std::remove(path);
  std::remove(out.c_str());
  return clusters;
}

/// Returns weights rounded as mcl holds them.
Graph rounded(Graph graph) {
  for (auto& row : graph)
    for (auto& edge : row) edge.second = static_cast<float>(edge.second);
  return graph;
}

TEUCHOS_UNIT_TEST(MclItself, OnDrawnGraphs) {
  TRIDENT_TEST_NEEDS(std::string(TRIDENT_TEST_MCL).find("NOTFOUND") == std::string::npos,
                     "mcl is not installed (Trident_MCL)");
  Random random(77);
  const std::vector<MclOptions> schemes{
      {2, 10000, 1100, 1400, 90}, {2, 200, 12, 16, 90}, {2, 50, 6, 8, 90}, {2, 20, 3, 5, 95},
      {2, 10, 0, 4, 80},          {2, 1000, 5, 0, 90},  {2, 8, 0, 0, 90},  {2, 4, 2, 9, 0}};
  for (int n = 0; n < 48; ++n) {
    GraphKind kind = randomKind(random, random.between(20, 150));
    kind.weighted = n % 2 == 0;
    const Graph graph = rounded(familyGraph(random, kind));
    MclOptions options = schemes[n % schemes.size()];
    options.inflation = std::vector<double>{1.4, 2, 4}[(n / 8) % 3];
    options.loops = std::vector<double>{1, 1, 0.3, 4, 0.05}[n % 5];
    options.firstInflation = std::vector<double>{1, 1, 1.7, 0.6}[n % 4];
    out << n << ": " << kind.nodes << " nodes, inflation " << options.inflation << "\n";
    TRIDENT_TEST_OK(differ(emulateMcl(graph, options).clusters, clustersByMcl(graph, options)));
  }
}

}  // namespace
