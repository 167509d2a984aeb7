// SPDX-License-Identifier: BSD-3-Clause
// The volume model against numbers worked out by hand.

#include <Teuchos_UnitTestHarness.hpp>
#include <cmath>

#include "grid/Trident_VolumeModel.hpp"

namespace Trident::Impl {
namespace {

/// Counts 1024 x 1024 doubles, eight entries in every row, both factors.
VolumeCounts uniformSquare() {
  VolumeCounts counts;
  counts.rowsA = counts.inner = 1024;
  counts.entriesA = counts.entriesB = 8 * 1024;
  return counts;
}

TEUCHOS_UNIT_TEST(VolumeModel, SquareGridByHand) {
  // 2 x 2 x 2: A in 8 slabs of 256 rows and 1024 entries, B likewise. A slab is
  // 1024 · 8 of values, 257 · 4 of offsets, 1024 · 2 of columns.
  const double slab = 1024 * 8 + 257 * 4 + 1024 * 2;
  const VolumePrediction volume = predictVolume({2, 2, 2}, uniformSquare());
  TEST_EQUALITY(volume.rounds, 2 * 8 * slab);
  TEST_EQUALITY_CONST(volume.import, 0.0);
  TEST_EQUALITY_CONST(volume.export_, 0.0);
  TEST_EQUALITY(volume.total(), volume.rounds);
}

TEUCHOS_UNIT_TEST(VolumeModel, TallGridMovesOnlyB) {
  // 4 x 1 x 2: B in 8 slabs of 128 rows and 1024 entries, each to three other nodes.
  const double slab = 1024 * 8 + 129 * 4 + 1024 * 2;
  TEST_EQUALITY(predictVolume({4, 1, 2}, uniformSquare()).rounds, 3 * 8 * slab);
}

TEUCHOS_UNIT_TEST(VolumeModel, NeededRowsByHand) {
  // 4 x 1 x 1: nodes need 5 rows of 8 entries each; a row is 8 · 10 bytes and an offset.
  VolumeCounts counts = uniformSquare();
  counts.neededRows = 4 * 5;
  const double needed = 20 * (8 * 10 + 4);
  TEST_FLOATING_EQUALITY(predictVolume({4, 1, 1}, counts).rounds, needed, 1e-12);
  // Two ranks that need 192 of 768 rows each, at random, need 336 together.
  counts.neededRows = 4 * 2 * 192;
  TEST_FLOATING_EQUALITY(predictVolume({4, 1, 2}, counts).rounds, 4 * 336.0 * 84, 1e-12);
  // Where no row of B travels, nothing is gained.
  const double wide = predictVolume({1, 4, 2}, uniformSquare()).rounds;
  TEST_EQUALITY(predictVolume({1, 4, 2}, counts).rounds, wide);
  const double tall = predictVolume({4, 1, 2}, uniformSquare()).rounds;
  counts.fetch = FetchKind::Tiles;
  TEST_EQUALITY(predictVolume({4, 1, 2}, counts).rounds, tall);
  // So they do where 576 rows are needed, three quarters of all, unless these are asked for.
  counts.neededRows = 4 * 2 * 384;
  counts.fetch = FetchKind::Auto;
  TEST_EQUALITY(predictVolume({4, 1, 2}, counts).rounds, tall);
  counts.fetch = FetchKind::NeededRows;
  TEST_FLOATING_EQUALITY(predictVolume({4, 1, 2}, counts).rounds, 4 * 576.0 * 84, 1e-12);
}

TEUCHOS_UNIT_TEST(VolumeModel, SmallRightFactors) {
  // Six collectives are 120 KiB, and a node's message 4.
  TEST_ASSERT(tooSmallToAsk(104 * 1024.0, 4));
  TEST_ASSERT(!tooSmallToAsk(104 * 1024.0 + 1, 4));
  TEST_ASSERT(tooSmallToSample(104 * 1024.0 + 1, 4));
  // On many nodes the messages alone are too many.
  TEST_ASSERT(!tooSmallToAsk(1, 31));
  TEST_ASSERT(tooSmallToSample(0, 130));
  TEST_ASSERT(!tooSmallToSample(1, 130));
}

TEUCHOS_UNIT_TEST(VolumeModel, NeededRowsWhereATravels) {
  // 2 x 2 x 2: each of two grid rows has 512 rows of B at home, and its four ranks need 128 of the
  // others, at random: 350 together. They come in two halves of 4 entries and an offset each.
  VolumeCounts counts = uniformSquare();
  counts.neededRows = 8 * 128;
  const double slabA = 1024 * 8 + 257 * 4 + 1024 * 2;
  const double rows = 2 * 512 * (1 - 0.75 * 0.75 * 0.75 * 0.75);
  TEST_FLOATING_EQUALITY(predictVolume({2, 2, 2}, counts).rounds,
                         8 * slabA + rows * 2 * (4 * 10 + 4), 1e-12);
}

TEUCHOS_UNIT_TEST(VolumeModel, WideGridMovesOnlyA) {
  // 1 x 4 x 2: A in λ · S = 8 slabs of 512 rows and 1024 entries.
  const double slab = 1024 * 8 + 513 * 4 + 1024 * 2;
  TEST_EQUALITY(predictVolume({1, 4, 2}, uniformSquare()).rounds, 3 * 8 * slab);
}

TEUCHOS_UNIT_TEST(VolumeModel, OneNodeMovesNothing) {
  TEST_EQUALITY_CONST(predictVolume({1, 1, 4}, uniformSquare()).rounds, 0.0);
}

TEUCHOS_UNIT_TEST(VolumeModel, RoundsOfAnyShape) {
  // (p_c - 1)·wire(A) + (p_r - 1)·wire(B) where wire is about 10 bytes an entry.
  VolumeCounts counts = uniformSquare();
  counts.entriesA = 1000 * 1024;
  counts.entriesB = 3000 * 1024;
  for (int rows = 1; rows <= 6; ++rows)
    for (int cols = 1; cols <= 6; ++cols) {
      const double expected = 10.0 * ((cols - 1) * counts.entriesA + (rows - 1) * counts.entriesB);
      const double rounds = predictVolume({rows, cols, 1}, counts).rounds;
      TEST_COMPARE(std::abs(rounds - expected), <=, 0.02 * expected);
    }
}

TEUCHOS_UNIT_TEST(VolumeModel, ColumnsOf16BitsWhereSlicesAreNarrow) {
  // 1 x 4 x 1: a segment of A has a quarter of the columns; 2 x 1 x 1: B's slices have all.
  VolumeCounts counts;
  counts.rowsA = counts.inner = counts.columnsB = 4 << 16;
  counts.entriesA = counts.entriesB = 16.0 * (4 << 16);
  const double offsets = 4 * ((4 << 16) + 1);
  TEST_EQUALITY(predictVolume({1, 4, 1}, counts).rounds, 3 * (10 * counts.entriesA + 4 * offsets));
  TEST_EQUALITY(predictVolume({2, 1, 1}, counts).rounds,
                12 * counts.entriesB + 4.0 * (4 << 16) + 8);
  counts.inner += 4;
  TEST_COMPARE(predictVolume({1, 4, 1}, counts).rounds, >, 3 * 12 * counts.entriesA);
}

TEUCHOS_UNIT_TEST(VolumeModel, HypersparseSlabsPayForTheirOwnRows) {
  // One entry in 64 rows: a slab of 4 x 4 x 1 has 2^18 rows and 2^12 entries, in nearly as many
  // rows. Whole offsets would cost 4 · 2^18 bytes a slab, listed rows cost 8 · 2^12.
  VolumeCounts counts;
  counts.rowsA = counts.inner = 1 << 20;
  counts.entriesA = counts.entriesB = 1 << 16;
  counts.columnsB = 1 << 20;
  const double perSlab = predictVolume({4, 4, 1}, counts).rounds / (2 * 3 * 16);
  TEST_COMPARE(perSlab, >, 4096 * 12.0);
  TEST_COMPARE(perSlab, <=, 4096 * (12.0 + 8.0) + 8);
}

TEUCHOS_UNIT_TEST(VolumeModel, CrossingsAreEntriesAndRuns) {
  VolumeCounts counts = uniformSquare();
  counts.scalarBytes = 16;
  counts.importA = {100, 10};
  counts.importB = {200, 20};
  counts.exportC = {300, 30};
  counts.columnNumberBytes = 7;
  counts.columnQueryBytes = 9;
  const VolumePrediction volume = predictVolume({1, 1, 1}, counts);
  TEST_EQUALITY_CONST(volume.import, 300 * 20.0 + 30 * 8.0 + 7);
  TEST_EQUALITY_CONST(volume.export_, 300 * 20.0 + 30 * 8.0 + 9);
  TEST_EQUALITY(volume.total(), volume.import + volume.export_);
}

TEUCHOS_UNIT_TEST(VolumeModel, EmptyFactors) {
  VolumeCounts counts = uniformSquare();
  counts.entriesA = 0;
  counts.entriesB = 0;
  TEST_EQUALITY_CONST(predictVolume({3, 2, 2}, counts).total(), 0.0);
}

}  // namespace

}  // namespace Trident::Impl
