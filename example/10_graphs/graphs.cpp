// SPDX-License-Identifier: BSD-3-Clause
// Lesson 10: seven tasks of graphs, each in about ten lines. Matrices come onto a grid as lists of
// edges, and stay there until a result leaves it. doc/recipes.md has these functions, with a
// command and SciPy's lines beside each; a test compares the three.
//
// Look at the options: a semiring says what a product adds and multiplies by, a mask which entries
// it forms, and a filter which of them stay.
//
//   Trident_10_graphs.exe [folder with graph.txt and things.txt, where the results go]
#include <MatrixMarket_Tpetra.hpp>
#include <Tpetra_Core.hpp>
#include <Trident_ClusterEdges.hpp>
#include <Trident_Grid.hpp>
#include <Trident_MatrixOfEdges.hpp>
#include <Trident_ScopeGuard.hpp>
#include <cmath>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

using Grid = Trident::Grid<>;
using Matrix = Grid::Matrix;
using Options = Teuchos::ParameterList;
using CrsMatrix = Grid::crs_matrix_type;
using MapPtr = Teuchos::RCP<const Grid::map_type>;
using CommPtr = Teuchos::RCP<const Teuchos::Comm<int>>;

/// Edges in three arrays, of which each rank may have any part.
struct Edges {
  std::vector<long long> from, to;
  std::vector<double> weights;
};

/// Returns the options of a product: a semiring.
static Options over(const std::string& semiring) {
  Options options;
  options.set("semiring", semiring);
  return options;
}

/// Returns a matrix on the grid with this value on the diagonal.
static Matrix diagonal(const Grid& grid, const MapPtr& map, double value) {
  Grid::vector_type values(map);
  values.putScalar(value);
  return grid.fromDiagonal(values);
}

/// Returns the number of triangles of each edge; `all` gets the number of all. Values of a are
/// 1, and each edge is there both ways.
static Matrix triangles(const Grid& grid, const Matrix& a, double& all) {
  const Matrix ofEdges = grid.multiplyWithin(a, a, a);
  all = grid.rowSums(ofEdges)->norm1() / 6;  // each triangle has three edges, both ways
  return ofEdges;
}

/// Returns the largest part of a graph whose edges are in k - 2 triangles of it, or more.
static Matrix truss(const Grid& grid, Matrix a, int k) {
  double before = 0, edges = grid.rowSums(a)->norm1();
  while (edges != before) {
    const Matrix strong = grid.select(grid.multiplyWithin(a, a, a), k - 2);
    a = grid.multiplyEntries(strong, a, over("plus-second"));  // a, where strong has an entry
    before = edges;
    edges = grid.rowSums(a)->norm1();
  }
  return a;
}

/// Returns the pairs of nodes that two steps join, and no shorter way.
static Matrix twoHops(const Grid& grid, const Matrix& a) {
  const Matrix nearer = grid.add(a, diagonal(grid, a.rowMap(), 1));
  return grid.multiplyOutside(a, a, nearer, over("or-and"));
}

/// Returns the lengths of the shortest ways between all nodes that a way joins.
static Matrix shortestWays(const Grid& grid, const Matrix& a) {
  Matrix d = grid.add(a, diagonal(grid, a.rowMap(), 0), over("min-plus"));
  for (std::size_t steps = 1; steps < a.rowMap()->getGlobalNumElements(); steps *= 2)
    d = grid.multiply(d, d, over("min-plus"));  // ways of twice as many steps
  return d;
}

/// Returns of each row the k others that have the largest cosines with it.
static Matrix similar(const Grid& grid, const Matrix& a, int k) {
  const auto norms = grid.rowSums(grid.multiplyEntries(a, a));
  for (double& norm : norms->getDataNonConst()) norm = norm > 0 ? 1 / std::sqrt(norm) : 0;
  const Matrix unit = grid.multiply(grid.fromDiagonal(*norms), a);
  Options largest;
  largest.set("keep largest", double(k));
  const Matrix itself = diagonal(grid, a.rowMap(), 1);
  return grid.multiplyOutside(unit, grid.transpose(unit), itself, largest);
}

/// Returns the pairs of columns in which at least `least` rows have an entry, of values 1.
static Matrix together(const Grid& grid, const Matrix& a, double least) {
  Options often;
  often.set("drop tolerance", least);
  const Matrix itself = diagonal(grid, a.columnMap(), 1);
  return grid.multiplyOutside(grid.transpose(a), a, itself, often);
}

