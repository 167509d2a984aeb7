// SPDX-License-Identifier: BSD-3-Clause
// The columns that rows touch and their local indices, by bitmap and by list, against a std::set.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_DeviceSort.hpp"

namespace Trident::Impl {
namespace {

using Device = Kokkos::DefaultExecutionSpace::device_type;
using Numbers = std::vector<Position>;

struct Touched {
  bool bitmap;
  Numbers remotes;          ///< remote columns in the index's order
  std::vector<int> locals;  ///< local index of each touched column
};

template <class List>
struct TouchAll {
  ColumnIndex<Device> index;
  List columns;
  KOKKOS_INLINE_FUNCTION void operator()(long long e) const { index.touch(columns(e)); }
};

template <class List, class Locals>
struct LookUp {
  ColumnIndex<Device> index;
  List columns;
  Locals locals;
  KOKKOS_INLINE_FUNCTION void operator()(long long e) const { locals(e) = index.local(columns(e)); }
};

Touched indexed(const Numbers& columns, Position size, Position ownedBegin, Position ownedEnd) {
  ColumnIndex<Device> index(size, ownedBegin, ownedEnd, columns.size());
  const auto touched = toDevice<Position, Device>(columns);
  const Range<Device> all(0, columns.size());
  Kokkos::View<Position*, Device> remotes;
  if (index.usesBitmap()) {
    Kokkos::parallel_for(all, TouchAll<decltype(touched)>{index, touched});
    remotes = index.finishBitmap();
  } else {
    remotes = index.finishList(toDevice<Position, Device>(columns));
  }
  const Kokkos::View<int*, Device> locals("locals", columns.size());
  Kokkos::parallel_for(all, LookUp<decltype(touched), decltype(locals)>{index, touched, locals});
  return {index.usesBitmap(), toHost<Position, Device>(remotes), toHost<int, Device>(locals)};
}

/// Returns the fault of an index of these columns; an empty text if there is none.
std::string problemOf(const Numbers& columns, Position size, Position ownedBegin, Position ownedEnd,
                      bool bitmap) {
  const Touched found = indexed(columns, size, ownedBegin, ownedEnd);
  std::set<Position> expected;
  for (Position column : columns)
    if (column < ownedBegin || column >= ownedEnd) expected.insert(column);
  if (found.bitmap != bitmap) return "another way than the test means";
  if (found.remotes != Numbers(expected.begin(), expected.end())) return "other remote columns";
  for (std::size_t e = 0; e < columns.size(); ++e) {
    const bool owned = columns[e] >= ownedBegin && columns[e] < ownedEnd;
    const Position local =
        owned ? columns[e] - ownedBegin
              : ownedEnd - ownedBegin + std::distance(expected.begin(), expected.find(columns[e]));
    if (columns.size() < 100000 && found.locals[e] != local) return "another local index";
  }
  return "";
}

Numbers randomColumns(unsigned seed, std::size_t count, Position size) {
  std::mt19937_64 random(seed);
  Numbers columns(count);
  for (Position& column : columns) column = static_cast<Position>(random() % size);
  return columns;
}

TEUCHOS_UNIT_TEST(ColumnIndex, Bitmap) {
  TEST_EQUALITY(problemOf(randomColumns(1, 500, 1000), 1000, 100, 300, true), std::string());
  TEST_EQUALITY(problemOf({}, 1000, 0, 1000, true), std::string());
}

TEUCHOS_UNIT_TEST(ColumnIndex, List) {
  const Position size = Position(1) << 40;
  TEST_EQUALITY(problemOf(randomColumns(2, 500, size), size, size / 4, size / 4 + 1000, false),
                std::string());
  TEST_EQUALITY(problemOf(randomColumns(3, 500, 50), size, 10, 20, false), std::string());
  TEST_EQUALITY(problemOf({}, size, 0, 0, false), std::string());
  TEST_EQUALITY(problemOf({size - 1, 0, size - 1}, size, 5, 5, false), std::string());
}

/// A hub: a sort that compares equal columns in pairs would not come to an end.
TEUCHOS_UNIT_TEST(ColumnIndex, AMillionEntriesInOneColumn) {
  const Position size = Position(1) << 40;
  Numbers columns(1000000, size / 3);
  columns.front() = size - 1;
  columns.back() = 7;
  TEST_EQUALITY(problemOf(columns, size, 5, 9, false), std::string());
}

TEUCHOS_UNIT_TEST(SortNumbers, AsStdSort) {
  for (std::size_t count : {0, 1, 2, 1000, 100000}) {
    Numbers numbers = randomColumns(4, count, count / 2 + 1);
    const auto device = toDevice<Position, Device>(numbers);
    sortNumbers(device);
    std::sort(numbers.begin(), numbers.end());
    TEST_ASSERT((toHost<Position, Device>(device) == numbers));
  }
}

}  // namespace

}  // namespace Trident::Impl
