// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTLARGE_HPP
#define TRIDENT_TESTLARGE_HPP

#include <functional>
#include <vector>

#include "Trident_TestMatrices.hpp"

/// \file Trident_TestLarge.hpp
/// Square matrices too large for every rank to know whole, on uniform Maps.

namespace TridentTest {

/// Makes rows of whose columns `columnsOf(row)` tells, all entries 1. Collective.
MatrixPtr makeRows(GO n, int perRow, const CommPtr& comm,
                   const std::function<std::vector<GO>(GO row)>& columnsOf);

/// Makes `degree` random columns in every row (fewer if two fall together).
MatrixPtr randomRows(GO n, int degree, int seed, const CommPtr& comm);

/// Makes diagonals at ±0..width.
MatrixPtr bandedRows(GO n, int width, const CommPtr& comm);

}  // namespace TridentTest

#endif
