// SPDX-License-Identifier: BSD-3-Clause
// Every entry of every row is visited once, with its row, however many threads share a row.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::toVector;

std::vector<std::size_t> randomOffsets(std::mt19937_64& random, int rows, int longest) {
  std::vector<std::size_t> offsets(rows + 1, 3);  // entries before the first row are nobody's
  for (int r = 0; r < rows; ++r)
    offsets[r + 1] = offsets[r] + (random() % 3 ? random() % (longest + 1) : 0);
  return offsets;
}

/// Adds up, for every entry, visits and the row they came with.
struct NoteRow {
  Kokkos::View<long long*, Device> rows;
  KOKKOS_INLINE_FUNCTION void operator()(long long row, std::size_t e) const { rows(e) += row + 1; }
};

std::vector<long long> expectedRows(const std::vector<std::size_t>& offsets) {
  std::vector<long long> rows(offsets.back(), 0);
  for (std::size_t r = 0; r + 1 < offsets.size(); ++r)
    for (std::size_t e = offsets[r]; e < offsets[r + 1]; ++e)
      rows[e] = static_cast<long long>(r) + 1;
  return rows;
}

TEUCHOS_UNIT_TEST(RowEntries, EveryEntryOnce) {
  std::mt19937_64 random(71);
  for (int rows : {1, 2, 100, 1000})
    for (int longest : {0, 1, 5, 40, 200}) {
      const auto offsets = randomOffsets(random, rows, longest);
      const NoteRow note{Kokkos::View<long long*, Device>("rows", offsets.back())};
      forRowEntries<Device>("test", rows, offsets.back() - offsets.front(),
                            TestTools::toDevice(offsets), note);
      TEST_ASSERT(toVector(note.rows) == expectedRows(offsets));
    }
}

TEUCHOS_UNIT_TEST(RowEntries, AnyNumberOfLanes) {
  // The loop of devices, on whatever runs here.
  using Offsets = Kokkos::View<std::size_t*, Device>;
  std::mt19937_64 random(72);
  const auto offsets = randomOffsets(random, 300, 70);
  for (int bits = 0; bits <= 5; ++bits) {
    const NoteRow note{Kokkos::View<long long*, Device>("rows", offsets.back())};
    Kokkos::parallel_for("test", Range<Device>(0, 300ll << bits),
                         EntriesOfLane<Offsets, NoteRow>{TestTools::toDevice(offsets), note, bits});
    TEST_ASSERT(toVector(note.rows) == expectedRows(offsets));
  }
}

TEUCHOS_UNIT_TEST(RowEntries, LanesByTheMeanLength) {
  TEST_EQUALITY_CONST(laneBitsFor(100, 0), 0);
  TEST_EQUALITY_CONST(laneBitsFor(100, 100), 0);
  TEST_EQUALITY_CONST(laneBitsFor(100, 101), 1);
  TEST_EQUALITY_CONST(laneBitsFor(100, 800), 3);
  TEST_EQUALITY_CONST(laneBitsFor(100, 1000000), 5);
}

}  // namespace

}  // namespace Trident::Impl
