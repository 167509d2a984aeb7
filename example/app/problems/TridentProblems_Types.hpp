// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_TYPES_HPP
#define TRIDENTPROBLEMS_TYPES_HPP

#include <Kokkos_Core.hpp>
#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Map.hpp>
#include <cstddef>
#include <stdexcept>

/// \file TridentProblems_Types.hpp
/// The Tpetra types of these matrices: Tpetra's defaults.

namespace Trident {
/// The matrices of driver, tests and benchmarks: files, generators, aggregation, comparison.
namespace Problems {

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using scalar_type = matrix_type::scalar_type;
using local_ordinal_type = matrix_type::local_ordinal_type;
using global_ordinal_type = matrix_type::global_ordinal_type;
using comm_type = Teuchos::Comm<int>;

/// A loop over rows or entries of these matrices, where they lie.
using matrix_range =
    Kokkos::RangePolicy<matrix_type::execution_space, Kokkos::IndexType<long long>>;

/// Returns true if loops over these matrices run on a device, or they lie where hosts cannot read.
constexpr bool matricesOnDevice =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                matrix_type::device_type::memory_space>::accessible ||
    !Kokkos::SpaceAccessibility<matrix_type::execution_space, Kokkos::HostSpace>::accessible;

/// The exception of everything in Trident::Problems, thrown on every rank of the communicator.
using MatrixError = std::runtime_error;

namespace Details {
template <class Map>
auto numLocalElements(const Map& map, int) -> decltype(map.getLocalNumElements()) {
  return map.getLocalNumElements();
}
template <class Map>
auto numLocalElements(const Map& map, long) -> decltype(map.getNodeNumElements()) {
  return map.getNodeNumElements();
}
}  // namespace Details

/// Counts the elements of `map` on this rank, whatever this Trilinos calls the accessor.
inline std::size_t numLocalElements(const map_type& map) {
  return Details::numLocalElements(map, 0);
}

}  // namespace Problems
}  // namespace Trident

#endif
