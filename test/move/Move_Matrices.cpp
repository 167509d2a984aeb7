// SPDX-License-Identifier: BSD-3-Clause
// Matrices go onto the grid and come back, whoever owns their rows and wherever the grid is cut.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "Move_TestTools.hpp"
#include "grid/Trident_Partition.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_MatrixImport.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::everywhere;
using TestTools::Formula;
using TestTools::fromDevice;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::Matrix;
using TestTools::ownRows;
using TestTools::partsOfRows;
using TestTools::randomNumberedSpace;
using TestTools::SpacePtr;
using TestTools::stayingSpace;
using TestTools::worldSize;

using Import = MatrixImport<double, Device>;
using Export = MatrixExport<double, Device>;

std::vector<Position> remotesOf(const Export& way) {
  return toHost<Position, Device>(way.remotes());
}

/// Returns the formula's matrix.
template <class F>
Dense<double> positioned(const F& formula, const SpacePtr& rows, const SpacePtr& columns) {
  const int m = static_cast<int>(rows->size()), n = static_cast<int>(columns->size());
  Dense<double> all(m, n);
  for (int r = 0; r < m; ++r)
    for (int c = 0; c < n; ++c)
      if (formula.stored(r, c)) all.add(r, c, formula.value(r, c));
  return all;
}

/// Returns the columns of a rank's rows by their local index: owned ones, then remote ones as
/// ordered.
std::vector<Position> localColumns(const Numbering& columns, const std::vector<Position>& remotes,
                                   const std::vector<int>& order) {
  std::vector<Position> numbers(columns.end() - columns.begin());
  std::iota(numbers.begin(), numbers.end(), columns.begin());
  const std::size_t owned = numbers.size();
  numbers.resize(owned + remotes.size());
  for (std::size_t c = 0; c < remotes.size(); ++c)
    numbers[owned + (order.empty() ? c : order[c])] = remotes[c];
  return numbers;
}

/// Returns the remote columns of a rank's rows.
std::vector<Position> expectedRemotes(const Formula& formula, const Numbering& rows,
                                      const Numbering& columns) {
  std::vector<Position> remotes;
  for (Position c = 0; c < columns.size(); ++c) {
    if (c >= columns.begin() && c < columns.end()) continue;
    bool met = false;
    for (Position r = rows.begin(); r < rows.end(); ++r) met = met || formula.stored(r, c);
    if (met) remotes.push_back(c);
  }
  return remotes;
}

/// Counts the entries of a rank's rows that are not the formula's, or missing, or not sorted.
int wrongRows(const CrsArrays<double, Device>& arrays, const Formula& formula,
              const Numbering& rows, const std::vector<Position>& columnOf, Position columns) {
  const auto host = fromDevice<double>(arrays.matrix(static_cast<int>(columnOf.size())));
  if (host.numRows() != rows.end() - rows.begin()) return 1;
  int wrong = !isSorted(host);  // and so no column comes twice
  for (int r = 0; r < host.numRows(); ++r) {
    const Position row = rows.begin() + r;
    long long expected = 0;
    for (Position c = 0; c < columns; ++c) expected += formula.stored(row, c);
    wrong += static_cast<long long>(host.rows[r].size()) != expected;
    for (const auto& entry : host.rows[r])
      wrong += !formula.stored(row, columnOf.at(entry.first)) ||
               entry.second != formula.value(row, columnOf.at(entry.first));
  }
  return wrong;
}

/// A matrix on the grid, taken off it.
struct Trip {
  SpacePtr rows, columns;
  Formula formula;

  std::string wrongOnGrid(const Matrix& matrix) const {
    return differences(gathered(matrix), positioned(formula, rows, columns));
  }

  /// Exports the matrix and leaves it as it is, with the remote columns in a random order.
  int wrongBack(const Matrix& matrix, std::mt19937_64& random) const {
    Traffic traffic;
    LocalFailure failure;
    Export way(matrix, SliceUsers::Shared, rows, columns, MessageOptions{256}, traffic, failure);
    std::vector<int> order;
    std::mt19937_64 own(random() + matrix.grid().rank());
    if (random() % 2) {
      order.resize(way.remotes().extent(0));
      std::iota(order.begin(), order.end(), 0);
      TestTools::shuffle(order, own);
    }
    const auto result = way.rows(toDevice<int, Device>(order));
    const auto columnOf = localColumns(columns->numbering(), remotesOf(way), order);
    return (remotesOf(way) != expectedRemotes(formula, rows->numbering(), columns->numbering())) +
           wrongRows(result, formula, rows->numbering(), columnOf, columns->size());
  }
};

/// Other values of the same structure.
struct SameStructure : Formula {
  std::uint64_t values;
  SameStructure(const Formula& structure, std::uint64_t seed) : Formula(structure), values(seed) {}
  double value(Position r, Position c) const {
    return static_cast<double>(TestTools::hashOf(values, r, c) % 9) - 4;
  }
};

