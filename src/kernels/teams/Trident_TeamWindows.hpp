// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TEAMWINDOWS_HPP
#define TRIDENT_TEAMWINDOWS_HPP

#include "kernels/teams/Trident_TeamGroup.hpp"
#include "matrix/Trident_Atomics.hpp"

// Rows too long for a table in scratch memory. The columns are cut into chunks, and a team takes a
// chunk of a row, window by window. Each column of a window has a bit and a sum. Bits are read in
// order, so the columns of rows come out sorted.

namespace Trident::Impl {

KOKKOS_INLINE_FUNCTION int setBitsIn(unsigned x) {
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return static_cast<int>((((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24);
}

/// Columns [begin, begin + size). Each column has a bit, which is set if the column is marked.
struct TeamWindow {
  unsigned* bits;
  int begin, size;

  KOKKOS_INLINE_FUNCTION int words() const { return (size + 31) / 32; }
  KOKKOS_INLINE_FUNCTION bool has(int column) const {
    return column >= begin && column - begin < size;
  }
  /// Marks a column. Returns true if this thread is the first to mark the column.
  KOKKOS_INLINE_FUNCTION bool mark(int column) const {
    const unsigned bit = 1u << (column - begin) % 32;
    unsigned* const word = bits + (column - begin) / 32;
    return !(*word & bit) && !(fetchOr(word, bit) & bit);
  }
  template <class Group>
  KOKKOS_INLINE_FUNCTION void clear(const Group& group) const {
    group.each(words(), [&](int w) { bits[w] = 0; });
  }
  /// Counts the marked columns. The whole team calls.
  template <class Member>
  KOKKOS_INLINE_FUNCTION int count(const Member& member) const {
    int found = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, words()),
        [&](int w, int& sum) { sum += setBitsIn(bits[w]); }, found);
    member.team_barrier();
    return found;
  }
};

/// Long rows of A·B, and the chunks of their columns.
template <class Scalar>
struct LongRowChunks {
  TeamCsr<Scalar> A, B;
  bool sorted;  ///< true if cut() may search B's rows: B is sorted, or one window has all columns
  const int* rows;
  int columns;       ///< number of B's columns
  int chunks;        ///< number of chunks; each row has a team for each chunk
  int chunkColumns;  ///< columns of a chunk, a multiple of 32
  int* chunksFound;  ///< number of distinct columns in each chunk of each row

  /// Returns a window of a chunk: up to `most` columns after the chunk's first `done` columns. The
  /// window is empty if no columns are left.
  KOKKOS_INLINE_FUNCTION TeamWindow window(unsigned* bits, int chunk, long long done,
                                           int most) const {
    const long long begin = static_cast<long long>(chunk) * chunkColumns + done;
    long long end = static_cast<long long>(chunk + 1) * chunkColumns;
    if (end > columns) end = columns;
    if (end > begin + most) end = begin + most;
    return {bits, static_cast<int>(begin < end ? begin : end),
            static_cast<int>(begin < end ? end - begin : 0)};
  }

  /// Returns the first of B's entries [from, end) whose column is at least `column`; else `end`.
  KOKKOS_INLINE_FUNCTION std::size_t lowerBound(std::size_t from, std::size_t end,
                                                long long column) const {
    while (from < end) {
      const std::size_t middle = from + (end - from) / 2;
      if (B.columns[middle] < column)
        from = middle + 1;
      else
        end = middle;
    }
    return from;
  }

  /// Returns the entries of B that entry `a` of A meets. If `sorted`, only those in the window.
  KOKKOS_INLINE_FUNCTION EntryRange cut(std::size_t a, const TeamWindow& window) const {
    const EntryRange all = B.row(A.columns[a]);
    if (!sorted || window.size == columns) return all;
    const std::size_t end = all.begin + all.length;
    const std::size_t from = lowerBound(all.begin, end, window.begin);
    const long long windowEnd = static_cast<long long>(window.begin) + window.size;
    return {from, static_cast<int>(lowerBound(from, end, windowEnd) - from)};
  }
};

/// A kernel that counts the distinct columns of long rows, in each chunk and in the whole row.
template <class Scalar, class Device>
struct CountLongRows {
  LongRowChunks<Scalar> input;
  std::size_t* counts;
  int most;  ///< largest number of columns of a window

  static constexpr bool wholeTeam = true;
  std::size_t scratchBytes() const { return most / 32 * sizeof(unsigned); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Device>& member) const {
    const TeamGroup<TeamMember<Device>> group{member, true};
    const int chunk = member.league_rank() % input.chunks;
    const long long r = input.rows[member.league_rank() / input.chunks];
    const EntryRange inA = input.A.row(r);
    auto* const bits = static_cast<unsigned*>(scratchOf(group, most / 32 * sizeof(unsigned)));
    int found = 0;
    for (long long done = 0; done < input.chunkColumns; done += most) {
      const TeamWindow window = input.window(bits, chunk, done, most);
      if (window.size == 0) break;
      window.clear(group);
      group.eachByParts(inA.length, [&](int a, const TeamGroup<TeamMember<Device>>& part) {
        const EntryRange inB = input.cut(inA.begin + a, window);
        part.each(inB.length, [&](int b) {
          const int column = input.B.columns[inB.begin + b];
          if (window.has(column)) window.mark(column);
        });
      });
      found += window.count(member);
    }
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      input.chunksFound[member.league_rank()] = found;
      fetchAdd(counts + r, static_cast<std::size_t>(found));
    });
  }
};

