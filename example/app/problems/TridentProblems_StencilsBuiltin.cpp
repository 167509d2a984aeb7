// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>

#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Generators.hpp"

namespace Trident {
namespace Problems {

namespace {

/// A stencil: all neighbours in a cube of 3^dimensions points, or only those along the axes.
struct Stencil {
  int dimensions;
  bool wholeCube;
  bool contains(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return wholeCube || std::abs(x) + std::abs(y) + std::abs(z) <= 1;
  }
  scalar_type diagonal() const { return !wholeCube ? 2 * dimensions : dimensions == 3 ? 26 : 8; }
};

void appendRow(const Stencil& stencil, std::int64_t side, std::int64_t row, LocalRows& rows) {
  const std::int64_t x = row % side, y = row / side % side, z = row / side / side;
  const std::int64_t depth = stencil.dimensions == 3 ? side : 1;
  for (std::int64_t k = -1; k <= 1; ++k)
    for (std::int64_t j = -1; j <= 1; ++j)
      for (std::int64_t i = -1; i <= 1; ++i) {
        const bool inside =
            x + i >= 0 && x + i < side && y + j >= 0 && y + j < side && z + k >= 0 && z + k < depth;
        if (!inside || !stencil.contains(i, j, k)) continue;
        const std::int64_t column = row + i + side * (j + side * k);
        rows.append(static_cast<global_ordinal_type>(column),
                    column == row ? stencil.diagonal() : scalar_type(-1));
      }
  rows.endRow();
}

}  // namespace

Teuchos::RCP<matrix_type> stencilMatrix(const std::string& name, std::int64_t side,
                                        const Teuchos::RCP<const map_type>& map) {
  const Stencil stencil{name == "laplace2d" || name == "brick2d" ? 2 : 3,
                        name == "brick2d" || name == "brick3d"};
  const Comm comm(*map->getComm());
  LocalRows rows;
  collectively(comm, [&] {
    const std::size_t count = numLocalElements(*map);
    const std::int64_t begin = count > 0 ? map->getMinGlobalIndex() : 0;
    for (std::size_t i = 0; i < count; ++i)
      appendRow(stencil, side, begin + static_cast<std::int64_t>(i), rows);
  });
  return matrixFromRows(std::move(rows), map, map);
}

}  // namespace Problems
}  // namespace Trident
