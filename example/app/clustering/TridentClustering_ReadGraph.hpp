// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_READGRAPH_HPP
#define TRIDENTCLUSTERING_READGRAPH_HPP

#include <cstdint>
#include <string>

#include "TridentClustering_Labels.hpp"
#include "TridentClustering_PairText.hpp"
#include "TridentClustering_Weights.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Clustering {

/// The names of a rank's nodes: labels, or their numbers in the file.
struct NodeNames {
  bool labelled = false;
  LabelList labels;              ///< one for each row of this rank, where labelled
  std::int64_t firstNumber = 0;  ///< number of this rank's first row in the file, if not labelled

  /// Appends the name of a row of this rank.
  void append(std::string& text, std::size_t row) const;
};

/// A graph from a file.
struct Graph {
  /// Row i lists the neighbours of node i and their weights. Uniform contiguous Maps.
  Teuchos::RCP<matrix_type> matrix;
  NodeNames names;
  bool isMclMatrix = false;  ///< true if the file was a matrix of mcl
  std::int64_t edges = 0;    ///< entries off the diagonal; each edge of a symmetric graph is two
  bool likeEValues = false;  ///< true if weights look like E-values (WeightSpread)
  std::string warning;       ///< a sentence where it may not be what was meant, or empty
  std::string description;   ///< one line: what it was and its size
};

/// A file that has a graph, and how it is to be read.
struct GraphFile {
  std::string spec;
  bool labelledPairs = false;  ///< true if it has lines of labels
  PairLines lines;             ///< format of these lines
  bool mayBeEmpty = false;     ///< true if no line at all is a graph without nodes
};

/// Reads a graph; each rank its part. Where column j of a file lists the neighbours of node j, as
/// mcl says, the matrix is the transpose of the file's.
///
/// \param spec one of
///   - labelled pairs, where `labelledPairs`: LABEL LABEL [WEIGHT] a line (parsePair()), plain or
///     gzipped (.gz). Both ends are neighbours of each other; of several weights the largest
///     counts. Nodes are numbered in the order in which their labels appear in the file, as mcl
///     does.
///   - a Matrix Market file (.mtx, .mtx.gz), see readMatrix(); nodes are written from 1
///   - a matrix that mcl wrote as text (.gz where gzipped); nodes are written from 0
///   - a binary matrix of mcl, readMclBinary(); not gzipped and no pipe
///   - "-", standard input, or a pipe, with one of these texts, gzipped or not
///   - a generator, such as families:n=1000; nodes are written from 1
///
/// Collective. Throws MatrixError on every rank, with the file, the line, and what is wrong.
/// \param rule of the weights of pairs and of mcl's matrices
Graph readGraph(const GraphFile& file, const Teuchos::RCP<const comm_type>& comm,
                const WeightRule& rule = asWritten());
Graph readGraph(const std::string& spec, bool labelledPairs,
                const Teuchos::RCP<const comm_type>& comm, const WeightRule& rule = asWritten());

}  // namespace Clustering
}  // namespace Trident

#endif
