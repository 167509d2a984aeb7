// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GRAPH_HPP
#define TRIDENTPROBLEMS_GRAPH_HPP

#include <Tpetra_Import.hpp>
#include <Tpetra_Vector.hpp>
#include <vector>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Problems {

/// The undirected graph of a square matrix: vertices are the rows, edges the entries off the
/// diagonal of A + A^T. A vertex lives where its row does; remote neighbours are numbered after
/// the own vertices.
class Graph {
 public:
  /// Collective. Throws MatrixError on every rank where `matrix` is not fill-complete, not square,
  /// or has a column that is no row.
  Graph(const matrix_type& matrix, const Comm& comm);

  std::size_t numVertices() const { return offsets_.size() - 1; }
  /// Returns the number of a vertex in the whole graph; also of remote neighbours.
  global_ordinal_type gid(std::size_t vertex) const { return gids_[vertex]; }

  /// Calls visit(neighbour) for each neighbour of an own vertex.
  template <class Visit>
  void forEachNeighbour(std::size_t vertex, const Visit& visit) const {
    for (std::size_t k = offsets_[vertex]; k < offsets_[vertex + 1]; ++k)
      visit(static_cast<std::size_t>(neighbours_[k]));
  }

  /// Sends one number for each own vertex, and returns one for each own vertex and remote
  /// neighbour. Collective, by a Tpetra Import.
  std::vector<global_ordinal_type> exchange(const std::vector<global_ordinal_type>& own) const;

 private:
  using vector_type = Tpetra::Vector<global_ordinal_type, local_ordinal_type, global_ordinal_type>;

  struct Edge {
    global_ordinal_type from, to;
    int owner;  ///< rank of `from`
  };
  std::vector<Edge> edgesOf(const matrix_type& matrix, const Comm& comm) const;
  void store(const std::vector<Edge>& edges, const map_type& rowMap);
  void makeExchange(const Teuchos::RCP<const map_type>& rowMap);

  std::vector<std::size_t> offsets_;
  std::vector<local_ordinal_type> neighbours_;
  std::vector<global_ordinal_type> gids_;
  Teuchos::RCP<const Tpetra::Import<local_ordinal_type, global_ordinal_type>> import_;
  Teuchos::RCP<vector_type> ownVector_, allVector_;
};

}  // namespace Problems
}  // namespace Trident

#endif
