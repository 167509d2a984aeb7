// SPDX-License-Identifier: BSD-3-Clause
#ifndef MARKOV_GRAPHS_HPP
#define MARKOV_GRAPHS_HPP

#include <string>

#include "Markov_Emulation.hpp"
#include "Trident_TestMatrices.hpp"

/// \file Markov_Graphs.hpp
/// Graphs to cluster: drawn ones, and those of files.

namespace TridentTest {

/// Traits of a drawn graph.
struct GraphKind {
  int nodes = 100;
  int family = 12;      ///< nodes of the largest family
  double inside = 0.6;  ///< chance of an edge inside a family
  double noise = 0.01;  ///< chance of an edge between any two nodes
  bool weighted = true, directed = false;
};

/// Draws families of random sizes, with noise between them, some nodes without an edge, some loops,
/// and stored zeros.
Graph familyGraph(Random& random, const GraphKind& kind);

/// Draws any kind of graph.
GraphKind randomKind(Random& random, int nodes);

/// Makes unweighted stars, cliques, and pairs of cliques with an edge between: values tie. (Long
/// paths and cycles are left out: their limit hangs on the last bits, by which mcl breaks their
/// symmetry.)
Graph tiedGraph(Random& random, int nodes);

/// Returns the graph as places.
Sparse sparseOf(const Graph& graph);

/// Reads a Matrix Market file, gzipped: column j lists the neighbours of node j. The graph is empty
/// if it cannot be read.
Graph readGraph(const std::string& path);
/// Reads a clustering, one cluster a line, nodes from 1; gzipped.
Clusters readClusters(const std::string& path);

/// Returns the output of a command of the shell.
std::string outputOf(const std::string& command);

}  // namespace TridentTest

#endif
