// SPDX-License-Identifier: BSD-3-Clause
// Scratch arrays and pinned memory: what they get, and that it is kept between calls within its
// bound.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <vector>

#include "Trident_TestDense.hpp"
#include "base/Trident_PinnedMemory.hpp"
#include "base/Trident_Threads.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using Blocks = ScratchBlocks<long long, Device>;  // as devices use it; here on any

TEUCHOS_UNIT_TEST(ScratchArrays, ABlockIsLentToOneAtATime) {
  auto first = Blocks::ofProcess().lend(5000);
  const auto second = Blocks::ofProcess().lend(5000);
  TEST_EQUALITY_CONST(first.extent(0), 5000);
  TEST_ASSERT(first.data() != second.data());
  const auto* const data = first.data();
  const auto copy = first;  // holds it too
  first = {};
  TEST_ASSERT(Blocks::ofProcess().lend(5000).data() != data);
}

TEUCHOS_UNIT_TEST(ScratchArrays, ABlockIsLentAgain) {
  auto array = Blocks::ofProcess().lend(7000);
  const auto* const data = array.data();
  array = {};
  TEST_ASSERT(Blocks::ofProcess().lend(6900).data() == data);  // of the same size of blocks
  array = {};
  const std::size_t before = Blocks::ofProcess().unused();
  TEST_EQUALITY_CONST(Blocks::ofProcess().lend(7100).extent(0), 7100);
  TEST_EQUALITY(Blocks::ofProcess().unused(), before);
}

TEUCHOS_UNIT_TEST(ScratchArrays, RoomIsAtMostAQuarterMore) {
  for (const std::size_t size : {1025u, 1280u, 1281u, 1536u, 1793u, 2048u, 2049u, 100001u}) {
    trimScratch(0);
    static_cast<void>(Blocks::ofProcess().lend(size));
    const std::size_t room = Blocks::ofProcess().unused() / sizeof(long long);
    TEST_ASSERT(room >= size && 4 * room <= 5 * size + 4);
  }
}

TEUCHOS_UNIT_TEST(ScratchArrays, TheEndOfACallKeepsLittle) {
  trimScratch(0);
  {
    const SingleThreadGuard inside;
    static_cast<void>(Blocks::ofProcess().lend(scratchPoolBytes() / sizeof(long long) / 2));
  }
  TEST_ASSERT(Blocks::ofProcess().unused() > 0);
  const auto held = Blocks::ofProcess().lend(3000);
  {
    const SingleThreadGuard inside;
    {
      const SingleThreadGuard nested;
      static_cast<void>(Blocks::ofProcess().lend(scratchPoolBytes() / sizeof(long long)));
    }
    TEST_ASSERT(Blocks::ofProcess().unused() > scratchPoolBytes());  // the call has not ended
  }
  TEST_ASSERT(Blocks::ofProcess().unused() <= scratchPoolBytes());
  TEST_EQUALITY_CONST(held.extent(0), 3000);  // what is lent stays
}

TEUCHOS_UNIT_TEST(ScratchArrays, WhereMemoryLacksWhatIsKeptGoes) {
  static_cast<void>(Blocks::ofProcess().lend(9000));
  int tries = 0;
  const auto second = [&] {
    if (++tries == 1) throw std::bad_alloc();
    return tries;
  };
  const int triesOfBoth = allocateForSure(second);
  TEST_EQUALITY_CONST(triesOfBoth, 2);
  TEST_EQUALITY_CONST(Blocks::ofProcess().unused(), 0);
  tries = 0;
  TEST_THROW(allocateForSure(second), std::bad_alloc);  // nothing is left that could go

#ifndef __SANITIZE_ADDRESS__  // which ends a program that asks for so much
  // What Kokkos throws for a View is another exception.
  static_cast<void>(Blocks::ofProcess().lend(9000));
  constexpr std::size_t more = std::size_t(1) << 50;  // bytes that no machine has
  TEST_THROW((uninitialized<char, Device>("more", more)), std::exception);
  TEST_EQUALITY_CONST(Blocks::ofProcess().unused(), 0);
#endif
}

TEUCHOS_UNIT_TEST(ScratchArrays, ABlockMoreIsPaidByThoseThatNobodyUses) {
  trimScratch(0);
  const std::size_t large = scratchPoolBytes() / sizeof(long long) / 4 * 3;
  static_cast<void>(Blocks::ofProcess().lend(large));
  static_cast<void>(Blocks::ofProcess().lend(large / 2 * 3));
  static_cast<void>(Blocks::ofProcess().lend(1500));
  TEST_ASSERT(Blocks::ofProcess().unused() <= scratchPoolBytes() + 1500 * 2 * sizeof(long long));
}

