// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TEAMTABLE_HPP
#define TRIDENT_TEAMTABLE_HPP

#include "kernels/teams/Trident_TeamGroup.hpp"
#include "matrix/Trident_Atomics.hpp"

namespace Trident::Impl {

/// The distinct columns of a row, in a hash table in scratch memory that threads share. The number
/// of slots is a power of two. At most three quarters of the slots are taken.
struct ColumnTable {
  int* keys;
  int slots;

  KOKKOS_INLINE_FUNCTION static constexpr int roomOf(int slots) { return slots / 4 * 3; }

  KOKKOS_INLINE_FUNCTION void clear(int slot) const { keys[slot] = -1; }

  KOKKOS_INLINE_FUNCTION int first(int column) const {
    return static_cast<int>(static_cast<std::uint32_t>(column) * 2654435769u >> 8) & (slots - 1);
  }
  /// Inserts a column and returns its slot. Exactly one inserting thread gets `isNew` = true.
  KOKKOS_INLINE_FUNCTION int insert(int column, bool& isNew) const {
    isNew = false;
    for (int slot = first(column);; slot = (slot + 1) & (slots - 1)) {
      int there = keys[slot];
      if (there == -1) {
        there = Kokkos::atomic_compare_exchange(keys + slot, -1, column);
        isNew = there == -1;
      }
      if (isNew || there == column) return slot;
    }
  }
  /// Returns the slot of a column; -1 if it was not inserted.
  KOKKOS_INLINE_FUNCTION int find(int column) const {
    for (int slot = first(column);; slot = (slot + 1) & (slots - 1)) {
      const int there = keys[slot];
      if (there == column) return slot;
      if (there == -1) return -1;
    }
  }
};

/// A table of columns that a group shares, with the number of columns, and a list if asked for.
struct ListedColumns {
  ColumnTable table;
  int* found;  ///< list of columns; null if columns are only counted
  int* count;  ///< number of columns

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(int slots, bool listed) {
    return sizeof(int) * (slots + (listed ? ColumnTable::roomOf(slots) : 0) + 1);
  }

  KOKKOS_INLINE_FUNCTION ListedColumns(void* memory, int slots, bool listed)
      : table{static_cast<int*>(memory), slots},
        found(listed ? table.keys + slots : nullptr),
        count(table.keys + slots + (listed ? ColumnTable::roomOf(slots) : 0)) {}

  template <class Group>
  KOKKOS_INLINE_FUNCTION void clear(const Group& group) const {
    group.each(table.slots, [&](int slot) {
      table.clear(slot);
      if (slot == 0) *count = 0;
    });
  }
  KOKKOS_INLINE_FUNCTION int insert(int column, bool& isNew) const {
    const int slot = table.insert(column, isNew);
    if (isNew) {
      const int n = fetchAdd(count, 1);
      if (found) found[n] = column;
    }
    return slot;
  }
};

/// Sorts numbers in scratch memory by Batcher's bitonic network. The whole group calls. The network
/// is padded by largest numbers; these never move, so they need no memory.
template <class Group>
KOKKOS_INLINE_FUNCTION void sortInScratch(const Group& group, int* numbers, int count) {
  int padded = 1;
  while (padded < count) padded *= 2;
  const auto inOrder = [=](int low, int high) {
    if (high >= count || numbers[low] <= numbers[high]) return;
    const int x = numbers[low];
    numbers[low] = numbers[high];
    numbers[high] = x;
  };
  for (int run = 2; run <= padded; run *= 2) {
    group.each(padded / 2, [&](int pair) {
      const int n = pair & (run / 2 - 1), begin = (pair - n) * 2;
      inOrder(begin + n, begin + run - 1 - n);
    });
    for (int apart = run / 4; apart > 0; apart /= 2)
      group.each(padded / 2, [&](int pair) {
        const int n = pair & (apart - 1), low = (pair - n) * 2 + n;
        inOrder(low, low + apart);
      });
  }
}

/// A kernel that counts the distinct columns of rows of A·B in tables. Each row has a team, or a
/// thread of a team.
template <class Scalar, class Device>
struct CountTableRows {
  TeamCsr<Scalar> A, B;
  const int* rows;  ///< rows to count; null means all rows
  long long count;
  std::size_t* counts;
  int slots;
  bool wholeTeam;

