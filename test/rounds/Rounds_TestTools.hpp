// SPDX-License-Identifier: BSD-3-Clause
// Matrices on a grid made from a function that every rank can evaluate, and back to dense ones.
#ifndef TRIDENT_ROUNDS_TESTTOOLS_HPP
#define TRIDENT_ROUNDS_TESTTOOLS_HPP

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Grid_TestTools.hpp"
#include "Trident_TestDense.hpp"
#include "Trident_TestRounds.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_Partition.hpp"
#include "matrix/Trident_Device.hpp"

namespace Trident::Impl {
namespace TestTools {

using Matrix = GridMatrix<double, Device>;
using Space = std::shared_ptr<const IndexSpace>;

/// Makes a grid of this shape over MPI_COMM_WORLD, all ranks taken as one host.
/// @param nodeSize ranks in a node of the machine, for a grid that is blind to it
inline std::shared_ptr<GridExchanges> makeExchanges(const GridShape& shape, int nodeSize = 1,
                                                    const ExchangeWrappers& wrappers = {}) {
  const bool blind = shape.order == RoundOrder::Summa;
  const NodeLayout nodes =
      layoutNodes(std::vector<int>(worldSize(), 0), blind ? nodeSize : shape.lambda);
  return std::make_shared<GridExchanges>(
      GridRanks(MPI_COMM_WORLD, blind ? flattened(nodes) : nodes), shape, wrappers);
}

/// Lists every grid of SUMMA that all ranks can form.
inline std::vector<GridShape> summaShapes() {
  std::vector<GridShape> shapes;
  for (const GridShape& shape : allShapes(worldSize(), 1))
    shapes.push_back(summaShape(shape.nodeRows, shape.nodeCols));
  return shapes;
}

/// Lists the kinds of exchange that a grid in this order can be asked for if MPI runs with
/// MPI_THREAD_MULTIPLE, as unit tests run it. Collective over all ranks.
inline std::vector<ExchangeKind> exchangesOn(const GridShape& shape) {
  std::vector<ExchangeKind> kinds{ExchangeKind::RequestQueue, ExchangeKind::Prefetch};
  if (shape.order == RoundOrder::Summa) kinds.push_back(ExchangeKind::Ring);
  if (!isHost<Device> && NcclCommunicator::whyNot(MPI_COMM_WORLD).empty())
    kinds.push_back(ExchangeKind::Nccl);
  return kinds;
}

inline std::string exchangeName(ExchangeKind kind) {
  const char* const names[] = {"auto", "request-queue", "prefetch", "ring", "nccl"};
  return names[static_cast<int>(kind)];
}

/// Cuts a space at random: some slices and whole segments are empty.
inline Space randomSpace(const GridShape& shape, Position size, std::mt19937_64& random) {
  return std::make_shared<IndexSpace>(shape,
                                      randomCuts(size, shape.segments() * shape.lambda, random));
}

inline Space uniformSpace(const GridShape& shape, Position size) {
  return std::make_shared<IndexSpace>(shape, uniformCuts(size, shape.segments() * shape.lambda));
}

/// A matrix as a function of (row, column): any rank can tell any entry.
struct Formula {
  std::uint64_t seed;
  int percent;  ///< share of places that are stored

  bool stored(Position r, Position c) const { return hashOf(seed, r, c) % 100 < unsigned(percent); }
  double value(Position r, Position c) const {
    return static_cast<double>(hashOf(seed + 1, r, c) % 7) - 3;  // small integers, some of them 0
  }
  Dense<double> full(Position rows, Position columns) const {
    Dense<double> all(static_cast<int>(rows), static_cast<int>(columns));
    for (int r = 0; r < all.rows; ++r)
      for (int c = 0; c < all.columns; ++c)
        if (stored(r, c)) all.add(r, c, value(r, c));
    return all;
  }
};

/// Lists the positions of the rows of rank (i, *, k), in the order of its local rows.
inline std::vector<Position> rowsOf(const IndexSpace& space, const GridCoordinates& me) {
  std::vector<Position> rows;
  for (int s = 0; s < space.shape().segments(); ++s)
    if (space.shape().tileRow(s) == me.i)
      for (Position x = space.sliceBegin(s, me.k); x < space.sliceBegin(s, me.k + 1); ++x)
        rows.push_back(x);
  return rows;
}

/// @param sorted true if rows are sorted; a GridMatrix need not be
template <class F>
Matrix makeMatrix(const std::shared_ptr<GridExchanges>& exchanges, const Space& rows,
                  const Space& columns, const F& formula, bool sorted = true) {
  const GridCoordinates me = exchanges->grid().me();
  const std::vector<Position> mine = rowsOf(*rows, me);
  const Position begin = columns->tileColBegin(me.j), end = columns->tileColBegin(me.j + 1);
  HostMatrix<double> local(static_cast<int>(mine.size()), static_cast<int>(end - begin));
  for (std::size_t r = 0; r < mine.size(); ++r) {
    auto& row = local.rows[r];
    for (Position c = begin; c < end; ++c)
      if (formula.stored(mine[r], c))
        row.emplace_back(static_cast<int>(c - begin), formula.value(mine[r], c));
    if (!sorted)
      for (std::size_t e = row.size(); e > 1; --e)
        std::swap(row[e - 1], row[hashOf(mine[r], e) % e]);
  }
  return Matrix(exchanges, rows, columns, local.onDevice());
}

/// Gathers the whole matrix on every rank. An entry that two ranks hold counts as stored twice.
inline Dense<double> gathered(const Matrix& matrix) {
  const GridCoordinates me = matrix.grid().me();
  const std::vector<Position> mine = rowsOf(*matrix.rows(), me);
  const int begin = static_cast<int>(matrix.columns()->tileColBegin(me.j));
  Dense<double> all(static_cast<int>(matrix.rows()->size()),
                    static_cast<int>(matrix.columns()->size()));
  const HostMatrix<double> local = fromDevice<double>(matrix.local());
  for (int r = 0; r < local.numRows(); ++r)
    for (const auto& entry : local.rows[r])
      all.add(static_cast<int>(mine.at(r)), begin + entry.first, entry.second);
  const int count = static_cast<int>(all.values.size());
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, all.values.data(), count, MPI_DOUBLE, MPI_SUM,
                                  matrix.grid().comm()));
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, all.stored.data(), count, MPI_LONG_LONG, MPI_SUM,
                                  matrix.grid().comm()));
  return all;
}

inline std::string describe(const RoundOptions& options) {
  const char* gathers[] = {"auto", "mpi", "shared", "nccl", "peer"};
  const char* fetches[] = {"auto", "tiles", "needed-rows"};
  return exchangeName(options.exchange) + " fetch " + fetches[static_cast<int>(options.fetch)] +
         " fuse " + std::to_string(options.fuseRounds) + " depth " +
         std::to_string(options.prefetchDepth) + " gather " +
         gathers[static_cast<int>(options.gather)] + " messages " +
         std::to_string(options.messageBytes);
}

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
