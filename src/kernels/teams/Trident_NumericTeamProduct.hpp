// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICTEAMPRODUCT_HPP
#define TRIDENT_NUMERICTEAMPRODUCT_HPP

#include <algorithm>

#include "kernels/teams/Trident_TeamBins.hpp"
#include "kernels/teams/Trident_TeamGroup.hpp"
#include "kernels/teams/Trident_TeamTable.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

// The values of a product whose structure is known, by Kokkos' teams. A short row of C is computed
// in a table in scratch memory, by one thread and its vector lanes, or by one team. A row that is
// long in C or in A is computed in global memory, with a team for each chunk of A's row. Additions
// are atomic.

namespace Trident::Impl {

/// A table of a row's columns and their sums, in scratch memory.
template <class Scalar>
struct NumericTable {
  Scalar* sums;
  ColumnTable columns;

  KOKKOS_INLINE_FUNCTION static constexpr std::size_t bytes(int slots) {
    return slots * (sizeof(Scalar) + sizeof(int));
  }
  static constexpr std::size_t alignment = alignof(Scalar) > 8 ? alignof(Scalar) : 8;

  KOKKOS_INLINE_FUNCTION NumericTable(void* memory, int slots)
      : sums(static_cast<Scalar*>(memory)), columns{reinterpret_cast<int*>(sums + slots), slots} {}

  KOKKOS_INLINE_FUNCTION void clear(int slot) const {
    columns.clear(slot);
    sums[slot] = Scalar(0);
  }
  KOKKOS_INLINE_FUNCTION void insert(int column) const {
    bool isNew;
    columns.insert(column, isNew);
  }
};

template <class Scalar, class Device>
struct NumericOperands {
  LocalMatrix<Scalar, Device> A, B, C;
  const int* rows;  ///< rows to compute; null means all rows
  bool add;
  Kokkos::View<long long, Device> strays;

  KOKKOS_INLINE_FUNCTION long long row(long long n) const { return rows ? rows[n] : n; }
  KOKKOS_INLINE_FUNCTION void countStrays(long long mine) const {
    if (mine > 0) addShared(&strays(), mine);
  }
  KOKKOS_INLINE_FUNCTION void write(std::size_t e, const Scalar& sum) const {
    C.values(e) = add ? C.values(e) + sum : sum;
  }
};

/// A functor that adds the term of an entry of A and entry b of B to a table. Returns 1 if the
/// table lacks the term's column, else 0.
template <class Scalar, class Device>
struct AddToTable {
  NumericOperands<Scalar, Device> operands;
  NumericTable<Scalar> table;

  KOKKOS_INLINE_FUNCTION long long operator()(const Scalar& value, std::size_t b) const {
    const int slot = table.columns.find(operands.B.graph.entries(b));
    if (slot < 0) return 1;
    addShared(table.sums + slot, value * operands.B.values(b));
    return 0;
  }
};

/// A kernel in which each thread of a team computes a row. A thread takes A's entries one after the
/// other; its vector lanes share the entries of B's row.
template <class Scalar, class Device>
struct NumericThreadRows {
  using Member = TeamMember<Device>;

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
    const NumericTable<Scalar> table(
        member.thread_scratch(0).get_shmem_aligned(NumericTable<Scalar>::bytes(slots),
                                                   NumericTable<Scalar>::alignment),
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
      operands.write(begin + e, table.sums[table.columns.find(C.entries(begin + e))]);
    });
  }
};

/// Runs work(value of A, entry of B) for the terms of entries [begin, end) of A, by a team. Counts
/// strays: work() returns 1 for a stray, else 0. Threads share A's entries, and vector lanes share
/// a row of B. If A's entries are few, the whole team shares one row of B at a time.
template <class Scalar, class Device, class Member, class Work>
KOKKOS_INLINE_FUNCTION void forTeamMultiplyAdds(const Member& member,
                                                const NumericOperands<Scalar, Device>& operands,
                                                std::size_t begin, std::size_t end,
                                                const Work& work) {
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

/// A kernel in which each team computes a row.
template <class Scalar, class Device>
struct NumericTeamRows {
  using Member = TeamMember<Device>;

  NumericOperands<Scalar, Device> operands;
  int slots;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& A = operands.A.graph;
    const auto& C = operands.C.graph;
    const long long r = operands.row(member.league_rank());
    const std::size_t begin = C.row_map(r);
    const int length = static_cast<int>(C.row_map(r + 1) - begin);
    const NumericTable<Scalar> table(
        member.team_scratch(0).get_shmem_aligned(NumericTable<Scalar>::bytes(slots),
                                                 NumericTable<Scalar>::alignment),
        slots);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, slots),
                         [&](int slot) { table.clear(slot); });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, length),
                         [&](int e) { table.insert(C.entries(begin + e)); });
    member.team_barrier();
    forTeamMultiplyAdds(member, operands, A.row_map(r), A.row_map(r + 1),
                        AddToTable<Scalar, Device>{operands, table});
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, length), [&](int e) {
      operands.write(begin + e, table.sums[table.columns.find(C.entries(begin + e))]);
    });
  }
};

