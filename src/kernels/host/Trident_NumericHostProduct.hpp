// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICHOSTPRODUCT_HPP
#define TRIDENT_NUMERICHOSTPRODUCT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "kernels/host/Trident_BlockSums.hpp"
#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_ProductBlocks.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Returns an array of zeros. The system itself makes the zeros of an array of numbers, so pages
/// that nobody touches take neither memory nor time. Throws std::bad_alloc.
template <class Scalar>
std::unique_ptr<Scalar[], void (*)(Scalar*)> newZeros(std::size_t count) {
  if constexpr (std::is_arithmetic<Scalar>::value) {
    const auto zeros =
        static_cast<Scalar*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(Scalar)));
    if (!zeros) throw std::bad_alloc();
    return {zeros, [](Scalar* numbers) { std::free(numbers); }};
  } else {
    return {new Scalar[count](), [](Scalar* numbers) { delete[] numbers; }};
  }
}

/// Sums for each column, with one sum for each row of a block. The sums of a column stand together.
/// All sums are zero between two blocks. For one thread.
template <class Scalar>
struct ZeroSums {
  /// @param rows largest number of rows of a block
  ZeroSums(int columns, int rows)
      : sum(newZeros<Scalar>(static_cast<std::size_t>(columns) * (rows > 1 ? lanesOf(rows) : 1))) {}
  std::unique_ptr<Scalar[], void (*)(Scalar*)> sum;
  BlockPadder<Scalar> joined;
};

/// A functor that forms the values of one row, or of a block's rows together, on a host.
template <PrefetchPolicy prefetch, class Scalar, class Device>
struct ValuesOnHost {
  const HostFactors<Scalar, Device>& factors;
  const LocalMatrix<Scalar, Device>& C;
  const ProductBlocks<Scalar, Device>& blocks;
  bool add, counts;
  HostWorkspaces<ZeroSums<Scalar>, Device> workspaces;

  void operator()(long long r, int rows, long long& multiplyAdds) const {
    workspaces.use([&](ZeroSums<Scalar>& sums) {
      if (rows > 1 && formTogether(r, rows, sums, multiplyAdds)) return;
      for (int q = 0, same = 1; q < rows; q += same) {  // forms equal rows together, the rest alone
        same = equalRows(factors.left, r + q, rows - q);
        if (same > 1 && same < rows && formTogether(r + q, same, sums, multiplyAdds)) continue;
        same = 1;
        multiplyAdds += formAlone(r + q, sums.sum.get());
      }
    });
  }

 private:
  /// Forms the rows of a block together. Returns false if the caller must form each row alone.
  bool formTogether(long long r, int rows, ZeroSums<Scalar>& sums, long long& multiplyAdds) const {
    bool formed = false;
    factors.withRows(r, rows, [&](const Terms<Scalar>& terms) {
      // If `add`, rows are not joined, because adding a zero would change a -0 of C to +0.
      const Terms<Scalar> block = sums.joined.join(blocks.withAlike(terms), !add);
      if (block.rows == 0) return;
      withLanes(rows, [&](auto lanes) { form<decltype(lanes)::value>(r, block, sums.sum.get()); });
      const std::size_t begin = C.graph.row_map(r), end = C.graph.row_map(r + rows);
      formed = block.apart == 0 || !anyNaN(C.values.data() + begin, end - begin);
      if (!counts) return;
      if (formed && block.apart == 0)
        multiplyAdds +=
            rows * static_cast<long long>(multiplyAddsOfRow(block.A, block.B, block.row));
      else if (formed)
        for (int q = 0; q < rows; ++q) multiplyAdds += factors.multiplyAdds(r + q);
    });
    return formed;
  }

  __attribute__((noinline)) long long formAlone(long long r, Scalar* sum) const {
    const std::size_t begin = C.graph.row_map(r), end = C.graph.row_map(r + 1);
    const int* const columns = C.graph.entries.data();
    Scalar* const values = C.values.data();
    if (add)
      for (std::size_t e = begin; e < end; ++e) sum[columns[e]] = values[e];
    std::size_t multiplyAdds = 0;
    factors.withRows(r, 1, [&](const Terms<Scalar>& row) {
      multiplyAdds = forEachMultiplyAdd<PlusTimes<Scalar>, prefetch>(
          row.A, row.B, row.row, [sum](int column, Scalar product) { sum[column] += product; });
    });
    for (std::size_t e = begin; e < end; ++e) values[e] = std::exchange(sum[columns[e]], Scalar(0));
    return static_cast<long long>(multiplyAdds);
  }