TEUCHOS_UNIT_TEST(Matrices, OntoTheGridAndBack) {
  const unsigned seed = 601;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    for (int round = 0; round < 6; ++round) {
      const Position m = 1 + random() % 40, n = 1 + random() % 30;
      const bool stay = shape.nodeCols == 1 && round % 2 == 0;
      const Trip trip{
          stay ? stayingSpace(shape, m, me, random) : randomNumberedSpace(shape, m, me, random),
          randomNumberedSpace(shape, n, me, random),
          {random(), round == 5 ? 0 : 10 + static_cast<int>(random() % 50)}};
      const bool whole = round % 3 != 1;
      const std::uint64_t order = random();
      std::mt19937_64 own(order + me);
      const auto local = whole ? ownRows(trip.formula, trip.rows->numbering(), n, own)
                               : partsOfRows(trip.formula, m, n, own);
      Traffic traffic;
      LocalFailure failure;
      const Import import(local, exchanges, trip.rows, trip.columns, MessageOptions{256}, traffic,
                          failure);
      const Matrix onGrid = import.matrix(local.matrix, traffic, failure);
      out << shape.name() << " " << m << " x " << n << (stay ? " stays" : "")
          << (whole ? " whole rows" : " parts of rows") << "\n";
      TRIDENT_TEST_OK(trip.wrongOnGrid(onGrid));
      TEST_EQUALITY_CONST(everywhere(trip.wrongBack(onGrid, random)), 0);
      // It is shared, so it stays as it is.
      TRIDENT_TEST_OK(trip.wrongOnGrid(onGrid));
    }
  }
}

/// Returns a matrix with sorted rows, and said to have them.
Matrix sorted(const Matrix& matrix) {
  sortRows(matrix.local());
  Kokkos::fence();
  return Matrix(matrix.exchanges(), matrix.rows(), matrix.columns(), matrix.local(),
                RowOrder::Ascending);
}

// Rows ascend, as a product's do. They have one piece or several; ranks and rows may be empty.
TEUCHOS_UNIT_TEST(Matrices, RowsThatAscendComeBack) {
  const unsigned seed = 606;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    for (int round = 0; round < 8; ++round) {
      const Position m = 1 + random() % 40, n = 1 + random() % 70;
      const Trip in{randomNumberedSpace(shape, m, me, random),
                    randomNumberedSpace(shape, n, me, random),
                    {random(), round == 5 ? 0 : 10 + static_cast<int>(random() % 50)}};
      std::mt19937_64 own(random() + me);
      const auto local = ownRows(in.formula, in.rows->numbering(), n, own);
      Traffic traffic;
      LocalFailure failure;
      const Import import(local, exchanges, in.rows, in.columns, MessageOptions{256}, traffic,
                          failure);
      const Matrix onGrid = sorted(import.matrix(local.matrix, traffic, failure));
      out << shape.name() << " " << m << " x " << n << "\n";
      TRIDENT_TEST_OK(in.wrongOnGrid(onGrid));
      TEST_EQUALITY_CONST(everywhere(in.wrongBack(onGrid, random)), 0);
    }
  }
}

TEUCHOS_UNIT_TEST(Matrices, OtherValuesGoTheSameWay) {
  const unsigned seed = 602;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    const Position m = 31, n = 23;
    const SpacePtr rows = randomNumberedSpace(shape, m, me, random);
    const SpacePtr columns = randomNumberedSpace(shape, n, me, random);
    const Formula first{random(), 30};
    const SameStructure second(first, random());
    const std::uint64_t order = random();
    std::mt19937_64 own(order + me), sameAgain(order + me);
    const auto a = ownRows(first, rows->numbering(), n, own);
    const auto b = ownRows(second, rows->numbering(), n, sameAgain);
    Traffic traffic;
    LocalFailure failure;
    const Import import(a, exchanges, rows, columns, MessageOptions{256}, traffic, failure);
    const Matrix onGrid = import.matrix(a.matrix, traffic, failure);
    const Matrix other = import.matrix(b.matrix, traffic, failure);
    Export way(onGrid, SliceUsers::Shared, rows, columns, MessageOptions{256}, traffic, failure);
    const auto result = way.rows({});
    const auto values = way.values(failure);
    const auto packed = values.pack(other.local().values, failure);
    values.move(packed, result.values, traffic);
    TEST_EQUALITY_CONST(everywhere(failure.failed()), 0);
    const auto host = fromDevice<double>(result.matrix(static_cast<int>(n)));
    const auto columnOf = localColumns(columns->numbering(), remotesOf(way), {});
    int wrong = 0;
    for (int r = 0; r < host.numRows(); ++r)
      for (const auto& entry : host.rows[r])
        wrong +=
            entry.second != second.value(rows->numbering().begin() + r, columnOf.at(entry.first));
    TEST_EQUALITY_CONST(everywhere(wrong), 0);
  }
}

