// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTPRODUCT_HPP
#define TRIDENT_HOSTPRODUCT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>

#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_ProductBlocks.hpp"
#include "kernels/host/Trident_ProductMemory.hpp"
#include "kernels/host/Trident_RowFormer.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Work to be done between chunks of a product on a host.
struct ProgressHook {
  /// Multiply-adds of a chunk, about a millisecond of a core. A chunk has one row at least.
  std::size_t multiplyAddsAtOnce = 50000;
  std::function<void()> between;  ///< work between chunks; if empty, the product is one chunk
};

/// A product of one rank, and counts of its work.
template <class Scalar, class Device>
struct CountedProduct {
  LocalMatrix<Scalar, Device> C;
  long long multiplyAdds = -1;  ///< -1: not counted
  long long blockRows = 0;      ///< rows of A in blocks of several rows
};

/// Returns the policy for rows of B. Rows that stay in a core's own cache are not prefetched,
/// because a prefetch of such a row costs more than it saves.
template <class Scalar>
PrefetchPolicy prefetchPolicyFor(const Factors<Scalar>& factors) {
  constexpr std::size_t cache = std::size_t(512) << 10;  // bytes
  if (factors.singleEntries) return PrefetchPolicy::SingleEntryRows;
  return factors.own.bytes() <= cache ? PrefetchPolicy::Off : PrefetchPolicy::On;
}

/// The operands of a product on a host, and the workspaces of its threads.
/// @tparam Former class that forms rows
template <class Scalar, class Device, class Former = RowFormer<Scalar>>
struct HostOperands {
  HostFactors<Scalar, Device> factors;
  long long rows;  ///< number of A's rows
  int columns;     ///< number of B's columns
  PrefetchPolicy prefetch;
  HostWorkspaces<Former, Device> formers;
  ProductBlocks<Scalar, Device> blocks;  ///< blocks that findBlocks() found; else empty
  std::optional<HostWorkspaces<BlockSums<Scalar>, Device>> blockSums;
  Kokkos::View<std::size_t*, Device> before;  ///< multiply-adds before each row, and of all rows

  HostOperands(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B)
      : HostOperands(A, B, HostWorkspaces<Former, Device>(B.numCols())) {}
  /// @param reading rules for reading A's rows; null: rows are read as they are stored
  HostOperands(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
               const HostWorkspaces<Former, Device>& workspaces,
               const RowReading<Scalar, Device>* reading = nullptr)
      : factors(A, B, reading),
        rows(A.numRows()),
        columns(B.numCols()),
        prefetch(prefetchPolicyFor(factors)),
        formers(workspaces),
        before(scratch<std::size_t, Device>("Trident::multiplyAddsBefore", rows + 1)) {}

  std::size_t multiplyAdds(long long r) const { return before(r + 1) - before(r); }
  /// Forms the `count` rows of a block, and writes them without gaps. Returns the number of entries
  /// of all rows, or -1 if there is no room for them.
  /// @param counts gets the number of entries of each row
  template <PrefetchPolicy prefetch>
  __attribute__((always_inline)) long long form(long long r, int count, std::size_t room, int* to,
                                                Scalar* values, std::size_t* counts) const {
    long long used = 0;
    if (count > 1 && formTogether<prefetch>(r, count, room, to, values, used)) {
      std::fill_n(counts, count, static_cast<std::size_t>(used));
      return used < 0 ? used : used * count;
    }
    used = 0;
    for (int q = 0; q < count;) {  // forms equal rows together, the rest alone
      int same = equalRows(factors.left, r + q, count - q);
      long long entries = 0;
      if (same == 1 || same == count ||
          !formTogether<prefetch>(r + q, same, room - used, to + used, values + used, entries)) {
        same = 1;
        entries = formAlone<prefetch>(r + q, room - used, to + used, values + used);
      }
      if (entries < 0) return entries;
      std::fill_n(counts + q, same, static_cast<std::size_t>(entries));
      used += entries * same;
      q += same;
    }
    return used;
  }

