// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_PERMUTE_HPP
#define TRIDENTPROBLEMS_PERMUTE_HPP

#include <cstdint>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

/// Renumbers the rows and the columns of a matrix at random, so that any structure becomes uniform.
/// A dimension's new numbers depend on its size and the seed alone. So matrices that fit each other
/// still do, transposed or not, and the permuted matrix is the same on any number of ranks.
///
/// Collective. Throws MatrixError on every rank where one runs out of memory.
/// @param A on a uniform contiguous row Map, as of readMatrix() and restriction()
/// @return a matrix on A's Maps
Teuchos::RCP<matrix_type> permuted(const matrix_type& A, std::uint64_t seed);

}  // namespace Problems
}  // namespace Trident

#endif
