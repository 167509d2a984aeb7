// SPDX-License-Identifier: BSD-3-Clause
// Sets of indices in words: what is packed is what is unpacked, in no more words than a list or a
// bitmap has.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_IndexSets.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;

struct IndexOf {
  Kokkos::View<int*, Device> indices;
  KOKKOS_INLINE_FUNCTION int operator()(long long n) const { return indices(n); }
};

/// Draws `count` of the indices below `size`, ascending.
std::vector<int> draw(long long count, long long size, std::mt19937_64& random) {
  std::vector<int> all(size);
  std::iota(all.begin(), all.end(), 0);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(count);
  std::sort(all.begin(), all.end());
  return all;
}

TEUCHOS_UNIT_TEST(IndexSets, WhatIsPackedIsUnpacked) {
  const unsigned seed = 71;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<long long> counts, sizes;
    std::vector<int> all;
    long long words = 0;
    for (int sets = static_cast<int>(random() % 6); sets >= 0; --sets) {
      sizes.push_back(static_cast<long long>(random() % (turn % 3 ? 200 : 5000)));
      const long long most = random() % 3 ? sizes.back() : sizes.back() / 32;
      counts.push_back(random() % 4 ? static_cast<long long>(random() % (most + 1)) : most);
      const std::vector<int> set = draw(counts.back(), sizes.back(), random);
      all.insert(all.end(), set.begin(), set.end());
      words += std::min(counts.back(), (sizes.back() + 31) / 32);
    }
    const auto count = static_cast<long long>(all.size());
    const IndexSets<Device> sets(counts, sizes);
    TEST_EQUALITY(sets.wordCount(), words);
    TEST_EQUALITY(std::accumulate(sets.words().begin(), sets.words().end(), 0ll), words);
    const auto packed = sets.pack(count, IndexOf{toDevice<int, Device>(all)});
    TEST_EQUALITY(static_cast<long long>(packed.extent(0)), words);
    const auto unpacked = uninitialized<int, Device>("unpacked", count);
    sets.unpack(packed, unpacked);
    TEST_ASSERT((toHost<int, Device>(unpacked)) == all);
  }
}

TEUCHOS_UNIT_TEST(IndexSets, FewAreListedAndManyAreABitmap) {
  TEST_EQUALITY_CONST(setWords(3ll, 320ll), 3);
  TEST_EQUALITY_CONST(setWords(10ll, 320ll), 10);
  TEST_EQUALITY_CONST(setWords(320ll, 320ll), 10);
  TEST_EQUALITY_CONST(setWords(0, 33), 0);
  TEST_EQUALITY_CONST(bitmapWords(33), 2);
}

}  // namespace
}  // namespace Trident::Impl
