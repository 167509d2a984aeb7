// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_CHECKPOINTBODY_HPP
#define TRIDENTCLUSTERING_CHECKPOINTBODY_HPP

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

template <class T>
using HostWords = Kokkos::View<T*, Kokkos::HostSpace>;

template <class T>
HostWords<T> hostWords(std::int64_t size) {
  return HostWords<T>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "checkpoint"),
                      static_cast<std::size_t>(size));
}

/// A rank's rows as they lie in a checkpoint.
struct CheckpointBody {
  HostWords<std::int64_t> offsets;  ///< rows + 1; of the file's entries
  HostWords<std::int64_t> columns;  ///< global indices
  HostWords<double> values;

  /// Moves the offsets to where this rank's first entry lies in the file.
  void shift(std::int64_t firstEntry);
};

/// Returns the rows of a matrix, offsets from 0. Local; takes memory on the host.
CheckpointBody bodyOf(const matrix_type& matrix);

/// Returns the sum of hashes of all entries, each with its row and its place in the file: so it is
/// the sum over ranks of theirs, whoever has which rows. Local. \param firstRow global
std::uint64_t digestOf(const CheckpointBody& body, std::int64_t firstRow);

}  // namespace Clustering
}  // namespace Trident

#endif