  /// Returns the end of the chunk of rows that begins at row `begin`.
  long long endOfChunk(long long begin, const ProgressHook& progressHook) const {
    if (!progressHook.between || begin + 1 >= rows) return rows;
    const std::size_t enough = before(begin) + progressHook.multiplyAddsAtOnce;
    const std::size_t* const counts = before.data();
    const auto end = std::lower_bound(counts + begin + 1, counts + rows, enough);
    return static_cast<long long>(end - counts);
  }

 private:
  template <PrefetchPolicy prefetch>
  long long formAlone(long long r, std::size_t room, int* to, Scalar* values) const {
    long long entries = 0;
    factors.withRows(r, 1, [&](const Terms<Scalar>& row) {
      formers.use([&](Former& former) {
        entries = former.template form<prefetch>(row, multiplyAdds(r), room, to, values);
      });
    });
    return entries;
  }

  /// Forms the rows of a block together. Returns false if the caller must form each row alone, as
  /// rows are short, too long for withRows(), or too unlike, or as BlockPadder's zeros change C.
  /// @param entries gets the number of entries of each row, or -1 if there is no room
  template <PrefetchPolicy prefetch>
  bool formTogether(long long r, int count, std::size_t room, int* to, Scalar* values,
                    long long& entries) const {
    if (factors.left.length(r) == 1 ||
        multiplyAdds(r) <= static_cast<std::size_t>(ShortRowSums<Scalar>::most))
      return false;
    bool formed = false;
    factors.withRows(r, count, [&](const Terms<Scalar>& terms) {
      blockSums->use([&](BlockSums<Scalar>& sums) {
        const Terms<Scalar> block = sums.joined.join(blocks.withAlike(terms));
        if (block.rows == 0) return;
        entries = sums.template form<prefetch>(block, multiplyAdds(r), room, to, values);
        formed =
            entries < 0 || (entries > 0 && (block.apart == 0 || !anyNaN(values, entries * count)));
        if (block.apart > 0) sums.joined.note(formed);
      });
    });
    if (!formed) entries = 0;
    return formed;
  }
};

template <class Scalar, class Device, class Former>
void countMultiplyAdds(const HostOperands<Scalar, Device, Former>& of) {
  Kokkos::parallel_for("Trident::countMultiplyAdds", Range<Device>(0, of.rows),
                       [factors = of.factors, before = of.before](long long r) {
                         before(r) = factors.multiplyAdds(r);
                       });
  countsToOffsets<std::size_t, Device>(of.before);
}

/// Forms the next rows, up to `end`, by one thread. Stops at a row that has no room.
template <PrefetchPolicy prefetch, class Scalar, class Device, class Former>
void formNextRows(const HostOperands<Scalar, Device, Former>& of, GrowableCsr<Scalar, Device>& rows,
                  const Kokkos::View<std::size_t*, Device>& counts, long long end) {
  int* const columns = rows.columns.data();
  Scalar* const values = rows.values.data();
  if (!of.blocks.any()) {
    std::size_t used = rows.used, room = rows.room();
    of.formers.use([&](Former& former) {
      rows.next =
          of.factors.forRowsWhile(rows.next, end, [&](long long r, const Terms<Scalar>& row) {
            const long long entries = former.template form<prefetch>(row, of.multiplyAdds(r), room,
                                                                     columns + used, values + used);
            if (entries < 0) return false;
            counts(r) = static_cast<std::size_t>(entries);
            used += counts(r);
            room -= counts(r);
            return true;
          });
    });
    rows.used = used;
    return;
  }
  while (rows.next < end) {
    const int count = of.blocks.rowsFrom(rows.next, end);
    const long long entries =
        of.template form<prefetch>(rows.next, count, rows.room(), columns + rows.used,
                                   values + rows.used, counts.data() + rows.next);
    if (entries < 0) return;
    rows.next += count;
    rows.used += static_cast<std::size_t>(entries);
  }
}

