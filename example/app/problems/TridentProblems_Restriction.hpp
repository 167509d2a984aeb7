// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_RESTRICTION_HPP
#define TRIDENTPROBLEMS_RESTRICTION_HPP

#include <cstdint>
#include <vector>

#include "TridentProblems_Graph.hpp"

namespace Trident {
namespace Problems {

/// Finds a distance-2 maximal independent set of the graph: no two members are adjacent or have a
/// common neighbour, and every vertex has a member within two edges. It is found by Luby's rounds,
/// with priorities hashed from (seed, vertex), and is equal on any number of ranks. Collective.
/// \return for each own vertex, whether it is a member
std::vector<char> mis2(const Graph& graph, std::uint64_t seed, const Comm& comm);

/// Makes a piecewise constant restriction operator from aggregates around an MIS-2 of the graph of
/// A + A^T (diagonal ignored).
///
/// Collective. Members of the MIS-2 are roots; their neighbours join them; every other vertex joins
/// the aggregate of its neighbour of highest priority (then highest index) that has one. A vertex
/// without neighbours is an aggregate of its own.
/// \return n x (number of aggregates), each row one entry 1, in the column of its aggregate: the
///   shape of a tentative prolongator. Row and range Map: A's row Map. Domain Map: contiguous,
///   each rank owning the aggregates of its roots (perhaps none), numbered in the order of its
///   roots: where A's row Map is contiguous, the same matrix on any number of ranks.
/// Throws MatrixError on every rank where A is not fill-complete, not square, or has a column that
/// is no row.
Teuchos::RCP<matrix_type> restriction(const matrix_type& A, std::uint64_t seed);

}  // namespace Problems
}  // namespace Trident

#endif
