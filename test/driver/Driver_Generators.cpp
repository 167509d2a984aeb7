// SPDX-License-Identifier: BSD-3-Clause
// Generators: the same matrix on any number of ranks, and the one that was asked for.

#include <Teuchos_UnitTestHarness.hpp>
#include <cmath>

#include "TridentDriver_TestTools.hpp"

namespace {

using namespace TestTools;

TEUCHOS_UNIT_TEST(Generators, SameOnAnyRanks) {
  for (const std::string spec :
       {"er:n=3000,d=7.5,seed=3", "er:n=2,d=1", "er:n=50,d=50", "er:n=40,d=0", "rmat:scale=10,d=8",
        "rmat:scale=0,d=3", "laplace2d:n=20", "laplace3d:n=9", "brick3d:n=7", "laplace2d:n=1",
        "banded:n=500,bw=4,seed=2", "banded:n=3,bw=10"}) {
    const ReadResult alone = readMatrix(spec, self()), together = readMatrix(spec, world());
    TEST_EQUALITY(checksum(*alone.matrix), checksum(*together.matrix));
    TEST_EQUALITY(alone.report.description, together.report.description);
    TEST_EQUALITY(alone.report.duplicates, together.report.duplicates);
    const auto rows = together.matrix->getRangeMap()->getGlobalNumElements();
    TEST_ASSERT(together.matrix->getRowMap()->isSameAs(map_type(rows, 0, world())));
  }
}

TEUCHOS_UNIT_TEST(Generators, SeedMatters) {
  for (const std::string spec : {"er:n=1000,d=4", "rmat:scale=8,d=4", "banded:n=100,bw=2"}) {
    const auto one = checksum(*readMatrix(spec + ",seed=1", world()).matrix);
    TEST_INEQUALITY(one, checksum(*readMatrix(spec + ",seed=2", world()).matrix));
    TEST_EQUALITY(one, checksum(*readMatrix(spec, world()).matrix));
  }
}

TEUCHOS_UNIT_TEST(Generators, ErdosRenyiHasItsDensity) {
  const auto result = readMatrix("er:n=20000,d=5,seed=9", world());
  const double expected = 20000.0 * 5;  // standard deviation: its square root
  TEST_COMPARE(std::abs(static_cast<double>(result.report.entries) - expected), <,
               5 * std::sqrt(expected));
  TEST_EQUALITY(readMatrix("er:n=30,d=30", world()).report.entries, 900);
  // Columns are uniform: the left half has half the entries.
  std::int64_t left = 0;
  {
    const RowReader rows(*result.matrix);
    for (std::size_t k = 0; k < rows.numEntries(); ++k) left += rows.column(k) < 10000 ? 1 : 0;
  }
  left = Comm(*world()).sum(left);
  TEST_COMPARE(std::abs(static_cast<double>(left) - expected / 2), <, 5 * std::sqrt(expected / 2));
}

TEUCHOS_UNIT_TEST(Generators, RmatHasItsEdgesAndQuarters) {
  const auto result = readMatrix("rmat:scale=14,d=4,seed=1", world());
  const std::int64_t edges = 4 << 14;
  TEST_EQUALITY(result.report.entries + result.report.duplicates, edges);
  TEST_ASSERT(result.report.duplicates > 0);
  std::int64_t above = 0;
  {
    const RowReader rows(*result.matrix);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      if (rows.rowGid(row) < 1 << 13)
        above += static_cast<std::int64_t>(rows.end(row) - rows.begin(row));
  }
  const double share =
      static_cast<double>(Comm(*world()).sum(above)) / static_cast<double>(result.report.entries);
  TEST_FLOATING_EQUALITY(share, 0.76, 0.03);  // duplicates thin out the dense quarter
}

TEUCHOS_UNIT_TEST(Generators, Banded) {
  const auto entries = entriesOf(*readMatrix("banded:n=30,bw=3", self()).matrix);
  TEST_EQUALITY(entries.size(), 30u * 7 - 2 * 6);
  for (const auto& entry : entries) {
    TEST_ASSERT(std::abs(entry.first.first - entry.first.second) <= 3);
    TEST_ASSERT(entry.second > 0 && entry.second <= 1);
  }
}

/// Returns the expected entries of a stencil, point by point.
Entries stencil(int side, int dimensions, bool cube) {
  Entries entries;
  const int depth = dimensions == 3 ? side : 1, size = side * side * depth;
  for (int r = 0; r < size; ++r)
    for (int c = 0; c < size; ++c) {
      const int dx = std::abs(r % side - c % side);
      const int dy = std::abs(r / side % side - c / side % side);
      const int dz = std::abs(r / side / side - c / side / side);
      const bool near = cube ? dx <= 1 && dy <= 1 && dz <= 1 : dx + dy + dz <= 1;
      if (near) entries[{r, c}] = r != c ? -1 : !cube ? 2 * dimensions : dimensions == 3 ? 26 : 8;
    }
  return entries;
}

TEUCHOS_UNIT_TEST(Generators, Stencils) {
  for (int side : {1, 2, 3, 5}) {
    const std::string n = ":n=" + std::to_string(side);
    TEST_ASSERT(entriesOf(*readMatrix("laplace2d" + n, self()).matrix) == stencil(side, 2, false));
    TEST_ASSERT(entriesOf(*readMatrix("laplace3d" + n, self()).matrix) == stencil(side, 3, false));
    TEST_ASSERT(entriesOf(*readMatrix("brick2d" + n, self()).matrix) == stencil(side, 2, true));
    TEST_ASSERT(entriesOf(*readMatrix("brick3d" + n, self()).matrix) == stencil(side, 3, true));
  }
}

}  // namespace
