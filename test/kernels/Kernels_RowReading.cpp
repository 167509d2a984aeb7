// SPDX-License-Identifier: BSD-3-Clause
// A product whose left factor is read where it is stored: the same bits as of a copy, which lacks
// the zeros that are passed over.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "Kernels_HostRows.hpp"
#include "Trident_TestDense.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "matrix/Trident_CompleteDiagonal.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "matrix/Trident_WithoutZeros.hpp"

namespace Trident::Impl {
namespace {

using Rows = std::vector<std::vector<std::pair<int, double>>>;
using Reading = RowReading<double, Host>;
using Memory = ProductMemory<double, Host>;

template <class T>
Kokkos::View<T*, Host> viewOf(const std::vector<T>& numbers) {
  const auto view = uninitialized<T, Host>("numbers", numbers.size());
  std::copy(numbers.begin(), numbers.end(), view.data());
  return view;
}

/// A left factor as a rank stores it, and its copy with places for columns, in order.
struct LeftFactor {
  Matrix stored, copy;
  Reading reading;
};

/// The places of a rank's columns among the rows of the right factor.
struct Columns {
  int rows;             ///< count of the right factor's rows
  int begin, end;       ///< range of the rows on this rank
  std::vector<int> at;  ///< place of each column
  int own;              ///< count of the first columns, which follow each other
};

/// Draws the own rows from `first` on, then others in any order.
Columns someColumnsOf(std::mt19937_64& random, int rows, int begin, int end, int first) {
  Columns columns{rows, begin, end, {}, end - first};
  for (int place = first; place < end; ++place) columns.at.push_back(place);
  std::vector<int> others;
  for (int place = 0; place < rows; ++place)
    if ((place < first || place >= end) && random() % 3 == 0) others.push_back(place);
  std::shuffle(others.begin(), others.end(), random);
  columns.at.insert(columns.at.end(), others.begin(), others.end());
  return columns;
}

/// Draws rows of which most are plain; the others have any columns, in any order, each once.
Rows someLeftRows(std::mt19937_64& random, const Columns& columns, int count) {
  Rows rows(count);
  for (auto& row : rows) {
    const bool plain = columns.own > 0 && random() % 4 > 0;
    const int most = plain ? columns.own : static_cast<int>(columns.at.size());
    for (const int c : someColumns(random, std::max(most, 1), static_cast<int>(random() % 20)))
      if (c < most) row.emplace_back(c, someValue(random));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              row.end());
    if (!plain && random() % 2) std::shuffle(row.begin(), row.end(), random);
  }
  return rows;
}

/// Gives two in three rows the columns of the row before, mostly all of them.
Rows inBlocks(std::mt19937_64& random, Rows rows) {
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (random() % 3 == 0) continue;
    rows[r] = rows[r - 1];
    while (random() % 3 == 0 && rows[r].size() > 9)
      rows[r].erase(rows[r].begin() + static_cast<int>(random() % rows[r].size()));
    for (auto& entry : rows[r]) entry.second = someValue(random);
  }
  return rows;
}

/// @param jacobi true if the factor is I - ω D⁻¹ of what is stored; rows without entries get one
/// @param zeros one entry in so many is a zero, which the copy lacks but on a diagonal; 0: none
LeftFactor leftFactor(std::mt19937_64& random, const Columns& columns, Rows rows, bool jacobi,
                      int zeros = 0) {
  LeftFactor factor;
  for (auto& row : rows)
    for (auto& entry : row)
      if (zeros > 0 && random() % zeros == 0) entry.second = random() % 2 ? 0. : -0.;
  Rows copy = rows;
  std::vector<std::size_t> kept(rows.size(), notStored);
  if (jacobi) {
    std::vector<double> inverse;
    std::vector<std::size_t> diagonal;
    std::size_t begin = 0;
    factor.reading.minusOmega = -0.625;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].empty()) rows[r].emplace_back(0, someValue(random));
      copy[r] = rows[r];
      const std::size_t on = random() % rows[r].size();
      inverse.push_back(someValue(random));
      diagonal.push_back(begin + on);
      for (auto& entry : copy[r])
        entry.second = factor.reading.minusOmega * inverse[r] * entry.second;
      copy[r][on].second += 1.0;
      kept[r] = on;
      if (rows[r].size() == 1 && rows[r][on].second == 0) {
        inverse[r] = std::numeric_limits<double>::infinity();
        copy[r][on].second = 1;
      }
      begin += rows[r].size();
    }
    factor.reading.inverse = viewOf(inverse);
    factor.reading.diagonal = viewOf(diagonal);
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t e = rows[r].size(); e-- > 0;)
      if (rows[r][e].second == 0 && e != kept[r]) copy[r].erase(copy[r].begin() + e);
  for (auto& row : copy) {
    for (auto& entry : row) entry.first = columns.at[entry.first];
    std::sort(row.begin(), row.end());
  }
  factor.stored = matrixOf(rows, static_cast<int>(columns.at.size()));
  factor.copy = matrixOf(copy, columns.rows);
  factor.reading.columns = viewOf(columns.at);
  factor.reading.plain = findPlainRows(factor.stored, columns.own);
  factor.reading.zeros = findRowsWithZeros(factor.stored);
  return factor;
}