/// Runs work(first row, number of rows) for all blocks, by all threads. Each chunk is one kernel.
template <class Scalar, class Device, class Former, class Work>
void forRows(const char* label, const HostOperands<Scalar, Device, Former>& of,
             const ProgressHook& progressHook, const Work& work) {
  for (long long begin = 0, end; begin < of.rows; begin = end) {
    if (begin > 0) progressHook.between();
    end = of.endOfChunk(begin, progressHook);
    of.blocks.forRows(label, begin, end, [=](long long r, int rows, long long&) { work(r, rows); });
  }
}

/// Forms a product by several threads. Counts the entries first, so that each row has its place.
template <class Scalar, class Device, class Former>
CrsArrays<Scalar, Device> countThenForm(const HostOperands<Scalar, Device, Former>& of,
                                        const ProgressHook& progressHook) {
  constexpr std::size_t enough = std::numeric_limits<std::size_t>::max();
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", of.rows + 1);
  const HostWorkspaces<RowCounter, Device> counters(of.columns);
  forRows("Trident::countEntries", of, progressHook, [&](long long first, int rows) {
    for (long long r = first; r < first + rows; ++r) {
      if (r > first && nextIsAlike(of.factors.left, r - 1) && !of.factors.hasZeros(r - 1) &&
          !of.factors.hasZeros(r)) {
        counts(r) = counts(r - 1);
        continue;
      }
      of.factors.withRows(r, 1, [&](const Terms<Scalar>& row) {
        counters.use(
            [&](RowCounter& counter) { counts(r) = counter.count(row.A, row.B, row.row, r); });
      });
    }
  });
  const auto C = arraysForCounts<Scalar, Device>(counts);
  withPrefetchPolicy(of.prefetch, [&](auto prefetch) {
    forRows("Trident::formRows", of, progressHook, [&](long long r, int rows) {
      std::array<std::size_t, mostRowsOfBlock> entries;  // output of form() that nobody reads
      of.template form<decltype(prefetch)::value>(r, rows, enough, C.columns.data() + C.offsets(r),
                                                  C.values.data() + C.offsets(r), entries.data());
    });
  });
  return C;
}

/// Estimates the ratio of C's entries to multiply-adds by a sample of rows. For few multiply-adds
/// returns 1, the largest ratio, because memory for that ratio costs less than a sample.
template <class Scalar, class Device, class Former>
double entriesPerMultiplyAdd(const HostOperands<Scalar, Device, Former>& of) {
  constexpr std::size_t few = 20000;
  if (of.before(of.rows) <= few) return 1;
  // The sample is one row in 64, but at least 64 rows and at most 4096 rows.
  const long long step = std::max({1ll, of.rows / 4096, std::min<long long>(64, of.rows / 64)});
  double multiplyAdds = 0, entries = 0;
  RowCounter counter(of.columns);
  for (long long r = step / 2; r < of.rows; r += step) {
    const Terms<Scalar> row = of.factors.row(r);
    multiplyAdds += static_cast<double>(of.multiplyAdds(r));
    entries += static_cast<double>(counter.count(row.A, row.B, row.row, r));
  }
  return multiplyAdds > 0 ? entries / multiplyAdds : 1;
}

/// Finds a product's blocks, and takes memory for sums, if blocks are faster than single rows.
template <class Scalar, class Device, class Former, class Memory>
void findBlocks(HostOperands<Scalar, Device, Former>& operands, Memory& memory) {
  if (operands.factors.singleEntries) return;
  const ProductBlocks<Scalar, Device> blocks(operands.factors, memory.blocksOfB);
  if (!blocks.any()) return;
  double& ratio = memory.entriesPerMultiplyAdd;
  if (ratio == 0) ratio = entriesPerMultiplyAdd(operands);
  if (!blocks.pay(operands.columns, static_cast<double>(operands.before(operands.rows)), 1 / ratio))
    return;
  operands.blocks = blocks;
  operands.blockSums = memory.blockSumsFor(operands.columns, blocks.most());
}

