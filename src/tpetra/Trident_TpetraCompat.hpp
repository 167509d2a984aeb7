// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TPETRACOMPAT_HPP
#define TRIDENT_TPETRACOMPAT_HPP

#include <Teuchos_Comm.hpp>
#include <Teuchos_DefaultMpiComm.hpp>
#include <Teuchos_DefaultSerialComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <cstddef>

#include "Trident_Error.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The few names that Tpetra changed between Trilinos 13.2 and 17, probed by SFINAE.
namespace Compat {

template <class Object>
auto localElements(const Object& map, int) -> decltype(map.getLocalNumElements()) {
  return map.getLocalNumElements();
}
template <class Object>
auto localElements(const Object& map, long) -> decltype(map.getNodeNumElements()) {
  return map.getNodeNumElements();
}
template <class Object>
auto localEntries(const Object& matrix, int) -> decltype(matrix.getLocalNumEntries()) {
  return matrix.getLocalNumEntries();
}
template <class Object>
auto localEntries(const Object& matrix, long) -> decltype(matrix.getNodeNumEntries()) {
  return matrix.getNodeNumEntries();
}
template <class Object>
auto longestLocalRow(const Object& matrix, int) -> decltype(matrix.getLocalMaxNumRowEntries()) {
  return matrix.getLocalMaxNumRowEntries();
}
template <class Object>
auto longestLocalRow(const Object& matrix, long) -> decltype(matrix.getNodeMaxNumRowEntries()) {
  return matrix.getNodeMaxNumRowEntries();
}
template <class Object>
auto elementList(const Object& map, int) -> decltype(map.getLocalElementList()) {
  return map.getLocalElementList();
}
template <class Object>
auto elementList(const Object& map, long) -> decltype(map.getNodeElementList()) {
  return map.getNodeElementList();
}

}  // namespace Compat

/// Returns the number of a Map's indices on this rank.
template <class Map>
std::size_t localSize(const Map& map) {
  return Compat::localElements(map, 0);
}
/// Returns the number of a matrix's entries on this rank.
template <class Matrix>
std::size_t localEntries(const Matrix& matrix) {
  return Compat::localEntries(matrix, 0);
}
/// Returns the number of entries of the longest row of a fill-complete matrix on this rank.
template <class Matrix>
long long longestLocalRow(const Matrix& matrix) {
  return static_cast<long long>(Compat::longestLocalRow(matrix, 0));
}
/// Returns the global indices of a Map on this rank, on the host.
template <class Map>
auto localGids(const Map& map) {
  return Compat::elementList(map, 0);
}

/// The types that Trident derives from Tpetra's.
template <class SC, class LO, class GO, class NO>
struct TpetraTypes {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using map_type = Tpetra::Map<LO, GO, NO>;
  using import_type = Tpetra::Import<LO, GO, NO>;
  using export_type = Tpetra::Export<LO, GO, NO>;
  using scalar_type = typename crs_matrix_type::impl_scalar_type;
  using device_type = typename crs_matrix_type::device_type;
  using local_matrix_type = LocalMatrix<scalar_type, device_type>;
};

/// Returns the MPI communicator behind a Teuchos one; MPI_COMM_SELF for a serial one.
inline MPI_Comm rawComm(const Teuchos::Comm<int>& comm) {
  if (const auto* mpi = dynamic_cast<const Teuchos::MpiComm<int>*>(&comm))
    return *mpi->getRawMpiComm();
  if (dynamic_cast<const Teuchos::SerialComm<int>*>(&comm)) return MPI_COMM_SELF;
  throw Error(
      "the matrices' communicator is neither a Teuchos::MpiComm nor a "
      "Teuchos::SerialComm");
}

}  // namespace Trident::Impl

#endif
