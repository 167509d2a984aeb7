// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICROWS_HPP
#define TRIDENT_NUMERICROWS_HPP

#include <algorithm>
#include <cstdint>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The columns of a row and their sums in scratch memory; a power of two of slots, one of them
/// empty. Threads share it.
template <class Scalar>
struct HashTable {
  Scalar* sums;
  int* keys;
  int slots;

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(int slots) {
    return slots * (sizeof(Scalar) + sizeof(int));
  }
  static constexpr std::size_t alignment = alignof(Scalar) > 8 ? alignof(Scalar) : 8;

  KOKKOS_INLINE_FUNCTION HashTable(void* memory, int count)
      : sums(static_cast<Scalar*>(memory)),
        keys(reinterpret_cast<int*>(sums + count)),
        slots(count) {}

  KOKKOS_INLINE_FUNCTION void clear(int slot) const {
    keys[slot] = -1;
    sums[slot] = Scalar(0);
  }
  KOKKOS_INLINE_FUNCTION int first(int column) const {
    return static_cast<int>(static_cast<std::uint32_t>(column) * 2654435769u >> 8) & (slots - 1);
  }
  KOKKOS_INLINE_FUNCTION void insert(int column) const {
    int slot = first(column);
    for (int n = 0; n < slots; ++n, slot = (slot + 1) & (slots - 1)) {
      const int there = Kokkos::atomic_compare_exchange(keys + slot, -1, column);
      if (there == -1 || there == column) return;
    }
  }
  /// The slot of a column; -1 where it was not inserted.
  KOKKOS_INLINE_FUNCTION int find(int column) const {
    int slot = first(column);
    for (int n = 0; n < slots; ++n, slot = (slot + 1) & (slots - 1)) {
      const int there = keys[slot];
      if (there == column) return slot;
      if (there == -1) return -1;
    }
    return -1;
  }
};

template <class Scalar, class Device>
struct NumericOperands {
  LocalMatrix<Scalar, Device> A, B, C;
  Kokkos::View<int*, Device> rows;  ///< that are computed; where it is empty, all of them
  bool add;
  Kokkos::View<long long, Device> strays;

  KOKKOS_INLINE_FUNCTION long long row(long long n) const {
    return rows.extent(0) == 0 ? n : rows(n);
  }
  KOKKOS_INLINE_FUNCTION void countStrays(long long mine) const {
    if (mine > 0) addShared(&strays(), mine);
  }
  KOKKOS_INLINE_FUNCTION void write(std::size_t e, const Scalar& sum) const {
    C.values(e) = add ? C.values(e) + sum : sum;
  }
};

/// The products of entry `a` with the b-th entry of its row of B go into a table; how many did not.
template <class Scalar, class Device>
struct AddToTable {
  NumericOperands<Scalar, Device> operands;
  HashTable<Scalar> table;

  KOKKOS_INLINE_FUNCTION long long operator()(const Scalar& value, std::size_t b) const {
    const int slot = table.find(operands.B.graph.entries(b));
    if (slot < 0) return 1;
    addShared(table.sums + slot, value * operands.B.values(b));
    return 0;
  }
};

/// A row for each thread of a team: its entries of A one after the other, those of B's rows over
/// its vector lanes.
template <class Scalar, class Device>
struct RowsByThreads {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

  NumericOperands<Scalar, Device> operands;
  long long count;
  int slots;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const long long n =
        static_cast<long long>(member.league_rank()) * member.team_size() + member.team_rank();
    if (n >= count) return;
    const auto& A = operands.A.graph;
    const auto& B = operands.B.graph;
    const auto& C = operands.C.graph;
    const long long r = operands.row(n);
    const std::size_t begin = C.row_map(r);
    const int length = static_cast<int>(C.row_map(r + 1) - begin);
    const HashTable<Scalar> table(
        member.thread_scratch(0).get_shmem_aligned(HashTable<Scalar>::bytes(slots),
                                                   HashTable<Scalar>::alignment),
        slots);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, slots),
                         [&](int slot) { table.clear(slot); });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, length),
                         [&](int e) { table.insert(C.entries(begin + e)); });
    const AddToTable<Scalar, Device> product{operands, table};
    long long strays = 0;
    for (std::size_t a = A.row_map(r); a < A.row_map(r + 1); ++a) {
      const std::size_t beginB = B.row_map(A.entries(a));
      const int lengthB = static_cast<int>(B.row_map(A.entries(a) + 1) - beginB);
      const Scalar value = operands.A.values(a);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lengthB),
                           [&](int b) { strays += product(value, beginB + b); });
    }
    operands.countStrays(strays);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, length), [&](int e) {
      operands.write(begin + e, table.sums[table.find(C.entries(begin + e))]);
    });
  }
};

