// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_ROOMFORGRAPH_HPP
#define TRIDENTCLUSTERING_ROOMFORGRAPH_HPP

#include <cstdint>
#include <string>

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_TextInput.hpp"

/// \file TridentClustering_RoomForGraph.hpp
/// What the header of a file, or its size, says of the memory that its graph takes, before it is
/// read.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Throws MatrixError on every rank where ranks cannot hold their parts of so many nodes and
/// entries, as they are read. Collective. \param name of the file
void requireRoomForGraph(const std::string& name, std::int64_t nodes, std::int64_t entries,
                         const Comm& comm);

/// Throws MatrixError on every rank where ranks cannot hold their parts of a plain file of labelled
/// pairs, a line each, as they are read: not by a factor of 1.5, since lines are estimated. Files
/// of less than a megabyte pass. Collective. \param bytesOfPair that a rank takes for each
void requireRoomForPairs(const TextInput& input, double bytesOfPair, const Comm& comm);

/// Reads the header of a Matrix Market file ahead. Returns one without rows where it is longer than
/// a megabyte, or none: who reads the file will say so. Entries are no more than the bytes of the
/// file can hold, as a header may promise any number. Local: rank 0.
MatrixMarketHeader headerAhead(TextInput& input);

}  // namespace Clustering
}  // namespace Trident

#endif
