// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTPIECE_HPP
#define TRIDENT_PRODUCTPIECE_HPP

#include <functional>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Rows [begin, end) of a rank's slice of a product, rows sorted by column. The next piece may
/// overwrite them.
template <class Scalar, class Device>
struct ProductPiece {
  int begin, end;
  LocalMatrix<Scalar, Device> rows;
  std::size_t bytes;  ///< that its arrays take, with the room that they have for more
  /// The rows dealt to the ranks of the row line, for nearly equal work: the first row of each, and
  /// the end.
  std::vector<int> shares;
};

/// Takes the pieces of a product, in their order. It is called for the same rows on all ranks of a
/// row line, none of which has failed by then, and may communicate along that line. A failure of
/// its own goes into the LocalFailure, or is thrown where no other rank waits for it; the others
/// hear of it before the next piece. It returns false where the line is to go on no further, the
/// same on all of its ranks.
template <class Scalar, class Device>
using PieceConsumer =
    std::function<bool(const ProductPiece<Scalar, Device>& piece, LocalFailure& failure)>;

}  // namespace Trident::Impl

#endif
