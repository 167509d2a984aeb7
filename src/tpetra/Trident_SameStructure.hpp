// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMESTRUCTURE_HPP
#define TRIDENT_SAMESTRUCTURE_HPP

#include <string>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Error.hpp"
#include "Trident_SumEverywhere.hpp"
#include "Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {

/// Whether two local matrices have the same rows and columns, in the same order. Local.
template <class Graph>
bool sameEntries(const Graph& a, const Graph& b) {
  using Device = typename Graph::device_type;
  if (a.row_map.data() == b.row_map.data() && a.entries.data() == b.entries.data()) return true;
  if (a.numRows() != b.numRows() || a.entries.extent(0) != b.entries.extent(0)) return false;
  const auto offsetsA = a.row_map, offsetsB = b.row_map;
  const auto columnsA = a.entries, columnsB = b.entries;
  long long rows = 0, entries = 0;
  Kokkos::parallel_reduce(
      "Trident::compareRows", Range<Device>(0, a.numRows()),
      KOKKOS_LAMBDA(long long r, long long& sum) { sum += offsetsA(r + 1) != offsetsB(r + 1); },
      rows);
  Kokkos::parallel_reduce(
      "Trident::compareEntries", Range<Device>(0, columnsA.extent(0)),
      KOKKOS_LAMBDA(long long e, long long& sum) { sum += columnsA(e) != columnsB(e); }, entries);
  return rows == 0 && entries == 0;
}

template <class Graph>
bool sameMaps(const Graph& a, const Graph& b) {
  // Each comparison is collective, so all ranks make the next one or none does.
  return a.getRowMap()->isSameAs(*b.getRowMap()) && a.getColMap()->isSameAs(*b.getColMap()) &&
         a.getDomainMap()->isSameAs(*b.getDomainMap());
}

}  // namespace Impl

/// A matrix, the fill-complete graph it was planned with, and its name, for messages.
template <class Matrix>
struct PlannedMatrix {
  const Matrix& matrix;
  const typename Matrix::crs_graph_type& planned;
  std::string name;
};

/// Throws Trident::Error on every rank where one of the matrices has not its planned structure.
/// Collective over `comm`, theirs: one reduction where all have the very graphs that were planned.
template <class Matrix>
void requireStructures(MPI_Comm comm, const std::string& function,
                       const std::vector<PlannedMatrix<Matrix>>& all) {
  std::vector<long long> another;
  LocalFailure failure;
  failure.guard([&] {
    for (const auto& one : all)
      if (!one.matrix.isFillComplete())
        throw Error(function, one.name +
                                  " is not fill-complete; call fillComplete() after its values "
                                  "are set");
  });
  for (const auto& one : all) another.push_back(one.matrix.getCrsGraph().get() != &one.planned);
  sumEverywhere(comm, function, another, failure);
  const std::string remedy = "; make a new plan for factors of another structure";
  const auto requireEverywhere = [&](bool fine, const std::string& problem) {
    throwEverywhere(comm, function, fine ? "" : problem + remedy);
  };
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (another[m] == 0) continue;
    const auto& graph = *all[m].matrix.getCrsGraph();
    const auto& planned = all[m].planned;
    requireEverywhere(Impl::sameMaps(graph, planned),
                      all[m].name + " has other row, column or domain Maps than the planned one");
    requireEverywhere(Impl::sameEntries(graph.getLocalGraphDevice(), planned.getLocalGraphDevice()),
                      all[m].name + " has other entries than the planned one");
  }
}

}  // namespace Trident

#endif
