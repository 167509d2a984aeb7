// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TOLDCOUNTS_HPP
#define TRIDENT_TOLDCOUNTS_HPP

#include <mpi.h>

#include <vector>

namespace Trident::Impl {

/// What each rank of `comm` tells this one. Of few ranks all tell all. Of many only those tell who
/// have something to say, so that a rank's messages do not grow with the ranks. Collective.
/// @param counts `each` numbers for every rank; memory of the order of the ranks, 8 bytes a number
/// @return numbers of every rank; zeros of those who say nothing
std::vector<long long> toldCounts(MPI_Comm comm, const std::vector<long long>& counts, int each);

/// The two ways. The second one is NBX of Hoefler, Siebert and Lumsdaine, "Scalable Communication
/// Protocols for Dynamic Sparse Data Exchange" (PPoPP 2010): a rank whose messages have arrived
/// enters a barrier, and receives until all are in it.
std::vector<long long> toldByAll(MPI_Comm comm, const std::vector<long long>& counts, int each);
std::vector<long long> toldBySome(MPI_Comm comm, const std::vector<long long>& counts, int each);

}  // namespace Trident::Impl

#endif