/// Forms a product by one thread. Each row is formed once, in its final place. The arrays' length
/// is estimated from the product before, or from a sample of rows. Arrays that are too short grow.
/// @param memory memory whose arrays get the result
template <class Scalar, class Device, class Former, class Memory>
CrsArrays<Scalar, Device> formAndGrow(const HostOperands<Scalar, Device, Former>& of,
                                      const ProgressHook& progressHook, Memory& memory) {
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", of.rows + 1);
  const auto all = static_cast<double>(of.before(of.rows));
  double most = 0;  // bound of C's entries: sum over rows of min(multiply-adds, B's columns)
  Kokkos::parallel_reduce(
      "Trident::mostEntries", Range<Device>(0, of.rows),
      [&](long long r, double& sum) {
        sum +=
            static_cast<double>(std::min(of.multiplyAdds(r), static_cast<std::size_t>(of.columns)));
      },
      most);
  const auto expected = [&](double ratio) {
    return static_cast<std::size_t>(std::min(most, all * ratio * 1.125 + 64));
  };
  double ratio =
      memory.entriesPerMultiplyAdd > 0 ? memory.entriesPerMultiplyAdd : entriesPerMultiplyAdd(of);
  GrowableCsr<Scalar, Device>& rows = memory.rows;
  rows.startAnew(expected(ratio));
  for (long long end = of.endOfChunk(0, progressHook);;) {
    withPrefetchPolicy(of.prefetch, [&](auto prefetch) {
      formNextRows<decltype(prefetch)::value>(of, rows, counts, end);
    });
    if (rows.next < end) {         // the next row has no room
      ratio *= 2;                  // a guess, as the rows so far are a poor sample of later rows
      std::size_t nextAtMost = 0;  // bound of the entries of the next block
      const int count = of.blocks.any() ? of.blocks.rowsFrom(rows.next, end) : 1;
      for (int q = 0; q < count; ++q)
        nextAtMost += std::min<std::size_t>(of.multiplyAdds(rows.next + q), of.columns);
      const auto more =
          static_cast<std::size_t>((all - static_cast<double>(of.before(rows.next))) * ratio);
      rows.reserve(rows.used + nextAtMost + std::min(more, static_cast<std::size_t>(most)));
      continue;
    }
    if (end == of.rows) break;
    end = of.endOfChunk(end, progressHook);
    progressHook.between();
  }
  countsToOffsets<std::size_t, Device>(counts);
  if (all > 0)
    memory.entriesPerMultiplyAdd = static_cast<double>(rows.used) / static_cast<double>(all);
  return rows.arrays(counts);
}

/// Forms C = A·B on a host by Gustavson's algorithm. Columns of a row ascend. C's structure does
/// not depend on values. Sums are in the order of A's entries, however many threads there are.
/// Local. See doc/algorithm.md, "The local product on a host".
/// @param kept memory for products with the same B. The next product overwrites the result. If
///   null, the result has its own memory
/// @param reading rules for reading A's rows; null: rows are read as they are stored
template <class Scalar, class Device, class Semiring = PlusTimes<Scalar>>
CountedProduct<Scalar, Device> hostProduct(const LocalMatrix<Scalar, Device>& A,
                                           const LocalMatrix<Scalar, Device>& B,
                                           const ProgressHook& progressHook = {},
                                           ProductMemory<Scalar, Device, Semiring>* kept = nullptr,
                                           const RowReading<Scalar, Device>* reading = nullptr) {
  static_assert(isHost<Device>, "this product runs on hosts");
  using Memory = ProductMemory<Scalar, Device, Semiring>;
  Memory own;
  Memory& memory = kept ? *kept : own;
  HostOperands<Scalar, Device, RowFormer<Scalar, Semiring>> operands(
      A, B, memory.formersFor(reading ? reading->right : B), reading);
  countMultiplyAdds(operands);
  if constexpr (std::is_same<Semiring, PlusTimes<Scalar>>::value) findBlocks(operands, memory);
  const bool alone = typename Device::execution_space().concurrency() == 1;
  auto C =
      alone ? formAndGrow(operands, progressHook, memory) : countThenForm(operands, progressHook);
  if (alone && !kept) C = own.rows.shortened(C.offsets);
  return {C.matrix(B.numCols()), static_cast<long long>(operands.before(operands.rows)),
          operands.blocks.rows()};
}

}  // namespace Trident::Impl

#endif