  template <int lanes>
  void form(long long first, const Terms<Scalar>& block, Scalar* sums) const {
    if (add)
      forEntries(first, block.rows, [=](int column, int q, Scalar& value) {
        sums[static_cast<std::size_t>(column) * lanes + q] = value;
      });
    const auto place = [sums](int column) __attribute__((always_inline)) {
      return sums + static_cast<std::size_t>(column) * lanes;
    };
    addBlock<prefetch, lanes, Scalar, PlusTimes<Scalar>>(block, place, place);
    const int last = block.rows - 1;
    forEntries(first, block.rows, [=](int column, int q, Scalar& value) {
      Scalar* const at = sums + static_cast<std::size_t>(column) * lanes;
      value = at[q];
      if (q == last) std::fill_n(at, lanes, Scalar(0));
    });
    if (block.partial)  // clears sums of columns that the block's last row lacks
      forEntries(first, last, [=](int column, int, Scalar&) {
        std::fill_n(sums + static_cast<std::size_t>(column) * lanes, lanes, Scalar(0));
      });
  }

  /// Runs visit(column, row of the block, value) for C's entries in rows [first, first + rows).
  template <class Visit>
  void forEntries(long long first, int rows, const Visit& visit) const {
    const int* const columns = C.graph.entries.data();
    Scalar* const values = C.values.data();
    for (int q = 0; q < rows; ++q)
      for (std::size_t e = C.graph.row_map(first + q); e < C.graph.row_map(first + q + 1); ++e)
        visit(columns[e], q, values[e]);
  }
};

/// Estimates the mean multiply-adds of an entry of C from a sample of about 64 rows.
template <class Scalar, class Device>
double productsPerEntry(const Factors<Scalar>& factors, const LocalMatrix<Scalar, Device>& C) {
  const long long step = std::max(1, C.numRows() / 64);
  double terms = 0, entries = 0;
  for (long long r = step / 2; r < C.numRows(); r += step) {
    terms += static_cast<double>(factors.multiplyAdds(r));
    entries += static_cast<double>(HostCsr<Scalar>(C).length(r));
  }
  return entries > 0 ? terms / entries : 0;
}

/// Counts of the work of a product whose structure was known.
struct NumericWork {
  long long multiplyAdds = -1;  ///< -1: not counted
  long long strays = 0;         ///< multiply-adds outside of C's structure; 0 if not counted
  long long blockRows = 0;      ///< rows of A in blocks of several rows
};

/// Choices for forming values on a host. They depend only on the structures of A, B and C.
template <class Scalar, class Device>
class HostSchedule {
 public:
  bool known = false;
  PrefetchPolicy prefetching = PrefetchPolicy::On;
  ProductBlocks<Scalar, Device> blocks;

  /// Finds the schedule in the first call; later calls do nothing. Takes memory.
  void find(const HostFactors<Scalar, Device>& factors, const LocalMatrix<Scalar, Device>& C,
            int columns) {
    if (known) return;
    prefetching = factors.singleEntries                        ? PrefetchPolicy::SingleEntryRows
                  : hasPoorLocality(factors.left, factors.own) ? PrefetchPolicy::On
                                                               : PrefetchPolicy::Off;
    if (!factors.singleEntries && !sumsAreWider<Scalar>)
      blocks = ProductBlocks<Scalar, Device>(factors, blocksOfB_);
    if (blocks.any() &&
        !blocks.pay(columns, static_cast<double>(C.nnz()), productsPerEntry(factors, C)))
      blocks = {};
    known = true;
  }

 private:
  AlikeRowsOfB<Device> blocksOfB_;  // alike rows of B, to which `blocks` points
};

/// Computes numericProduct() on a host. C must have an entry in the column of each multiply-add.
/// @param kept schedule of these structures, or null. If not null, multiply-adds are not counted
template <class Scalar, class Device>
NumericWork numericHostProduct(const LocalMatrix<Scalar, Device>& A,
                               const LocalMatrix<Scalar, Device>& B,
                               const LocalMatrix<Scalar, Device>& C, bool add,
                               const RowReading<Scalar, Device>* reading,
                               HostSchedule<Scalar, Device>* kept) {
  const HostFactors<Scalar, Device> factors(A, B, reading);
  const int columns = std::max(B.numCols(), C.numCols());
  HostSchedule<Scalar, Device> mine;
  HostSchedule<Scalar, Device>& schedule = kept ? *kept : mine;
  schedule.find(factors, C, columns);
  const ProductBlocks<Scalar, Device>& blocks = schedule.blocks;
  const HostWorkspaces<ZeroSums<Scalar>, Device> sums(columns, blocks.most());
  const char* const label = blocks.any() ? "Trident::numericBlocks" : "Trident::numericRows";
  const long long multiplyAdds = withPrefetchPolicy(schedule.prefetching, [&](auto prefetch) {
    return blocks.forRows(label, 0, C.numRows(),
                          ValuesOnHost<decltype(prefetch)::value, Scalar, Device>{
                              factors, C, blocks, add, !kept, sums});
  });
  return {kept ? -1 : multiplyAdds, 0, blocks.rows()};
}

}  // namespace Trident::Impl

#endif
