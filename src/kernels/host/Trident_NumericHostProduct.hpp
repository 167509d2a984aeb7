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
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_ProductBlocks.hpp"
#include "kernels/host/Trident_RowReader.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Sums of a row by column, which are zero between rows; for one thread.
template <class Scalar>
struct RowSums {
  explicit RowSums(int columns) : sum(new Scalar[columns]()) {}
  std::unique_ptr<Scalar[]> sum;
};

/// The values of one row on a host.
template <PrefetchPolicy prefetch, class Scalar, class Device>
struct NumericRow {
  RowsToRead<Scalar, Device> A;
  LocalMatrix<Scalar, Device> C;
  HostWorkspaces<RowSums<Scalar>, Device> workspaces;
  bool add;

  void operator()(long long r, long long& multiplyAdds) const {
    workspaces.use([&](RowSums<Scalar>& row) {
      const std::size_t begin = C.graph.row_map(r), end = C.graph.row_map(r + 1);
      const int* const columns = C.graph.entries.data();
      Scalar* const values = C.values.data();
      Scalar* const sum = row.sum.get();
      if (add)
        for (std::size_t e = begin; e < end; ++e) sum[columns[e]] = values[e];
      A.withRow(r, [&](const RowOf<Scalar>& a) {
        multiplyAdds += static_cast<long long>(forEachMultiplyAdd<PlusTimes<Scalar>, prefetch>(
            a.A, a.B, a.row, [&](int column, Scalar product) { sum[column] += product; }));
      });
      for (std::size_t e = begin; e < end; ++e)
        values[e] = std::exchange(sum[columns[e]], Scalar(0));
    });
  }
};

/// Returns an array of zeros. An array of numbers is asked of the system as zeros: then pages that
/// nobody touches take neither memory nor time. Throws std::bad_alloc.
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

/// Sums of the rows of a block by column, which are zero between blocks: those of a column stand
/// together. For one thread.
template <class Scalar>
struct BlockRowSums {
  /// @param rows of a block at most
  BlockRowSums(int columns, int rows)
      : sum(newZeros<Scalar>(static_cast<std::size_t>(columns) * lanesOf(rows))) {}
  std::unique_ptr<Scalar[], void (*)(Scalar*)> sum;
};

/// The values of some successive rows on a host, those of a block together.
template <PrefetchPolicy prefetch, class Scalar, class Device>
struct NumericBlocks {
  NumericRow<prefetch, Scalar, Device> alone;  ///< forms rows of blocks that are too large
  ProductBlocks<Scalar, Device> blocks;
  HostWorkspaces<BlockRowSums<Scalar>, Device> workspaces;

  /// @param n number of the rows, which are as many as a thread takes at a time
  void operator()(long long n, long long& multiplyAdds) const {
    const long long first = n * ProductBlocks<Scalar, Device>::rowsAtOnce;
    const long long end = std::min<long long>(first + blocks.rowsAtOnce, alone.C.numRows());
    blocks.forBlocks(first, end, [&](long long r, int rows) {
      const bool formed = rows > 1 && alone.A.withRows(r, rows, [&](const RowOf<Scalar>& row) {
        multiplyAdds += form(r, blocks.block(row, rows));
      });
      for (int q = 0; q < rows && !formed; ++q) alone(r + q, multiplyAdds);
    });
  }

 private:
  long long form(long long first, const BlockOfRows<Scalar>& block) const {
    long long multiplyAdds = 0;
    workspaces.use([&](BlockRowSums<Scalar>& row) {
      withLanes(block.rows, [&](auto lanes) {
        multiplyAdds = formIn<decltype(lanes)::value>(first, block, row.sum.get());
      });
    });
    return multiplyAdds;
  }

  template <int lanes>
  long long formIn(long long first, const BlockOfRows<Scalar>& block, Scalar* sums) const {
    if (alone.add)
      forEntries(first, block.rows, [=](int column, int q, Scalar& value) {
        sums[static_cast<std::size_t>(column) * lanes + q] = value;
      });
    addBlock<prefetch, lanes, Scalar, PlusTimes<Scalar>>(
        block, [sums](int column) __attribute__((always_inline)) {
          return sums + static_cast<std::size_t>(column) * lanes;
        });
    const int last = block.rows - 1;
    forEntries(first, block.rows, [=](int column, int q, Scalar& value) {
      Scalar* const at = sums + static_cast<std::size_t>(column) * lanes;
      value = at[q];
      if (q == last) std::fill_n(at, lanes, Scalar(0));
    });
    return block.rows * static_cast<long long>(multiplyAddsOfRow(block.A, block.B, block.row));
  }