  std::size_t scratchBytes() const { return ListedColumns::bytes(slots, false); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Device>& member) const {
    const long long n = groupNumber(member, wholeTeam);
    if (n >= count) return;
    const TeamGroup<TeamMember<Device>> group{member, wholeTeam};
    const long long r = rows ? rows[n] : n;
    const ListedColumns listed(scratchOf(group, ListedColumns::bytes(slots, false)), slots, false);
    listed.clear(group);
    const EntryRange inA = A.row(r);
    group.eachByParts(inA.length, [&](int a, const TeamGroup<TeamMember<Device>>& part) {
      const EntryRange inB = B.row(A.columns[inA.begin + a]);
      part.each(inB.length, [&](int b) {
        bool isNew;
        listed.insert(B.columns[inB.begin + b], isNew);
      });
    });
    group.each(1, [&](int) { counts[r] = *listed.count; });
  }
};

/// A kernel that computes rows of A·B, whose lengths are known, in tables. Sums are in the order of
/// A's entries, because a group takes these entries one after the other. No two threads add to one
/// sum at a time, because the columns of a row of B differ.
template <class Scalar, class Device, class Semiring>
struct ComputeTableRows {
  using Sum = SumOf<Scalar>;

  TeamCsr<Scalar> A, B;
  const int* rows;  ///< rows to compute; null means all rows
  long long count;
  const std::size_t* offsets;
  int* columns;
  Scalar* values;
  int slots;
  bool wholeTeam;
  TeamTimes<Semiring> product;

  static constexpr std::size_t bytes(int slots) {
    return slots * sizeof(Sum) + ListedColumns::bytes(slots, true);
  }
  std::size_t scratchBytes() const { return bytes(slots); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Device>& member) const {
    const long long n = groupNumber(member, wholeTeam);
    if (n >= count) return;
    const TeamGroup<TeamMember<Device>> group{member, wholeTeam};
    const long long r = rows ? rows[n] : n;
    Sum* const sums = static_cast<Sum*>(
        scratchOf(group, slots * sizeof(Sum) + ListedColumns::bytes(slots, true)));
    const ListedColumns listed(sums + slots, slots, true);
    listed.clear(group);
    addTerms(group, listed, sums, A.row(r));
    const std::size_t begin = offsets[r];
    const int length = static_cast<int>(offsets[r + 1] - begin);
    sortInScratch(group, listed.found, length);
    group.each(length, [&](int e) {
      columns[begin + e] = listed.found[e];
      values[begin + e] = sums[listed.table.find(listed.found[e])];
    });
  }

 private:
  template <class Group>
  KOKKOS_INLINE_FUNCTION void addTerms(const Group& group, const ListedColumns& listed, Sum* sums,
                                       const EntryRange& inA) const {
    // The next row of B is looked up before this row is added, to hide the latency of the look-up.
    EntryRange next = B.row(A.columns[inA.begin]);
    for (int a = 0; a < inA.length; ++a) {
      const EntryRange inB = next;
      const Scalar value = A.values[inA.begin + a];
      if (a + 1 < inA.length) next = B.row(A.columns[inA.begin + a + 1]);
      group.each(inB.length, [&](int b) {
        bool isNew;
        const int slot = listed.insert(B.columns[inB.begin + b], isNew);
        const Sum more = product(value, B.values[inB.begin + b]);
        sums[slot] = Semiring::plus(isNew ? Semiring::zero() : sums[slot], more);
      });
    }
  }
};

}  // namespace Trident::Impl

#endif