/// Runs work(value of A, entry of B) -> strays for entries [begin, end) of A, by a team: A's
/// entries over the threads and B's over the vector lanes or, where A's are few, all threads for
/// each of A's.
template <class Scalar, class Device, class Member, class Work>
KOKKOS_INLINE_FUNCTION void forTeamProducts(const Member& member,
                                            const NumericOperands<Scalar, Device>& operands,
                                            std::size_t begin, std::size_t end, const Work& work) {
  const auto& A = operands.A.graph;
  const auto& B = operands.B.graph;
  const int length = static_cast<int>(end - begin);
  long long strays = 0;
  if (length < member.team_size()) {
    for (std::size_t a = begin; a < end; ++a) {
      const std::size_t beginB = B.row_map(A.entries(a));
      const int lengthB = static_cast<int>(B.row_map(A.entries(a) + 1) - beginB);
      const Scalar value = operands.A.values(a);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, lengthB),
                           [&](int b) { strays += work(value, beginB + b); });
    }
  } else {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, length), [&](int n) {
      const std::size_t a = begin + n;
      const std::size_t beginB = B.row_map(A.entries(a));
      const int lengthB = static_cast<int>(B.row_map(A.entries(a) + 1) - beginB);
      const Scalar value = operands.A.values(a);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lengthB),
                           [&](int b) { strays += work(value, beginB + b); });
    });
  }
  operands.countStrays(strays);
}

/// A row for each team.
template <class Scalar, class Device>
struct RowsByTeams {
  using Member = typename Kokkos::TeamPolicy<typename Device::execution_space>::member_type;

  NumericOperands<Scalar, Device> operands;
  int slots;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& A = operands.A.graph;
    const auto& C = operands.C.graph;
    const long long r = operands.row(member.league_rank());
    const std::size_t begin = C.row_map(r);
    const int length = static_cast<int>(C.row_map(r + 1) - begin);
    const HashTable<Scalar> table(
        member.team_scratch(0).get_shmem_aligned(HashTable<Scalar>::bytes(slots),
                                                 HashTable<Scalar>::alignment),
        slots);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, slots),
                         [&](int slot) { table.clear(slot); });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, length),
                         [&](int e) { table.insert(C.entries(begin + e)); });
    member.team_barrier();
    forTeamProducts(member, operands, A.row_map(r), A.row_map(r + 1),
                    AddToTable<Scalar, Device>{operands, table});
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, length), [&](int e) {
      operands.write(begin + e, table.sums[table.find(C.entries(begin + e))]);
    });
  }
};

/// Vector lanes for rows of this mean length: a power of two up to a warp.
inline int lanesFor(long long entries, long long rows) {
  int lanes = 4;
  while (lanes < 32 && rows * lanes < entries) lanes *= 2;
  return lanes;
}

/// A policy of teams of about `threads` threads, lanes and all, with the scratch memory of a table
/// for each team or each of its threads; smaller teams where the execution space has no such ones.
template <class Device, class Functor>
Kokkos::TeamPolicy<typename Device::execution_space> teamPolicy(long long count, int threads,
                                                                int lanes, std::size_t tableBytes,
                                                                bool tablePerThread,
                                                                const Functor& functor) {
  using Policy = Kokkos::TeamPolicy<typename Device::execution_space>;
  const int vector = std::min(lanes, Policy::vector_length_max());
  const auto scratch = [&](Policy policy) {
    return tablePerThread ? policy.set_scratch_size(0, Kokkos::PerThread(tableBytes))
                          : policy.set_scratch_size(0, Kokkos::PerTeam(tableBytes));
  };
  const int most = scratch(Policy(1, 1, vector)).team_size_max(functor, Kokkos::ParallelForTag());
  const int size = std::max(1, std::min(most, threads / vector));
  const long long teams = tablePerThread ? (count + size - 1) / size : count;
  return scratch(Policy(static_cast<int>(teams), size, vector));
}

template <class Scalar, class Device>
void computeRowsByThreads(const NumericOperands<Scalar, Device>& operands, long long count,
                          int slots, int lanes) {
  // More than this of scratch memory in a team would leave the device with few teams.
  constexpr std::size_t teamBytes = 24 * 1024;
  const std::size_t bytes = HashTable<Scalar>::bytes(slots) + HashTable<Scalar>::alignment;
  const int threads = std::min(128, lanes * std::max(1, static_cast<int>(teamBytes / bytes)));
  const RowsByThreads<Scalar, Device> functor{operands, count, slots};
  Kokkos::parallel_for("Trident::numericRowsByThreads",
                       teamPolicy<Device>(count, threads, lanes, bytes, true, functor), functor);
}

template <class Scalar, class Device>
void computeRowsByTeams(const NumericOperands<Scalar, Device>& operands, long long count, int slots,
                        int lanes) {
  const std::size_t bytes = HashTable<Scalar>::bytes(slots) + HashTable<Scalar>::alignment;
  const RowsByTeams<Scalar, Device> functor{operands, slots};
  Kokkos::parallel_for("Trident::numericRowsByTeams",
                       teamPolicy<Device>(count, slots / 8, lanes, bytes, false, functor), functor);
}

}  // namespace Trident::Impl

#endif
