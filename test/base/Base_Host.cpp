// SPDX-License-Identifier: BSD-3-Clause
// Small things that depend on the machine: counting bits, huge pages.

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "base/Trident_Memory.hpp"
#include "base/Trident_Types.hpp"

namespace Trident::Impl {
namespace {

int bitByBit(Word word) {
  int bits = 0;
  for (int b = 0; b < 64; ++b) bits += (word >> b & 1) != 0;
  return bits;
}

TEUCHOS_UNIT_TEST(Bits, PopcountCountsBits) {
  const unsigned seed = 3;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = popcount(0) != 0 || popcount(~Word(0)) != 64;
  for (int b = 0; b < 64; ++b) {
    wrong += popcount(Word(1) << b) != 1;
    wrong += popcount((Word(1) << b) - 1) != b;
  }
  for (int n = 0; n < 1000; ++n) {
    const Word word = random() & (n % 2 ? random() : ~Word(0));
    wrong += popcount(word) != bitByBit(word);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(HugePages, AdviceChangesNoByte) {
  for (std::size_t bytes :
       {std::size_t(0), std::size_t(100), std::size_t(1) << 24, (std::size_t(1) << 24) + 12345}) {
    std::vector<unsigned char> room(bytes + 3);
    for (std::size_t n = 0; n < room.size(); ++n) room[n] = static_cast<unsigned char>(n * 31);
    adviseHugePages(room.data() + 3, bytes);  // at no special alignment
    long long wrong = 0;
    for (std::size_t n = 0; n < room.size(); ++n)
      wrong += room[n] != static_cast<unsigned char>(n * 31);
    TEST_EQUALITY_CONST(wrong, 0);
  }
  adviseHugePages(nullptr, 0);
}

}  // namespace

}  // namespace Trident::Impl
