// SPDX-License-Identifier: BSD-3-Clause
// The columns of a product, found in the right factor's rows before it is formed, and that factor
// with local columns; by bitmap and by list, against std::set and std::map.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "Trident_TestDense.hpp"
#include "product/Trident_ProductExport.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using Numbers = std::vector<Position>;

/// Draws rows of up to `most` entries, some of them empty, columns ascending, values whole.
HostMatrix<double> randomMatrix(int rows, int columns, int most, std::mt19937_64& random) {
  HostMatrix<double> matrix(rows, columns);
  for (auto& row : matrix.rows) {
    std::set<int> chosen;
    for (int n = static_cast<int>(random() % (most + 1)); n > 0 && columns > 0; --n)
      chosen.insert(static_cast<int>(random() % columns));
    for (int column : chosen) row.emplace_back(column, 1 + static_cast<double>(random() % 9));
  }
  return matrix;
}

/// Two factors, and the range of columns that a rank owns.
struct Factors {
  HostMatrix<double> a, b;
  Position ownedBegin, ownedEnd;

  std::set<int> metRows() const {
    std::set<int> met;
    for (const auto& row : a.rows)
      for (const auto& entry : row) met.insert(entry.first);
    return met;
  }
  Numbers remotes() const {
    std::set<Position> found;
    for (int row : metRows())
      for (const auto& entry : b.rows[row])
        if (entry.first < ownedBegin || entry.first >= ownedEnd) found.insert(entry.first);
    return {found.begin(), found.end()};
  }
};

/// Returns local columns, those owned first, then the others as ordered.
std::map<int, int> localOf(const Factors& factors, const std::vector<int>& order) {
  std::map<int, int> local;
  for (Position c = factors.ownedBegin; c < factors.ownedEnd; ++c)
    local[static_cast<int>(c)] = static_cast<int>(c - factors.ownedBegin);
  const Numbers remotes = factors.remotes();
  const int owned = static_cast<int>(local.size());
  for (std::size_t m = 0; m < remotes.size(); ++m)
    local[static_cast<int>(remotes[m])] = owned + (order.empty() ? static_cast<int>(m) : order[m]);
  return local;
}

/// Counts met rows that have other columns or values than they should.
int wrongRows(const HostMatrix<double>& found, const Factors& factors,
              const std::map<int, int>& local, bool ascending) {
  int wrong = 0;
  for (int row : factors.metRows()) {
    auto expected = factors.b.rows[row];
    for (auto& entry : expected) entry.first = local.at(entry.first);
    if (ascending) std::sort(expected.begin(), expected.end());
    wrong += found.rows[row] != expected;
  }
  return wrong;
}

std::string problemOf(const Factors& factors, bool bitmap, std::mt19937_64& random) {
  const auto a = factors.a.onDevice(), b = factors.b.onDevice();
  const ReferencedRows<double, Device> met(a, b);
  ColumnIndex<Device> index(factors.b.columns, factors.ownedBegin, factors.ownedEnd, b.nnz());
  if (index.usesBitmap() != bitmap) return "another way than the test means";
  if (toHost<Position, Device>(met.indexColumns(index)) != factors.remotes())
    return "other remote columns";
  std::vector<int> order;
  if (random() % 2) {
    order.resize(factors.remotes().size());
    std::iota(order.begin(), order.end(), 0);
    std::reverse(order.begin(), order.end());
  }
  index.setOrder(toDevice<int, Device>(order));
  const auto local = localOf(factors, order);
  const int columns = static_cast<int>(local.size());
  if (wrongRows(fromDevice<double>(met.relabelled(index, columns)), factors, local, false))
    return "other columns";
  const auto ascending = fromDevice<double>(met.relabelledAscending(index, columns));
  if (wrongRows(ascending, factors, local, true)) return "other ascending columns";
  const std::set<int> rows = factors.metRows();
  for (int row = 0; row < ascending.numRows(); ++row)
    if (!rows.count(row) && !ascending.rows[row].empty())
      return "a row that is not met has entries";
  return "";
}

void checkMany(Teuchos::FancyOStream& out, bool& success, int columns, bool bitmap, unsigned seed) {
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int n = 0; n < 40; ++n) {
    const int inner = static_cast<int>(random() % 40);
    Factors factors{randomMatrix(static_cast<int>(random() % 30), inner, 4, random),
                    randomMatrix(inner, columns, 6, random), 0, 0};
    factors.ownedBegin = static_cast<Position>(random() % (columns + 1));
    factors.ownedEnd = std::min<Position>(columns, factors.ownedBegin + random() % 50);
    TEST_EQUALITY(problemOf(factors, bitmap, random), "");
  }
}

TEUCHOS_UNIT_TEST(ReferencedRows, FewColumns) { checkMany(out, success, 60, true, 61); }

TEUCHOS_UNIT_TEST(ReferencedRows, ManyColumns) { checkMany(out, success, 10000000, false, 62); }

TEUCHOS_UNIT_TEST(ReferencedRows, NothingIsMet) {
  std::mt19937_64 random(63);
  TEST_EQUALITY(problemOf({HostMatrix<double>(5, 0), HostMatrix<double>(0, 7), 2, 4}, true, random),
                "");
  TEST_EQUALITY(
      problemOf({HostMatrix<double>(5, 9), randomMatrix(9, 20, 5, random), 20, 20}, true, random),
      "");
}

}  // namespace
}  // namespace Trident::Impl