/// Makes the right factor as a rank has it: its own rows, and a tile that lacks those which only
/// plain rows meet.
Matrix setRight(LeftFactor& factor, const Columns& columns, Rows rows, int width) {
  const Rows own(rows.begin() + columns.begin, rows.begin() + columns.end);
  factor.reading.right = matrixOf(own, width);
  factor.reading.firstMet = columns.at.empty() ? 0 : columns.at[0] - columns.begin;
  std::vector<char> met(rows.size(), 0);
  for (int r = 0; r < factor.stored.numRows(); ++r)
    for (std::size_t e = factor.stored.graph.row_map(r); e < factor.stored.graph.row_map(r + 1);
         ++e)
      if (!factor.reading.plain(r)) met[columns.at[factor.stored.graph.entries(e)]] = 1;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!met[k]) rows[k].clear();
  return matrixOf(rows, width);
}

TEUCHOS_UNIT_TEST(RowReading, ProductsHaveTheBitsOfACopys) {
  std::mt19937_64 random(81);
  for (int n = 0; n < 120; ++n) {
    const int rows = 1 + static_cast<int>(random() % 900);
    const int begin = static_cast<int>(random() % rows);
    const int end = begin + static_cast<int>(random() % (rows - begin + 1));
    const int first = end > begin ? begin + static_cast<int>(random() % (end - begin)) : end;
    const Columns columns = someColumnsOf(random, rows, begin, end, n % 3 ? begin : first);
    if (columns.at.empty()) continue;
    const bool blocks = n % 4 > 1;
    Rows left = someLeftRows(random, columns, static_cast<int>(random() % 400));
    if (blocks) left = inBlocks(random, left);
    LeftFactor factor = leftFactor(random, columns, left, n % 2, n % 7 > 2 ? 3 * (n % 7) : 0);
    const int width = n % 5 ? 700 : 1;
    Rows right = someRows(random, rows, width, 12);
    if (blocks) right = inBlocks(random, right);
    const Matrix tile = setRight(factor, columns, right, width), B = matrixOf(right, width);
    Memory memory;
    memory.entriesPerMultiplyAdd = 0.25;  // so that blocks pay
    const Matrix C = hostProduct(factor.stored, tile, {}, &memory, &factor.reading).C;
    TEST_EQUALITY_CONST(wrongRows(factor.copy, B, C), 0);
    HostOperands<double, Host> operands(factor.stored, tile,
                                        HostWorkspaces<RowFormer<double>, Host>(width, false),
                                        &factor.reading);
    countMultiplyAdds(operands);
    findBlocks(operands, memory);
    TEST_EQUALITY_CONST(wrongRows(factor.copy, B, countThenForm(operands, {}).matrix(width)), 0);

    Kokkos::deep_copy(C.values, -7.0);
    numericProduct(factor.stored, tile, C, false, &factor.reading);
    if (factor.copy.nnz() > 0 && B.nnz() > 0) TEST_EQUALITY_CONST(wrongRows(factor.copy, B, C), 0);
  }
}

