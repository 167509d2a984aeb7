// SPDX-License-Identifier: BSD-3-Clause
// Rows of at most two ascending sequences are found and merged; devices sort them so, and hosts
// can.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_TwoSequences.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;

using Row = std::vector<std::pair<int, double>>;

/// Draws a row of so many ascending sequences, or of fewer if it is short; columns differ.
Row rowOfSequences(std::mt19937_64& random, int columns, int sequences) {
  std::vector<int> all(columns);
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(random() % (columns + 1));
  std::vector<std::size_t> begin{0, all.size()};
  for (int n = 1; n < sequences; ++n) begin.push_back(random() % (all.size() + 1));
  std::sort(begin.begin(), begin.end());
  for (std::size_t n = 1; n < begin.size(); ++n)
    std::sort(all.begin() + begin[n - 1], all.begin() + begin[n]);
  Row row;
  for (int column : all) row.emplace_back(column, 1.0 + column);
  return row;
}

int runsOf(const Row& row) {
  int sequences = 1;
  for (std::size_t e = 1; e < row.size(); ++e) sequences += row[e - 1].first >= row[e].first;
  return sequences;
}

HostMatrix<double> rowsOfSequences(std::mt19937_64& random, int rows, int columns, int sequences) {
  HostMatrix<double> matrix(rows, columns);
  for (auto& row : matrix.rows) row = rowOfSequences(random, columns, sequences);
  return matrix;
}

TEUCHOS_UNIT_TEST(TwoSequences, AreFoundAndMerged) {
  std::mt19937_64 random(71);
  int wrong = 0;
  for (int n = 0; n < 200; ++n) {
    const int columns = n % 3 == 0 ? 5 : 90;
    auto host = rowsOfSequences(random, n % 40, columns, 1 + n % 3);
    int most = 1;
    for (const auto& row : host.rows) most = std::max(most, runsOf(row));
    const auto matrix = host.onDevice();
    const AscendingSequences<double, Device> sequences(matrix);
    wrong += sequences.ascend() != (most == 1);
    wrong += sequences.areTwo() != (most <= 2);
    if (!sequences.areTwo()) continue;
    sequences.merge();
    Kokkos::fence();
    for (auto& row : host.rows) std::sort(row.begin(), row.end());
    wrong += fromDevice<double>(matrix).rows != host.rows;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(TwoSequences, EntriesOfOneColumnKeepTheirOrder) {
  HostMatrix<double> host(1, 9);
  host.rows[0] = {{2, 1.0}, {5, 2.0}, {8, 3.0}, {2, 4.0}, {5, 5.0}, {7, 6.0}};
  const auto matrix = host.onDevice();
  const AscendingSequences<double, Device> sequences(matrix);
  TEST_ASSERT(sequences.areTwo() && !sequences.ascend());
  sequences.merge();
  Kokkos::fence();
  const Row expected{{2, 1.0}, {2, 4.0}, {5, 2.0}, {5, 5.0}, {7, 6.0}, {8, 3.0}};
  TEST_ASSERT(fromDevice<double>(matrix).rows[0] == expected);
}

}  // namespace
}  // namespace Trident::Impl