  /// Runs visit(column, row of the block, value) for the entries that rows of C have.
  template <class Visit>
  void forEntries(long long first, int rows, const Visit& visit) const {
    const int* const columns = alone.C.graph.entries.data();
    Scalar* const values = alone.C.values.data();
    for (int q = 0; q < rows; ++q)
      for (std::size_t e = alone.C.graph.row_map(first + q);
           e < alone.C.graph.row_map(first + q + 1); ++e)
        visit(columns[e], q, values[e]);
  }
};

/// Returns the multiply-adds of an entry of C, as far as 64 of its rows say.
template <class Scalar, class Device>
double productsPerEntry(const RowsToRead<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& C) {
  const long long step = std::max(1, C.numRows() / 64);
  double terms = 0, entries = 0;
  for (long long r = step / 2; r < C.numRows(); r += step) {
    terms += static_cast<double>(A.multiplyAdds(r));
    entries += static_cast<double>(HostCsr<Scalar>(C).length(r));
  }
  return entries > 0 ? terms / entries : 0;
}

/// Forms numericProduct() on a host; returns its multiply-adds. C has an entry for each of them.
template <class Scalar, class Device>
long long numericHostProduct(const LocalMatrix<Scalar, Device>& A,
                             const LocalMatrix<Scalar, Device>& B,
                             const LocalMatrix<Scalar, Device>& C, bool add,
                             const RowReading<Scalar, Device>* reading) {
  const HostWorkspaces<RowSums<Scalar>, Device> workspaces(std::max(B.numCols(), C.numCols()));
  const HostCsr<Scalar> a(A), b(B), right(reading ? reading->right : B);
  const bool ofOneEntry = haveOneEntry(right, reading ? reading->right.numRows() : B.numRows()) &&
                          haveOneEntry(b, B.numRows());
  const PrefetchPolicy rows = ofOneEntry                  ? PrefetchPolicy::SingleEntryRows
                              : hasPoorLocality(a, right) ? PrefetchPolicy::On
                                                          : PrefetchPolicy::Off;
  const RowsToRead<Scalar, Device> left(A, B, rows, reading);
  long long multiplyAdds = 0;
  const int columns = std::max(B.numCols(), C.numCols());
  AlikeRightRows<Device> alike;
  ProductBlocks<Scalar, Device> blocks;
  if (!ofOneEntry && !sumsAreWider<Scalar>)
    blocks = ProductBlocks<Scalar, Device>(A, B, alike, reading);
  if (blocks.any() && !blocks.pay(columns, static_cast<double>(C.nnz()), productsPerEntry(left, C)))
    blocks = {};
  if (blocks.any()) {
    const HostWorkspaces<BlockRowSums<Scalar>, Device> ofBlocks(columns, blocks.most());
    withPrefetchPolicy(rows, [&](auto prefetch) {
      using Rows = NumericRow<decltype(prefetch)::value, Scalar, Device>;
      Kokkos::parallel_reduce(
          "Trident::numericBlocks",
          DynamicRange<Device>(0, (C.numRows() + blocks.rowsAtOnce - 1) / blocks.rowsAtOnce),
          NumericBlocks<decltype(prefetch)::value, Scalar, Device>{Rows{left, C, workspaces, add},
                                                                   blocks, ofBlocks},
          multiplyAdds);
    });
    return multiplyAdds;
  }
  withPrefetchPolicy(rows, [&](auto prefetch) {
    Kokkos::parallel_reduce(
        "Trident::numericRows", DynamicRange<Device>(0, C.numRows()),
        NumericRow<decltype(prefetch)::value, Scalar, Device>{left, C, workspaces, add},
        multiplyAdds);
  });
  return multiplyAdds;
}

}  // namespace Trident::Impl

#endif