TEUCHOS_UNIT_TEST(Matrices, ASliceOfOneOwnerBecomesTheResult) {
  const unsigned seed = 603;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const GridShape shape{worldSize(), 1, 1};
  const auto exchanges = makeExchanges(shape);
  const int me = exchanges->grid().rank();
  for (const SliceUsers users : {SliceUsers::Sole, SliceUsers::Shared}) {
    const SpacePtr rows = stayingSpace(shape, 29, me, random);
    const SpacePtr columns = randomNumberedSpace(shape, 17, me, random);
    const Formula formula{random(), 40};
    const auto local = ownRows(formula, rows->numbering(), 17, random);
    Traffic traffic;
    LocalFailure failure;
    const Import import(local, exchanges, rows, columns, MessageOptions{256}, traffic, failure);
    Matrix onGrid = import.matrix(local.matrix, traffic, failure);
    const double* const values = onGrid.local().values.data();
    Export way(onGrid, users, rows, columns, MessageOptions{256}, traffic, failure);
    const auto result = way.rows({});
    const auto columnOf = localColumns(columns->numbering(), remotesOf(way), {});
    TEST_EQUALITY_CONST(everywhere(wrongRows(result, formula, rows->numbering(), columnOf, 17)), 0);
    const bool same = result.values.data() == values;
    const bool empty = result.values.extent(0) == 0;
    TEST_ASSERT(everywhere(!empty && same != (users == SliceUsers::Sole)) == 0);
    TEST_EQUALITY_CONST(traffic.internodeBytes + traffic.intranodeBytes, 0);
  }
}

// Asked to, an import puts every row in ascending order of columns, of whatever values; the local
// matrix stays as it is.
TEUCHOS_UNIT_TEST(Matrices, RowsInOrder) {
  const unsigned seed = 604;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    for (int round = 0; round < 6; ++round) {
      const Position m = 1 + random() % 40, n = 1 + random() % 30;
      const bool stay = shape.nodeCols == 1 && round % 2 == 0, whole = round % 3 != 1;
      const SpacePtr rows =
          stay ? stayingSpace(shape, m, me, random) : randomNumberedSpace(shape, m, me, random);
      const SpacePtr columns = randomNumberedSpace(shape, n, me, random);
      const Trip first{rows, columns, {random(), round == 5 ? 0 : 40}};
      const SameStructure second(first.formula, random());
      const std::uint64_t seedOfRank = random() + me;
      std::mt19937_64 own(seedOfRank), sameAgain(seedOfRank);
      const auto part = [&](const auto& formula, std::mt19937_64& draws) {
        return whole ? ownRows(formula, rows->numbering(), n, draws)
                     : partsOfRows(formula, m, n, draws);
      };
      const auto a = part(first.formula, own), b = part(second, sameAgain);
      const auto before = fromDevice<double>(a.matrix).rows;
      Traffic traffic;
      LocalFailure failure;
      const Import import(a, exchanges, rows, columns, MessageOptions{256}, traffic, failure,
                          EntryOrder::Ascending);
      const Matrix onGrid = import.matrix(a.matrix, traffic, failure);
      const Matrix other = import.matrix(b.matrix, traffic, failure);
      out << shape.name() << " " << m << " x " << n << (stay ? " stays" : "")
          << (whole ? " whole rows" : " parts of rows") << "\n";
      TRIDENT_TEST_OK(first.wrongOnGrid(onGrid));
      TRIDENT_TEST_OK(differences(gathered(other), positioned(second, rows, columns)));
      TEST_EQUALITY_CONST(everywhere(!isSorted(fromDevice<double>(onGrid.local())) +
                                     !isSorted(fromDevice<double>(other.local())) +
                                     (fromDevice<double>(a.matrix).rows != before)),
                          0);
    }
  }
}

// Rows that stay and ascend are not copied.
TEUCHOS_UNIT_TEST(Matrices, RowsThatAscendAreShared) {
  std::mt19937_64 random(605);
  const GridShape shape{worldSize(), 1, 1};
  const auto exchanges = makeExchanges(shape);
  const SpacePtr rows = stayingSpace(shape, 29, exchanges->grid().rank(), random);
  const Formula formula{random(), 40};
  auto local = ownRows(formula, rows->numbering(), 17, random);
  Traffic traffic;
  LocalFailure failure;
  const SpacePtr columns = stayingSpace(shape, 17, exchanges->grid().rank(), random);
  std::vector<Position> numbers(17);
  std::iota(numbers.begin(), numbers.end(), 0);
  local.columnNumbers = IndexNumbers<Device>(toDevice<Position, Device>(numbers));
  const Import import(local, exchanges, rows, columns, MessageOptions{256}, traffic, failure,
                      EntryOrder::Ascending);
  const Matrix onGrid = import.matrix(local.matrix, traffic, failure);
  TEST_EQUALITY_CONST(everywhere(onGrid.local().values.data() != local.matrix.values.data()), 0);
  TEST_EQUALITY_CONST(
      everywhere(onGrid.local().graph.entries.data() != local.matrix.graph.entries.data()), 0);
}

}  // namespace

}  // namespace Trident::Impl
