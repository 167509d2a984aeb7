// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_CEILNEIGHBOURS_HPP
#define TRIDENTCLUSTERING_CEILNEIGHBOURS_HPP

#include <cstdint>
#include <vector>

#include "TridentProblems_Assemble.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Returns the weight from which on a row keeps its entries where it shall keep `most` of
/// `weights`, more than that, at most: the largest, and of equal ones all or none. As mcl finds it,
/// in floats.
/// \param weights of the row; their order is lost
double boundOfHighest(std::vector<float>& weights, std::size_t most);

/// Takes edges from nodes that have more than `most` neighbours, until none has (mcl's #ceilnb):
/// such nodes come in the order of their neighbours, most first, then of their numbers. Each keeps
/// its strongest edges, and those it drops leave the other end's row too, before that one's turn.
///
/// \param rows the uniform block of this rank; weights are floats. Entries that go become 0
/// Collective: nodes wait for those neighbours only that come before them, so that there are as
/// many rounds as the longest chain of neighbours in that order. Throws MatrixError on every rank
/// where one is out of memory.
void ceilNeighbours(LocalRows& rows, std::int64_t nodes, std::size_t most, const Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
