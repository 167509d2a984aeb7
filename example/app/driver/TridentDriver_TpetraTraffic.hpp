// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_TPETRATRAFFIC_HPP
#define TRIDENTDRIVER_TPETRATRAFFIC_HPP

#include <vector>

#include "TridentProblems_Types.hpp"
#include "Trident_Report.hpp"

namespace Trident {
namespace Driver {

using namespace Problems;

/// Returns the bytes of a row of this length as Tpetra's row transfer packs it. It sends beforehand
/// how many bytes the row has. Then, unless it is empty, it sends its length, global columns, their
/// owners and values (Tpetra_Details_packCrsMatrix_def.hpp).
inline long long packedRowBytes(long long length) {
  constexpr long long rowBytes = sizeof(local_ordinal_type), sizeBytes = sizeof(std::size_t);
  constexpr long long entryBytes = sizeof(global_ordinal_type) + sizeof(int) + sizeof(scalar_type);
  return sizeBytes + (length > 0 ? rowBytes + entryBytes * length : 0);
}

/// Counts the data that Tpetra::MatrixMatrix::Multiply receives on this rank for A·B: the rows of B
/// that A's columns name and other ranks own, as its row transfer packs them. It counts by where
/// the owner sits, as Trident does. What sets transfers up (the Imports that it makes, and that C
/// gets) is not in it. If B is transposed for it, give B's transpose; the transposition is not in
/// it either. A transposed A travels in another way, which this does not know. Collective.
/// @param nodes the node of each rank of A's communicator, as nodesOfRanks() returns it
Traffic tpetraTraffic(const matrix_type& A, const matrix_type& B, const std::vector<int>& nodes);

}  // namespace Driver
}  // namespace Trident

#endif
