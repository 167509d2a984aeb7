// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAMESTRUCTURE_HPP
#define TRIDENT_SAMESTRUCTURE_HPP

#include <string>

#include "Trident_Agreement.hpp"
#include "Trident_MpiCheck.hpp"
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

/// Throws Trident::Error on every rank where the matrix has not the structure of `planned`, a
/// fill-complete graph. Collective over the matrix's communicator.
/// @param name of the matrix, for the message
template <class Matrix>
void requireStructure(const Matrix& matrix, const typename Matrix::crs_graph_type& planned,
                      const std::string& function, const std::string& name) {
  const MPI_Comm comm = rawComm(*planned.getComm());
  const auto requireEverywhere = [&](bool fine, const std::string& problem) {
    throwEverywhere(comm, function, fine ? "" : name + problem);
  };
  requireEverywhere(matrix.isFillComplete(),
                    " is not fill-complete; call fillComplete() after its values are set");
  int another = matrix.getCrsGraph().get() != &planned;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &another, 1, MPI_INT, MPI_MAX, comm));
  if (!another) return;
  const std::string remedy = "; make a new plan for factors of another structure";
  requireEverywhere(Impl::sameMaps(*matrix.getCrsGraph(), planned),
                    " has other row, column or domain Maps than the planned one" + remedy);
  requireEverywhere(
      Impl::sameEntries(matrix.getCrsGraph()->getLocalGraphDevice(), planned.getLocalGraphDevice()),
      " has other entries than the planned one" + remedy);
}

}  // namespace Trident

#endif
