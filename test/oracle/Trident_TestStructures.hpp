// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTSTRUCTURES_HPP
#define TRIDENT_TESTSTRUCTURES_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include "Trident_TestMatrices.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

/// \file Trident_TestStructures.hpp
/// Structures that change behind what was kept of them, and a count of how often they are read.

namespace TridentTest {

/// Counts the graphs that Trident reads while it lives.
class GraphsRead {
 public:
  GraphsRead() {
    count() = 0;
    Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(note);
  }
  ~GraphsRead() { Kokkos::Tools::Experimental::set_begin_parallel_reduce_callback(nullptr); }
  GraphsRead(const GraphsRead&) = delete;
  GraphsRead& operator=(const GraphsRead&) = delete;

  int soFar() const { return count(); }

 private:
  static int& count() {
    static int graphs = 0;
    return graphs;
  }
  static void note(const char* label, std::uint32_t, std::uint64_t*) {
    count() += label == std::string("Trident::fingerprintColumns");
  }
};

/// A square matrix on a constant graph, which its owner changes: storage is full and not optimized,
/// so that all arrays stay where they are.
class ChangingMatrix {
  using graph_type = matrix_type::crs_graph_type;

 public:
  /// @param a rows of equal length
  ChangingMatrix(const Sparse& a, const CommPtr& comm)
      : map_(Teuchos::rcp(new map_type(a.numRows(), 0, comm))) {
    Teuchos::Array<GO> columns(Trident::Impl::localGids(*map_));
    for (GO c = 0; c < a.cols; ++c)
      if (!map_->isNodeGlobalElement(c)) columns.push_back(c);
    const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    const MapPtr columnMap = Teuchos::rcp(new map_type(any, columns(), 0, comm));
    graph_ = Teuchos::rcp(new graph_type(map_, columnMap, a.rows[0].size()));
    for (const GO gid : Trident::Impl::localGids(*map_)) {
      Teuchos::Array<LO> row;
      for (const auto& entry : a.rows[gid]) row.push_back(columnMap->getLocalElement(entry.first));
      graph_->insertLocalIndices(map_->getLocalElement(gid), row());
    }
    complete();
    matrix = Teuchos::rcp(new matrix_type(graph_));
    for (const GO gid : Trident::Impl::localGids(*map_))
      for (const auto& entry : a.rows[gid])
        matrix->replaceGlobalValues(gid, Teuchos::tuple<GO>(entry.first)(),
                                    Teuchos::tuple(entry.second)());
    matrix->fillComplete(map_, map_);
  }

  /// Moves an entry of the last rank's first row by some columns. Collective.
  void moveEntry(int by) {
    graph_->resumeFill();
    if (map_->getComm()->getRank() == map_->getComm()->getSize() - 1) {
      const auto local = matrix->getLocalMatrixHost().graph;
      Teuchos::Array<LO> row;
      for (auto e = local.row_map(0); e < local.row_map(1); ++e) row.push_back(local.entries(e));
      row.back() += by;
      graph_->removeLocalIndices(0);
      graph_->insertLocalIndices(0, row());
    }
    complete();
  }

  MatrixPtr matrix;

 private:
  void complete() {
    const auto params = Teuchos::parameterList();
    params->set("Optimize Storage", false);
    graph_->fillComplete(map_, map_, params);
  }

  MapPtr map_;
  Teuchos::RCP<graph_type> graph_;
};

}  // namespace TridentTest

#endif