TEUCHOS_UNIT_TEST(ScratchArrays, ArraysOfSomeSizesAreLent) {
  // KB that are worth a block on hosts and on devices, and such that are not.
  struct Case {
    std::size_t kilobytes;
    bool onHosts;
  };
  for (const Case& each : {Case{100, false}, Case{128, true}, Case{16 << 10, true},
                           Case{(16 << 10) + 1, false}, Case{400, true}}) {
    trimScratch(0);
    const std::size_t size = each.kilobytes * 1024 / sizeof(long long);
    const void* const data = scratch<long long, Device>("array", size).data();
    const bool lent = !isHost<Device> || each.onHosts;
    TEST_EQUALITY(Blocks::ofProcess().unused() > 0, lent);
    const auto again = scratch<long long, Device>("again", size);
    TEST_EQUALITY(again.extent(0), size);
    if (lent) TEST_EQUALITY(static_cast<const void*>(again.data()), data);
  }
}

TEUCHOS_UNIT_TEST(ScratchArrays, ZerosAndCopies) {
  const auto zeros = zeroScratch<int, Device>("zeros", 3000);
  const std::vector<int> found = toHost<int, Device>(zeros);
  TEST_ASSERT(found == std::vector<int>(3000, 0));
  const std::vector<int> numbers{3, 1, 2};
  const auto copied = toDevice<int, Device>(numbers);
  TEST_ASSERT((toHost<int, Device>(copied)) == numbers);
  TEST_EQUALITY_CONST((scratch<int, Device>("none", 0)).extent(0), 0);
}

TEUCHOS_UNIT_TEST(PinnedMemory, ABlockIsLentToOneAtATimeAndThenAgain) {
  MemoryBlock first = lendPinned(5000), second = lendPinned(5000);
  TEST_ASSERT(first.data() != second.data());
  TEST_ASSERT(first.size() >= 5000 && second.size() >= 5000);
  const char* const data = first.data();
  first = {};
  TEST_ASSERT(lendPinned(4000).data() == data);
  const MemoryBlock copy = second;
  second = {};
  TEST_ASSERT(lendPinned(5000).data() != copy.data());
}

TEUCHOS_UNIT_TEST(PinnedMemory, TheSmallestThatFitsIsLent) {
  MemoryBlock large = lendPinned(1 << 20), small = lendPinned(1 << 16);
  const char *const largeData = large.data(), *const smallData = small.data();
  large = small = {};
  const MemoryBlock less = lendPinned(1 << 15), more = lendPinned(1 << 19);
  TEST_ASSERT(less.data() == smallData);
  TEST_ASSERT(more.data() == largeData);
}

TEUCHOS_UNIT_TEST(PinnedMemory, WhatIsLentHoldsItsBytes) {
  std::vector<MemoryBlock> blocks;
  for (int n = 0; n < 8; ++n) {
    blocks.push_back(lendPinned(1000 * (n % 3 + 1)));
    std::fill_n(blocks.back().data(), 1000 * (n % 3 + 1), static_cast<char>(n));
    if (n % 4 == 3) blocks.erase(blocks.begin());
  }
  for (const MemoryBlock& block : blocks) TEST_EQUALITY(block.data()[0], block.data()[999]);
}

TEUCHOS_UNIT_TEST(PinnedMemory, CopiesThroughItBringEveryByte) {
  const Kokkos::View<char*, Device> there("there", 10000), back("back", 10000);
  Kokkos::deep_copy(there, 'x');
  const MemoryBlock pinned = lendPinned(10000);
  startCopy(pinned.data(), MemoryKind::Pinned, there.data(), MemoryKind::Device, 10000);
  startCopy(back.data(), MemoryKind::Device, pinned.data(), MemoryKind::Pinned, 10000);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), back);
  TEST_EQUALITY_CONST(std::count(host.data(), host.data() + 10000, 'x'), 10000);
}

TEUCHOS_UNIT_TEST(PinnedMemory, TheEndOfACallKeepsWhatItMay) {
  trimPinned(0);
  TEST_EQUALITY_CONST(trimPinned(keptPinnedBytes()), 0);
  const MemoryBlock held = lendPinned(1000);
  {
    const SingleThreadGuard inside;
    for (int n = 0; n < 3; ++n) static_cast<void>(lendPinned(100000 << n));
  }
  const std::size_t unused = trimPinned(keptPinnedBytes());
  TEST_ASSERT(unused > 0 && unused <= keptPinnedBytes());
  TEST_ASSERT(trimPinned(150000) <= 150000);
  TEST_ASSERT(trimPinned(150000) > 0);  // the largest went first
  TEST_EQUALITY_CONST(trimPinned(0), 0);
  TEST_ASSERT(held.size() >= 1000);
}

}  // namespace
}  // namespace Trident::Impl