template <class Scalar, class Device>
void computeRowsByThreads(const NumericOperands<Scalar, Device>& operands, long long count,
                          int slots, int lanes) {
  // If a team took more scratch memory, the device would run few teams at a time.
  constexpr std::size_t teamBytes = 24 * 1024;
  const std::size_t bytes = NumericTable<Scalar>::bytes(slots) + NumericTable<Scalar>::alignment;
  const int threads = std::min(128, lanes * std::max(1, static_cast<int>(teamBytes / bytes)));
  const NumericThreadRows<Scalar, Device> functor{operands, count, slots};
  Kokkos::parallel_for("Trident::numericRowsByThreads",
                       teamPolicy<Device>(count, threads, lanes, bytes, true, functor), functor);
}

template <class Scalar, class Device>
void computeRowsByTeams(const NumericOperands<Scalar, Device>& operands, long long count, int slots,
                        int lanes) {
  const std::size_t bytes = NumericTable<Scalar>::bytes(slots) + NumericTable<Scalar>::alignment;
  const NumericTeamRows<Scalar, Device> functor{operands, slots};
  Kokkos::parallel_for("Trident::numericRowsByTeams",
                       teamPolicy<Device>(count, slots / 8, lanes, bytes, false, functor), functor);
}

/// A long sorted row to be searched for columns. A search first looks into a sample of the row in
/// scratch memory, and then into the row between two columns of the sample.
struct SampledColumns {
  const int* columns;
  int length;
  int* sample;
  int stride;

  static constexpr int sampleMost = 2048;

  KOKKOS_INLINE_FUNCTION SampledColumns(const int* row, int count, void* memory)
      : columns(row),
        length(count),
        sample(static_cast<int*>(memory)),
        stride((count + sampleMost - 1) / sampleMost) {}

  KOKKOS_INLINE_FUNCTION int sampled() const {
    return length == 0 ? 0 : (length + stride - 1) / stride;
  }
  KOKKOS_INLINE_FUNCTION void take(int n) const { sample[n] = columns[n * stride]; }

  /// Returns the largest n with numbers[n] <= x; 0 if there is none. The `count` numbers ascend.
  KOKKOS_INLINE_FUNCTION static int lastUpTo(const int* numbers, int count, int x) {
    int low = 0, high = count;
    while (high - low > 1) {
      const int middle = low + (high - low) / 2;
      if (numbers[middle] <= x)
        low = middle;
      else
        high = middle;
    }
    return low;
  }
  /// Returns the offset of a column in the row; -1 if the row lacks the column.
  KOKKOS_INLINE_FUNCTION int find(int column) const {
    if (length == 0) return -1;
    const int from = lastUpTo(sample, sampled(), column) * stride;
    const int here = length - from < stride ? length - from : stride;
    const int at = from + lastUpTo(columns + from, here, column);
    return columns[at] == column ? at : -1;
  }
};

/// A kernel in which each team adds the terms of a chunk of A's row to C's values.
template <class Scalar, class Device>
struct NumericTeamChunks {
  using Member = TeamMember<Device>;
  static constexpr int entriesOfChunk = 256;  // number of A's entries in a chunk

  NumericOperands<Scalar, Device> operands;
  Kokkos::View<long long*, Device> chunksBefore;
  long long count;

  /// A functor that adds a term to C's row. Returns 1 if the row lacks the term's column, else 0.
  struct AddToSampled {
    NumericOperands<Scalar, Device> operands;
    SampledColumns row;
    Scalar* values;

    KOKKOS_INLINE_FUNCTION long long operator()(const Scalar& value, std::size_t b) const {
      const int at = row.find(operands.B.graph.entries(b));
      if (at < 0) return 1;
      addShared(values + at, value * operands.B.values(b));
      return 0;
    }
  };

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& A = operands.A.graph;
    const auto& C = operands.C.graph;
    const long long chunk = member.league_rank();
    const long long n = intervalOf(chunksBefore, count, chunk);
    const long long r = operands.row(n);
    const std::size_t begin = C.row_map(r);
    const SampledColumns row(
        C.entries.data() + begin, static_cast<int>(C.row_map(r + 1) - begin),
        member.team_scratch(0).get_shmem(SampledColumns::sampleMost * sizeof(int)));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, row.sampled()),
                         [&](int s) { row.take(s); });
    member.team_barrier();
    const std::size_t first = A.row_map(r) + (chunk - chunksBefore(n)) * entriesOfChunk;
    const std::size_t left = A.row_map(r + 1) - first;
    forTeamMultiplyAdds(member, operands, first,
                        first + (left < entriesOfChunk ? left : entriesOfChunk),
                        AddToSampled{operands, row, operands.C.values.data() + begin});
  }
};

template <class Scalar, class Device>
struct ZeroRows {
  using Member = TeamMember<Device>;
  NumericOperands<Scalar, Device> operands;

