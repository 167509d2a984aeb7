// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRAPHACCESS_HPP
#define TRIDENT_GRAPHACCESS_HPP

// Tpetra's protected members may change in any release. So CMake tries to compile this header
// (cmake/TridentTpetraAccess.cmake). If that fails, Trident uses GraphReductions instead
// (Trident_GlobalConstants.hpp). The header includes nothing of Trident's.
#include <Tpetra_CrsMatrix.hpp>

namespace Trident::Impl {

/// Access to protected members of Tpetra's classes: constants of a fill-complete matrix's graph,
/// even of a constant graph, and contributions of an open matrix to rows of other ranks. Local.
template <class Matrix>
struct GraphAccess {
  /// True if computeLocal() may call a reduction.
  static constexpr bool localReduces = false;
  /// Computes the local constants, if there are none.
  static void computeLocal(Matrix& matrix) { Graph::computeLocal(graphOf(matrix)); }

  /// Sets all constants, without Tpetra's two reductions.
  /// @param entries sum of the ranks' entries
  /// @param longestRow number of entries of the longest row of all ranks
  static void setGlobal(Matrix& matrix, Tpetra::global_size_t entries,
                        Tpetra::global_size_t longestRow) {
    computeLocal(matrix);
    Graph::set(graphOf(matrix), entries, longestRow);
  }

  /// Returns true if an open matrix has contributions to rows of other ranks, which the next
  /// fillComplete() will send.
  static bool hasContributionsElsewhere(const Matrix& matrix) { return Open::hasAny(matrix); }

 private:
  using graph_type = typename Matrix::crs_graph_type;
  struct Graph : graph_type {
    static void computeLocal(graph_type& graph) { (graph.*(&Graph::computeLocalConstants))(); }
    static void set(graph_type& graph, Tpetra::global_size_t entries,
                    Tpetra::global_size_t longestRow) {
      graph.*(&Graph::globalNumEntries_) = entries;
      graph.*(&Graph::globalMaxNumRowEntries_) = longestRow;
      graph.*(&Graph::haveGlobalConstants_) = true;
    }
  };
  struct Open : Matrix {
    static bool hasAny(const Matrix& matrix) { return !(matrix.*(&Open::nonlocals_)).empty(); }
  };
  static graph_type& graphOf(Matrix& matrix) {
    return const_cast<graph_type&>(*matrix.getCrsGraph());
  }
};

}  // namespace Trident::Impl

#endif