/// A kernel that computes the long rows with more entries than `tableMost`. Sums are in the order
/// of A's entries, as in ComputeTableRows.
template <class Scalar, class Device, class Semiring>
struct ComputeLongRows {
  using Sum = SumOf<Scalar>;

  LongRowChunks<Scalar> input;
  const std::size_t* offsets;
  int* columns;
  Scalar* values;
  std::size_t tableMost;
  int most;  ///< largest number of columns of a window, a multiple of 32
  TeamTimes<Semiring> product;

  static constexpr bool wholeTeam = true;
  static constexpr int atOnce = 128;  ///< entries of A that are looked up together

  static constexpr std::size_t bytes(int most) {
    return most * sizeof(Sum) + atOnce * (sizeof(std::size_t) + sizeof(int)) +
           most / 32 * sizeof(unsigned);
  }
  std::size_t scratchBytes() const { return bytes(most); }

  KOKKOS_INLINE_FUNCTION void operator()(const TeamMember<Device>& member) const {
    const TeamGroup<TeamMember<Device>> group{member, true};
    const int chunk = member.league_rank() % input.chunks;
    const long long n = member.league_rank() / input.chunks, r = input.rows[n];
    if (offsets[r + 1] - offsets[r] <= tableMost) return;
    std::size_t to = offsets[r];
    const int* const found = input.chunksFound + n * input.chunks;
    for (int p = 0; p < chunk; ++p) to += found[p];
    const std::size_t end = to + found[chunk];
    Sum* const sums = static_cast<Sum*>(
        scratchOf(group, most * sizeof(Sum) + atOnce * (sizeof(std::size_t) + sizeof(int)) +
                             most / 32 * sizeof(unsigned)));
    auto* const begins = reinterpret_cast<std::size_t*>(sums + most);
    auto* const lengths = reinterpret_cast<int*>(begins + atOnce);
    auto* const bits = reinterpret_cast<unsigned*>(lengths + atOnce);
    for (long long done = 0; done < input.chunkColumns && to < end; done += most) {
      const TeamWindow window = input.window(bits, chunk, done, most);
      window.clear(group);
      addTerms(group, window, sums, begins, lengths, input.A.row(r));
      write(member, window, sums, to);
      to += window.count(member);
    }
  }

 private:
  template <class Group>
  KOKKOS_INLINE_FUNCTION void addTerms(const Group& group, const TeamWindow& window, Sum* sums,
                                       std::size_t* begins, int* lengths,
                                       const EntryRange& inA) const {
    for (int first = 0; first < inA.length; first += atOnce) {
      const std::size_t a = inA.begin + first;
      const int count = inA.length - first < atOnce ? inA.length - first : atOnce;
      group.each(count, [&](int n) {
        const EntryRange inB = input.cut(a + n, window);
        begins[n] = inB.begin;
        lengths[n] = inB.length;
      });
      for (int n = 0; n < count; ++n)
        if (lengths[n] > 0)
          addRow(group, window, sums, input.A.values[a + n], {begins[n], lengths[n]});
      group.member.team_barrier();  // the next iteration overwrites lengths and begins
    }
  }

  template <class Group>
  KOKKOS_INLINE_FUNCTION void addRow(const Group& group, const TeamWindow& window, Sum* sums,
                                     const Scalar& value, const EntryRange& inB) const {
    group.each(inB.length, [&](int b) {
      const int column = input.B.columns[inB.begin + b];
      if (!window.has(column)) return;
      const Sum more = product(value, input.B.values[inB.begin + b]);
      Sum& sum = sums[column - window.begin];
      sum = Semiring::plus(window.mark(column) ? Semiring::zero() : sum, more);
    });
  }

  KOKKOS_INLINE_FUNCTION void write(const TeamMember<Device>& member, const TeamWindow& window,
                                    const Sum* sums, std::size_t to) const {
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, window.words()),
                          [&](int w, int& before, bool final) {
                            std::size_t at = to + before;
                            before += setBitsIn(window.bits[w]);
                            if (!final) return;
                            for (unsigned left = window.bits[w]; left; left &= left - 1) {
                              const int n = w * 32 + setBitsIn((left & (~left + 1)) - 1);
                              columns[at] = window.begin + n;
                              values[at++] = sums[n];
                            }
                          });
  }
};

}  // namespace Trident::Impl

#endif