  KOKKOS_INLINE_FUNCTION void operator()(const Member& member) const {
    const auto& offsets = operands.C.graph.row_map;
    const long long r = operands.row(member.league_rank());
    const std::size_t begin = offsets(r);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, static_cast<int>(offsets(r + 1) - begin)),
                         [&](int e) { operands.C.values(begin + e) = Scalar(0); });
  }
};

template <class Scalar, class Device>
Kokkos::View<long long*, Device> countChunks(const NumericOperands<Scalar, Device>& operands,
                                             long long count) {
  const Kokkos::View<long long*, Device> chunks("Trident::chunksOfRows", count + 1);
  constexpr int size = NumericTeamChunks<Scalar, Device>::entriesOfChunk;
  Kokkos::parallel_for(
      "Trident::countChunks", Range<Device>(0, count), TRIDENT_LAMBDA(long long n) {
        const auto& offsets = operands.A.graph.row_map;
        const long long r = operands.row(n);
        chunks(n) = (offsets(r + 1) - offsets(r) + size - 1) / size;
      });
  return chunks;
}

/// Computes rows of any length in global memory.
template <class Scalar, class Device>
void computeLongRows(const NumericOperands<Scalar, Device>& operands, long long count) {
  if (!operands.add) {
    const ZeroRows<Scalar, Device> zero{operands};
    Kokkos::parallel_for("Trident::zeroRows", teamPolicy<Device>(count, 256, 32, 0, false, zero),
                         zero);
  }
  const auto chunks = countChunks(operands, count);
  const long long teams = countsToOffsets<long long, Device>(chunks);
  if (teams == 0) return;
  const NumericTeamChunks<Scalar, Device> functor{operands, chunks, count};
  Kokkos::parallel_for(
      "Trident::numericLongRows",
      teamPolicy<Device>(teams, 256, 32, SampledColumns::sampleMost * sizeof(int) + 8, false,
                         functor),
      functor);
}

/// The way to compute the rows of one bin.
struct NumericTeamBin {
  int slots;
  bool wholeTeam;
  long long longestA;  ///< largest number of entries in A's row
};
constexpr NumericTeamBin numericTeamBins[] = {
    {64, false, 256}, {256, false, 256}, {1024, true, 8192}, {2048, true, 8192}};
constexpr int numericTables = 4;

/// Limit of a table's bytes. Such a table fits in the first level of scratch memory of any device.
constexpr std::size_t tableBytesMost = 28 * 1024;

/// A functor that returns the bin of a row by the row's lengths in A and C. Bins are indices of
/// numericTeamBins; numericTables if a length is too large for these; noBin if both lengths are 0.
template <class Scalar, class Device>
struct BinByLengths {
  decltype(LocalMatrix<Scalar, Device>().graph.row_map) offsetsA, offsetsC;
  int most[numericTables];
  long long longestA[numericTables];

  BinByLengths(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& C)
      : offsetsA(A.graph.row_map), offsetsC(C.graph.row_map) {
    for (int b = 0; b < numericTables; ++b) {
      const int slots = numericTeamBins[b].slots;
      most[b] =
          NumericTable<Scalar>::bytes(slots) <= tableBytesMost ? ColumnTable::roomOf(slots) : 0;
      longestA[b] = numericTeamBins[b].longestA;
    }
  }

  KOKKOS_INLINE_FUNCTION int operator()(long long r) const {
    const long long inA = offsetsA(r + 1) - offsetsA(r), inC = offsetsC(r + 1) - offsetsC(r);
    if (inA == 0 && inC == 0) return noBin;
    for (int b = 0; b < numericTables; ++b)
      if (inC <= most[b] && inA <= longestA[b]) return b;
    return numericTables;
  }
};

/// Computes the values of C by teams, for numericProduct(), on any execution space. Hosts and CUDA
/// have better kernels. If several threads share a row, the order of additions varies. Returns the
/// number of multiply-adds outside of C's structure.
template <class Scalar, class Device>
long long numericTeamProduct(const LocalMatrix<Scalar, Device>& A,
                             const LocalMatrix<Scalar, Device>& B,
                             const LocalMatrix<Scalar, Device>& C, bool add) {
  using BinOf = BinByLengths<Scalar, Device>;
  const TeamBins<Device, BinOf> bins(BinOf(A, C), C.numRows());
  NumericOperands<Scalar, Device> operands{
      A, B, C, nullptr, add, Kokkos::View<long long, Device>("Trident::strays")};
  const int lanes = lanesFor(B.nnz(), B.numRows());
  for (int b = 0; b <= numericTables; ++b)
    bins.with(b, [&](const int* rows, long long count) {
      operands.rows = rows;
      if (b == numericTables)
        computeLongRows(operands, count);
      else if (numericTeamBins[b].wholeTeam)
        computeRowsByTeams(operands, count, numericTeamBins[b].slots, lanes);
      else
        computeRowsByThreads(operands, count, numericTeamBins[b].slots, lanes);
    });
  long long strays = 0;
  Kokkos::deep_copy(strays, operands.strays);
  return strays;
}

}  // namespace Trident::Impl

#endif