/// A right factor of one entry a row, whose offsets are not read.
TEUCHOS_UNIT_TEST(RowReading, RowsOfOneEntry) {
  std::mt19937_64 random(82);
  const int rows = 500, width = 60;
  Rows right(rows);
  for (auto& row : right) row.emplace_back(random() % width, someValue(random));
  const Matrix B = matrixOf(right, width);
  for (const bool jacobi : {false, true}) {
    const Columns columns = someColumnsOf(random, rows, 120, 310, 150);
    LeftFactor factor = leftFactor(random, columns, someLeftRows(random, columns, 300), jacobi, 5);
    setRight(factor, columns, right, width);
    TEST_ASSERT(Factors<double>(factor.stored, B, &factor.reading).singleEntries);
    const Matrix C =
        hostProduct(factor.stored, B, {}, static_cast<Memory*>(nullptr), &factor.reading).C;
    TEST_EQUALITY_CONST(wrongRows(factor.copy, B, C), 0);
    Kokkos::deep_copy(C.values, -7.0);
    numericProduct(factor.stored, B, C, false, &factor.reading);
    TEST_EQUALITY_CONST(wrongRows(factor.copy, B, C), 0);
  }
}

/// Compares a copy without zeros, of both signs, with the entries that are left; NaN is one.
TEUCHOS_UNIT_TEST(RowReading, WithoutZeros) {
  const double nan = std::nan("");
  const Matrix A = matrixOf({{{0, 1.}, {3, 0.}}, {{3, -0.}}, {}, {{2, nan}, {0, -0.}, {1, 2.}}}, 4);
  const auto zeros = findRowsWithZeros(A);
  const std::vector<char> expected{1, 1, 0, 1};
  TEST_ASSERT(std::equal(expected.begin(), expected.end(), zeros.data()));
  const Matrix B = withoutZeros(A);
  const std::vector<std::size_t> offsets{0, 1, 1, 1, 3};
  const std::vector<int> columns{0, 2, 1};
  TEST_ASSERT(std::equal(offsets.begin(), offsets.end(), B.graph.row_map.data()));
  TEST_ASSERT(std::equal(columns.begin(), columns.end(), B.graph.entries.data()));
  TEST_ASSERT(B.values(0) == 1 && std::isnan(B.values(1)) && B.values(2) == 2);
  TEST_EQUALITY_CONST(findRowsWithZeros(B).extent(0), 0u);
  TEST_ASSERT(withoutZeros(B).values.data() == B.values.data());
}

/// I - ω D⁻¹ M keeps its diagonal, which is 1 where M's is a zero, whatever D⁻¹ is. Where there is
/// a device, its kernels form it: a build for CUDA has none of these for hosts.
TEUCHOS_UNIT_TEST(RowReading, JacobiWithoutZeros) {
  using TestTools::Device, TestTools::HostMatrix, TestTools::toDevice, TestTools::toVector;
  using Numbers = IndexNumbers<Device>;
  const double limit = std::numeric_limits<double>::infinity();
  HostMatrix<double> stored(3, 3);
  stored.rows = {{{0, 0.}, {1, 3.}, {2, 0.}}, {{0, -0.}, {2, 5.}}, {{0, 0.}, {2, 4.}}};
  const auto M = stored.onDevice();
  const Kokkos::View<double**, Kokkos::LayoutLeft, Device> inverse("inverse", 3, 1);
  Kokkos::deep_copy(Kokkos::subview(inverse, Kokkos::ALL, 0),
                    toDevice(std::vector<double>{limit, 1, 0.25}));
  const JacobiRows<double, Device> jacobi(M, Numbers(0, 3), Numbers(0, 3));
  TEST_EQUALITY_CONST(jacobi.missing(), 1u);
  jacobi.placeMissing(Numbers(0, 3));
  const auto J = jacobi.matrix(M, 3, 2.0, inverse, true);
  const std::vector<std::size_t> offsets{0, 2, 4, 5};
  const std::vector<int> columns{0, 1, 2, 1, 2};
  const std::vector<double> values{1, -limit, -10, 1, -1};
  TEST_COMPARE_ARRAYS(toVector(J.graph.row_map), offsets);
  TEST_COMPARE_ARRAYS(toVector(J.graph.entries), columns);
  TEST_COMPARE_ARRAYS(toVector(J.values), values);
}

TEUCHOS_UNIT_TEST(RowReading, PlainRowsAscendAmongTheOwnColumns) {
  const Matrix A = matrixOf({{{0, 1.}, {3, 1.}},
                             {{3, 1.}, {0, 1.}},
                             {{0, 1.}, {4, 1.}},
                             {{4, 1.}},
                             {},
                             {{3, 1.}, {3, 1.}}},
                            6);
  const auto plain = findPlainRows(A, 4);
  const std::vector<char> expected{1, 0, 0, 0, 1, 1};
  TEST_ASSERT(std::equal(expected.begin(), expected.end(), plain.data()));
}

}  // namespace
}  // namespace Trident::Impl
