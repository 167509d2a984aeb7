// SPDX-License-Identifier: BSD-3-Clause
// TRIDENT_COMPARE: two results are compared where they lie, whatever their column Maps and the
// order of their entries.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cfloat>
#include <limits>
#include <map>
#include <vector>

#include "Trident_TestErrors.hpp"
#include "dropin/Trident_CompareResults.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::largestDifference;
using Rows = std::vector<std::map<GO, double>>;  // of this rank, by global column

constexpr GO columnsInAll = 50;

Rows randomRows(Random& random, int count) {
  Rows rows(count);
  for (auto& row : rows)
    for (int entries = random.between(0, 12); entries > 0; --entries)
      row[random.between(0, columnsInAll - 1)] = random.between(-9, 9);
  return rows;
}

/// Makes a matrix of these rows, in a column Map and with rows in an order of its own.
MatrixPtr make(Random& random, const Rows& rows, const MapPtr& rowMap, const MapPtr& domain) {
  std::map<GO, LO> numbers;
  for (const auto& row : rows)
    for (const auto& entry : row) numbers[entry.first] = 0;
  std::vector<GO> columns;
  for (const auto& column : numbers) columns.insert(columns.begin(), column.first);
  if (columns.size() > 1)
    std::rotate(columns.begin(), columns.begin() + random.between(1, 3) % columns.size(),
                columns.end());
  for (std::size_t c = 0; c < columns.size(); ++c) numbers[columns[c]] = static_cast<LO>(c);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr columnMap =
      Teuchos::rcp(new map_type(any, Teuchos::arrayViewFromVector(columns), 0, world()));
  using Local = matrix_type::local_matrix_device_type;
  std::size_t count = 0;
  for (const auto& row : rows) count += row.size();
  Local::row_map_type::non_const_type offsets("offsets", rows.size() + 1);
  Local::index_type::non_const_type indices("indices", count);
  Local::values_type::non_const_type values("values", count);
  const auto o = Kokkos::create_mirror_view(offsets);
  const auto i = Kokkos::create_mirror_view(indices);
  const auto v = Kokkos::create_mirror_view(values);
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& entry : rows[r]) {
      i(at) = numbers[entry.first];
      v(at++) = entry.second;
    }
    o(r + 1) = at;
  }
  Kokkos::deep_copy(offsets, o);
  Kokkos::deep_copy(indices, i);
  Kokkos::deep_copy(values, v);
  const MatrixPtr M = Teuchos::rcp(new matrix_type(rowMap, columnMap, offsets, indices, values));
  M->expertStaticFillComplete(domain, rowMap);
  return M;
}

double far(double x, double y) {
  if (x == y || (x != x && y != y)) return 0;
  const double size = std::abs(x - y);
  return size < DBL_MAX ? size : DBL_MAX;
}

/// Returns the largest difference of the rows, and the largest value of the second ones.
std::pair<double, double> expected(const Rows& rows, const Rows& others) {
  double most = 0, largest = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::map<GO, double> mine = rows[r], its = others[r];
    for (const auto& entry : others[r]) {
      most = std::max(most, far(mine[entry.first], entry.second));
      if (far(entry.second, 0) < DBL_MAX) largest = std::max(largest, std::abs(entry.second));
    }
    for (const auto& entry : rows[r]) most = std::max(most, far(entry.second, its[entry.first]));
  }
  return {most, largest};
}

std::string check(Random& random, const Rows& rows, const Rows& others) {
  const MapPtr rowMap = Teuchos::rcp(
                   new map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                rows.size(), 0, world())),
               domain = Teuchos::rcp(new map_type(columnsInAll, 0, world()));
  const MatrixPtr M = make(random, rows, rowMap, domain),
                  other = make(random, others, rowMap, domain);
  const auto [difference, largest] = expected(rows, others);
  double size = -1;
  const double found = largestDifference(*M, *other, size);
  if (found == difference && size == largest) return "";
  return say(found, " and not ", difference, "; largest ", size, " and not ", largest);
}

TEUCHOS_UNIT_TEST(CompareResults, AgainstLoops) {
  const int rank = world()->getRank();
  for (int seed = 0; seed < 20; ++seed) {
    Random random(100 * seed + rank);
    const int count = seed % 4 == rank ? 0 : random.between(1, 30);
    const Rows rows = randomRows(random, count);
    TRIDENT_TEST_OK(everywhere(*world(), check(random, rows, rows)));
    Rows others = rows;
    if (count > 0) others[random.between(0, count - 1)][random.between(0, columnsInAll - 1)] += 0.5;
    TRIDENT_TEST_OK(everywhere(*world(), check(random, rows, others)));
    TRIDENT_TEST_OK(everywhere(*world(), check(random, others, rows)));
    TRIDENT_TEST_OK(everywhere(*world(), check(random, rows, randomRows(random, count))));
  }
}

TEUCHOS_UNIT_TEST(CompareResults, NoNumbers) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  Random random(7);
  const std::vector<double> values{0, 1, -2, inf, -inf, nan};
  for (const double x : values)
    for (const double y : values)
      TRIDENT_TEST_OK(everywhere(
          *world(), check(random, {{{3, x}, {5, 1.0}}, {}}, {{{3, y}, {5, 1.0}}, {{4, y}}})));
}

}  // namespace
