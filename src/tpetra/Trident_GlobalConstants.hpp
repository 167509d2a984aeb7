// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GLOBALCONSTANTS_HPP
#define TRIDENT_GLOBALCONSTANTS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_CrsMatrix.hpp>

#include "Trident_config.hpp"

#if TRIDENT_HAVE_GRAPH_ACCESS
#include "tpetra/Trident_GraphAccess.hpp"
#endif

namespace Trident::Impl {

/// Completes an open matrix. Pattern and Maps stay. Computes no global constants. Collective if
/// Tpetra must compare two Map objects, else local.
template <class Matrix>
void fillCompleteHere(Matrix& C) {
  const auto params = Teuchos::parameterList();
  params->set("No Nonlocal Changes", true);
  params->set("compute global constants", false);
  C.fillComplete(C.getDomainMap(), C.getRangeMap(), params);
}

/// Computes global constants of a fill-complete matrix, even if its graph is constant. Collective.
template <class Matrix>
void computeGlobalConstants(const Matrix& matrix) {
  using graph_type = typename Matrix::crs_graph_type;
  const_cast<graph_type&>(*matrix.getCrsGraph()).computeGlobalConstants();
}

/// A substitute for GraphAccess that uses only Tpetra's public functions. For a Tpetra without the
/// members that GraphAccess uses.
template <class Matrix>
struct GraphReductions {
  /// True if computeLocal() may call a reduction, which all ranks must join.
  static constexpr bool localReduces = true;
  /// Computes the local constants. The matrix must have a graph of its own. Collective like
  /// fillCompleteHere().
  static void computeLocal(Matrix& matrix) {
    matrix.resumeFill();
    fillCompleteHere(matrix);
  }
  /// Computes all constants, and ignores the given ones. Collective: two reductions.
  static void setGlobal(Matrix& matrix, Tpetra::global_size_t, Tpetra::global_size_t) {
    computeGlobalConstants(matrix);
  }
  /// Returns false, because Tpetra has no public function that finds contributions to other ranks.
  static bool hasContributionsElsewhere(const Matrix&) { return false; }
};

#if TRIDENT_HAVE_GRAPH_ACCESS
template <class Matrix>
using GraphConstants = GraphAccess<Matrix>;
#else
template <class Matrix>
using GraphConstants = GraphReductions<Matrix>;
#endif

/// Global constants for restore(): those of a fill-complete matrix, or given ones.
/// @tparam Access class that sets a graph's constants: GraphAccess or GraphReductions
template <class Matrix, class Access = GraphConstants<Matrix>>
class GlobalConstants {
 public:
  explicit GlobalConstants(const Matrix& matrix) {
    const auto& graph = *matrix.getCrsGraph();
    known_ = graph.haveGlobalConstants();
    if (!known_) return;
    entries_ = graph.getGlobalNumEntries();
    longestRow_ = graph.getGlobalMaxNumRowEntries();
  }
  GlobalConstants(Tpetra::global_size_t entries, Tpetra::global_size_t longestRow)
      : known_(true), entries_(entries), longestRow_(longestRow) {}

  bool known() const { return known_; }
  /// Sets the global constants of a fill-complete matrix if they are known(), even if the matrix's
  /// graph is constant. Collective; with GraphAccess local.
  void restore(Matrix& matrix) const {
    if (known_) Access::setGlobal(matrix, entries_, longestRow_);
  }

 private:
  bool known_ = false;
  Tpetra::global_size_t entries_ = 0, longestRow_ = 0;
};

}  // namespace Trident::Impl

#endif
