// SPDX-License-Identifier: BSD-3-Clause
// The layout of a slice on the wire.

#include <Teuchos_UnitTestHarness.hpp>
#include <complex>
#include <cstdint>

#include "grid/Trident_SliceShape.hpp"

namespace Trident::Impl {
namespace {

/// Counts the broken rules of one layout: in order, no overlap, aligned, nothing wasted but
/// padding.
int brokenRules(const SliceShape& shape, std::size_t scalarBytes) {
  const std::size_t offsetBytes = shape.entries > 0xffffffffll ? 8 : 4;
  const std::size_t valuesEnd = shape.valuesAt() + shape.entries * scalarBytes;
  const std::size_t offsetsEnd = shape.offsetsAt(scalarBytes) + (shape.rows + 1) * offsetBytes;
  const std::size_t rowListEnd =
      shape.rowListAt(scalarBytes) + (shape.listed ? shape.rows * sizeof(int) : 0);
  const std::size_t columnsEnd =
      shape.columnsAt(scalarBytes) + shape.entries * (shape.narrow ? 2 : 4);
  int broken = 0;
  broken += shape.valuesAt() != 0;
  broken +=
      shape.offsetsAt(scalarBytes) < valuesEnd || shape.offsetsAt(scalarBytes) > valuesEnd + 7;
  broken += shape.rowListAt(scalarBytes) != offsetsEnd;
  broken += shape.columnsAt(scalarBytes) != rowListEnd;
  broken += shape.offsetsAt(scalarBytes) % offsetBytes != 0;
  broken += shape.rowListAt(scalarBytes) % sizeof(int) != 0;
  broken += shape.columnsAt(scalarBytes) % sizeof(int) != 0;
  broken += shape.bytes(scalarBytes) != (shape.entries ? columnsEnd : 0);
  return broken;
}

TEUCHOS_UNIT_TEST(SliceShape, ArraysAreAlignedAndDoNotOverlap) {
  int broken = 0;
  for (std::size_t scalarBytes : {sizeof(float), sizeof(double), sizeof(std::complex<double>)})
    for (long long entries = 0; entries < 40; ++entries)
      for (long long rows = 0; rows < 40; ++rows)
        for (long long listed : {0, 1})
          for (long long narrow : {0, 1})
            broken += brokenRules({rows, entries, listed, narrow}, scalarBytes);
  TEST_EQUALITY_CONST(broken, 0);
}

TEUCHOS_UNIT_TEST(SliceShape, OffsetsWidenWhereTheEntriesNeedIt) {
  const long long border = 1ll << 32;
  TEST_ASSERT(!(SliceShape{10, border - 1, 0, 0}.wideOffsets()));  // the last offset still fits
  TEST_ASSERT((SliceShape{10, border, 0, 0}.wideOffsets()));
  for (long long entries : {border - 1, border, border + 1, 3 * border})
    for (long long rows : {0ll, 1ll, 5ll, 2000000000ll})
      for (std::size_t scalarBytes : {4, 8, 16})
        TEST_EQUALITY_CONST(brokenRules({rows, entries, 0, 0}, scalarBytes), 0);
}

TEUCHOS_UNIT_TEST(SliceShape, ColumnsOf16BitsUpTo65536) {
  TEST_EQUALITY_CONST(SliceShape::narrowFor(0), 1);
  TEST_EQUALITY_CONST(SliceShape::narrowFor(65536), 1);  // the last one is 65,535
  TEST_EQUALITY_CONST(SliceShape::narrowFor(65537), 0);
}

/// A cut lists its rows where it has fewer entries than rows.
TEUCHOS_UNIT_TEST(SliceShape, OfCutsAndOfRows) {
  const SliceShape listed = SliceShape::ofCut(10, 7, 9, 100),
                   all = SliceShape::ofCut(10, 7, 10, 100);
  TEST_EQUALITY_CONST(listed.listed, 1);
  TEST_EQUALITY_CONST(listed.rows, 7);
  TEST_EQUALITY_CONST(listed.entries, 9);
  TEST_EQUALITY_CONST(all.listed, 0);
  TEST_EQUALITY_CONST(all.rows, 10);
  TEST_EQUALITY_CONST(SliceShape::ofCut(10, 7, 9, 65537).narrow, 0);
  const SliceShape rows = SliceShape::ofRows(10, 1, 100);
  TEST_EQUALITY_CONST(rows.listed, 0);
  TEST_EQUALITY_CONST(rows.rows, 10);
  TEST_EQUALITY_CONST(rows.narrow, 1);
}

TEUCHOS_UNIT_TEST(SliceShape, ByHand) {
  // Three floats (12, padded to 16), five offsets (20), four listed rows (16), three columns (12).
  const SliceShape shape{4, 3, 1, 0};
  TEST_EQUALITY_CONST(shape.offsetsAt(4), 16u);
  TEST_EQUALITY_CONST(shape.rowListAt(4), 36u);
  TEST_EQUALITY_CONST(shape.columnsAt(4), 52u);
  TEST_EQUALITY_CONST(shape.bytes(4), 64u);
  TEST_EQUALITY_CONST((SliceShape{4, 3, 1, 1}.bytes(4)), 58u);  // columns of 16 bits
  TEST_EQUALITY_CONST((SliceShape{4, 0, 0, 0}.bytes(8)), 0u);   // an empty slice does not travel
}

}  // namespace

}  // namespace Trident::Impl
