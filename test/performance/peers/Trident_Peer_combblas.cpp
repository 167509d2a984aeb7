// SPDX-License-Identifier: BSD-3-Clause
// C = A·A by CombBLAS: sparse SUMMA on a square grid of ranks, timed as `measure peers`
// times Trident's driver. A is on that grid already, and C stays there.
#include <CombBLAS/CombBLAS.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>

#include "Peers_Rows.hpp"

namespace {

using Local = combblas::SpDCCols<std::int64_t, double>;
using Matrix = combblas::SpParMat<std::int64_t, double, Local>;
using PlusTimes = combblas::PlusTimesSRing<double, double>;

/// CombBLAS cuts both dimensions into `side` blocks of size / side; the last has the rest.
struct Blocks {
  std::int64_t size, side;
  std::int64_t first(std::int64_t block) const { return block * (size / side); }
  std::int64_t of(std::int64_t index) const {
    return size < side ? side - 1 : std::min(index / (size / side), side - 1);
  }
};

/// Hands each rank's entries to the owners of their blocks, with numbers inside these.
void fill(Matrix& A, const Peers::Rows& rows, combblas::CommGrid& grid, const Blocks& blocks) {
  using Entry = std::tuple<std::int64_t, std::int64_t, double>;
  std::vector<std::vector<Entry>> of(static_cast<std::size_t>(grid.GetSize()));
  for (long long i = 0; i < rows.size; ++i) {
    const std::int64_t row = rows.first + i, rowBlock = blocks.of(row);
    for (int e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
      const std::int64_t column = rows.columns[e], columnBlock = blocks.of(column);
      const int owner = grid.GetRank(static_cast<int>(rowBlock), static_cast<int>(columnBlock));
      of[owner].emplace_back(row - blocks.first(rowBlock), column - blocks.first(columnBlock),
                             rows.values[e]);
    }
  }
  A.SparseCommon(of, static_cast<std::int64_t>(rows.columns.size()), rows.matrixSize,
                 rows.matrixSize, std::plus<double>());
}

Peers::Checksum checksum(Matrix& C, combblas::CommGrid& grid, const Blocks& blocks) {
  Peers::Checksum sums;
  const std::int64_t firstRow = blocks.first(grid.GetRankInProcCol());
  const std::int64_t firstColumn = blocks.first(grid.GetRankInProcRow());
  Local& local = C.seq();
  for (auto column = local.begcol(); column != local.endcol(); ++column)
    for (auto entry = local.begnz(column); entry != local.endnz(column); ++entry)
      sums.add(firstRow + entry.rowid(), firstColumn + column.colid(), entry.value());
  return sums;
}

Peers::Result measure(const Peers::CommandLine& line, const Peers::Problem& problem) {
  if (line.galerkin) throw std::runtime_error("CombBLAS is measured with A·A alone");
  Peers::requireWay(line, {});
  const Peers::Rows& rows = problem.A;
  int ranks = 1, side = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  while (side * side < ranks) ++side;
  if (side * side != ranks) throw std::runtime_error("CombBLAS needs a square number of ranks");
  const auto grid = std::make_shared<combblas::CommGrid>(MPI_COMM_WORLD, side, side);
  const Blocks blocks{rows.matrixSize, side};
  Matrix A(grid);
  fill(A, rows, *grid, blocks);
  std::unique_ptr<Matrix> B, C;
  const auto prepare = [&] {
    C.reset();
    B = std::make_unique<Matrix>(A);  // a copy: the product takes its two factors apart
  };
  const auto multiply = [&] {
    C = std::make_unique<Matrix>(combblas::Mult_AnXBn_Synch<PlusTimes, double, Local>(A, *B));
  };
  Peers::Result result;
  Peers::timeEach(line.warmup, prepare, multiply);
  result.seconds = Peers::timeEach(line.repeat, prepare, multiply);
  result.checksum = checksum(*C, *grid, blocks);
  return result;
}

}  // namespace

int main(int argc, char* argv[]) { return Peers::main(argc, argv, "combblas", measure); }