/// Returns the cluster of each node, on every rank.
static std::vector<long long> clusters(const Edges& edges) {
  Trident::MarkovOptions options;
  options.inflation = 2;
  return Trident::markovCluster(edges.from, edges.to, edges.weights, options).clusterOf;
}

/// Reads lines of two numbers and a weight. Rank 0 has them all.
static Edges readEdges(const std::string& file, int rank) {
  Edges edges;
  if (rank > 0) return edges;
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be read");
  long long from = 0, to = 0;
  double weight = 0;
  while (in >> from >> to >> weight) {
    edges.from.push_back(from);
    edges.to.push_back(to);
    edges.weights.push_back(weight);
  }
  return edges;
}

/// Makes rings of ten nodes, of which each knows three on each side, and one edge between
/// successive rings.
static Edges rings(long long n, int rank, int ranks) {
  Edges edges;
  const auto tie = [&](long long i, long long j, double weight) {
    edges.from.push_back(i);
    edges.to.push_back(j);
    edges.weights.push_back(weight);
  };
  for (long long i = rank; i < n; i += ranks) {
    const long long ring = i / 10 * 10;
    tie(i, ring + (i + 1) % 10, 1);
    tie(i, ring + (i + 2) % 10, 1.5);
    tie(i, ring + (i + 3) % 10, 2);
    if (i % 10 == 0 && i + 10 < n) tie(i, i + 10, 0.25);
  }
  return edges;
}

/// Writes a matrix as Matrix Market text. Collective.
static void write(const Grid& grid, const Matrix& matrix, const std::string& file) {
  const auto C = Teuchos::rcp(new CrsMatrix(matrix.rowMap(), 0));
  grid.toTpetra(matrix, *C);
  Tpetra::MatrixMarket::Writer<CrsMatrix>::writeSparseFile(file, C);
}

/// Does all tasks, and writes what they find where there is a folder.
static void run(const Edges& edges, const Edges& things, const std::string& folder,
                const CommPtr& comm) {
  Trident::EdgeOptions graph, twoSets;
  graph.bothWays = true;
  twoSets.twoSets = true;
  const auto A = Trident::matrixOfEdges(edges.from, edges.to, {}, graph);
  const auto W = Trident::matrixOfEdges(edges.from, edges.to, edges.weights, graph);
  const auto B = Trident::matrixOfEdges(things.from, things.to, things.weights, twoSets);
  const Grid grid(comm, {A->getRowMap(), B->getRowMap(), B->getDomainMap()});
  const Matrix a = grid.fromTpetra(*A), w = grid.fromTpetra(*W), b = grid.fromTpetra(*B);
  const Matrix ones = grid.multiplyEntries(b, b, over("or-and"));

  double all = 0;
  const std::vector<std::pair<std::string, Matrix>> found{
      {"triangles", triangles(grid, a, all)}, {"truss", truss(grid, a, 4)},
      {"twohops", twoHops(grid, a)},          {"ways", shortestWays(grid, w)},
      {"similar", similar(grid, b, 3)},       {"together", together(grid, ones, 2)}};
  const std::vector<long long> clusterOf = clusters(edges);
  if (comm->getRank() == 0) std::cout << all << " triangles\n";
  for (const auto& [name, matrix] : found) {
    const double sum = grid.rowSums(matrix)->norm1();
    if (comm->getRank() == 0) std::cout << name << ": entries sum up to " << sum << "\n";
    if (!folder.empty()) write(grid, matrix, folder + "/" + name + ".mtx");
  }
  if (comm->getRank() > 0) return;
  std::cout << clusterOf.size() << " nodes in clusters\n";
  if (folder.empty()) return;
  std::ofstream out(folder + "/clusters.txt");
  for (const long long cluster : clusterOf) out << cluster << "\n";
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);
  const CommPtr comm = Tpetra::getDefaultComm();
  const int rank = comm->getRank(), ranks = comm->getSize();
  const std::string folder = argc > 1 ? argv[1] : "";
  if (folder.empty())
    run(rings(200, rank, ranks), rings(100, rank, ranks), folder, comm);
  else
    run(readEdges(folder + "/graph.txt", rank), readEdges(folder + "/things.txt", rank), folder,
        comm);
}
