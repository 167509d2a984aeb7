// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_ROOMFORPAIRS_HPP
#define TRIDENTCLUSTERING_ROOMFORPAIRS_HPP

#include "TridentProblems_Comm.hpp"
#include "TridentProblems_TextInput.hpp"

/// \file TridentClustering_RoomForPairs.hpp
/// An estimate of the memory that a file's pairs take, from its size, before it is read.

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Throws MatrixError on every rank where ranks cannot hold their parts of a plain file of labelled
/// pairs, a line each, as they are read: not by a factor of 1.5, since lines are estimated. Files
/// of less than a megabyte pass. Collective. \param bytesOfPair that a rank takes for each
void requireRoomForPairs(const TextInput& input, double bytesOfPair, const Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
