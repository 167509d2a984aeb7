// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GLOBALCONSTANTS_HPP
#define TRIDENT_GLOBALCONSTANTS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Tpetra_CrsMatrix.hpp>

namespace Trident::Impl {

/// fillComplete() of an open matrix whose pattern and Maps stay, without global constants. Local.
template <class Matrix>
void fillCompleteHere(Matrix& C) {
  const auto params = Teuchos::parameterList();
  params->set("No Nonlocal Changes", true);
  params->set("compute global constants", false);
  C.fillComplete(C.getDomainMap(), C.getRangeMap(), params);
}

/// Finds the global constants of a fill-complete matrix's graph, which may be a constant one.
/// Collective.
template <class Matrix>
void computeGlobalConstants(const Matrix& matrix) {
  using graph_type = typename Matrix::crs_graph_type;
  const_cast<graph_type&>(*matrix.getCrsGraph()).computeGlobalConstants();
}

/// Finds the local constants of a fill-complete matrix's graph, which 13.2 leaves out where a
/// matrix is constructed without global ones. Local.
template <class Matrix>
void computeLocalConstants(const Matrix& matrix) {
  using graph_type = typename Matrix::crs_graph_type;
  struct Access : graph_type {
    using graph_type::computeLocalConstants;
  };
  (const_cast<graph_type&>(*matrix.getCrsGraph()).*(&Access::computeLocalConstants))();
}

/// The global constants of a fill-complete matrix's graph: taken from it, or found otherwise.
template <class Matrix>
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
  /// Gives them to the graph of a fill-complete matrix, which may be a constant one, in the place
  /// of Tpetra's two reductions. Local.
  void restore(const Matrix& matrix) const {
    if (!known_) return;
    computeLocalConstants(matrix);
    Access::set(const_cast<graph_type&>(*matrix.getCrsGraph()), entries_, longestRow_);
  }

 private:
  using graph_type = typename Matrix::crs_graph_type;
  struct Access : graph_type {
    static void set(graph_type& graph, Tpetra::global_size_t entries,
                    Tpetra::global_size_t longestRow) {
      graph.*(&Access::globalNumEntries_) = entries;
      graph.*(&Access::globalMaxNumRowEntries_) = longestRow;
      graph.*(&Access::haveGlobalConstants_) = true;
    }
  };

  bool known_ = false;
  Tpetra::global_size_t entries_ = 0, longestRow_ = 0;
};

}  // namespace Trident::Impl

#endif
