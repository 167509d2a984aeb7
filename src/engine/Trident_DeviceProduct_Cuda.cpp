// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <utility>
#include <vector>

#include "Trident_BlockedRows_Cuda.hpp"
#include "Trident_CudaCheck.hpp"
#include "Trident_DeviceProduct.hpp"
#include "Trident_HashRows_Cuda.hpp"
#include "Trident_LongRows_Cuda.hpp"
#include "Trident_Memory.hpp"
#include "Trident_RowBins_Cuda.hpp"
#include "Trident_ShortRows_Cuda.hpp"

namespace Trident::Impl {
namespace {

/// Bins of rows by their multiply-adds. Up to 512 they are sorted in registers.
enum ProductBin {
  None,
  Upto32,
  Upto64,
  Upto128,
  Upto256,
  Upto512,
  Upto768,
  Upto1536,
  Upto6144,
  More,
  productBins
};
constexpr BinLimits productLimits{{0, 32, 64, 128, 256, 512, 768, 1536, 6144}, productBins};

/// Bins of rows with more multiply-adds, by what their tables have to hold: blocks of columns, or
/// columns; see numberEntries(). The names have the slots of the tables.
enum TableBin {
  Blocks64,
  Blocks128,
  Blocks256,
  Columns256,
  Columns512,
  Columns1024,
  Columns2048,
  Columns8192,
  Windows,
  tableBins
};
constexpr BinLimits tableLimits{
    {48, 96, blocksMost, entriesFrom + 192, entriesFrom + 384, entriesFrom + warpTableMost,
     entriesFrom + 1536, entriesFrom + 6144},
    tableBins};

constexpr std::size_t windowBytes = 195 * 1024;  // of the 227 KB that a Hopper's block may have
constexpr int blocksOfColumnsThreads = 256;

int blocksFor(long long count, int perBlock) {
  return static_cast<int>((count + perBlock - 1) / perBlock);
}

/// Device memory for what a product needs beside its operands and C.
class Workspace {
 public:
  explicit Workspace(std::size_t bytes) { add(bytes); }
  template <class T>
  T* take(std::size_t count) {
    constexpr std::size_t alignment = 256;
    const std::size_t bytes = (count * sizeof(T) + alignment) / alignment * alignment;
    if (used_ + bytes > blocks_.back().size()) add(bytes);
    char* const data = blocks_.back().data() + used_;
    used_ += bytes;
    return reinterpret_cast<T*>(data);
  }

 private:
  void add(std::size_t bytes) {
    blocks_.emplace_back(MemoryKind::Device, "Trident::deviceProduct", bytes);
    used_ = 0;
  }
  std::vector<MemoryBlock> blocks_;
  std::size_t used_ = 0;  // of the last
};

/// Rows by bin: one list, with a stretch of it for each bin.
struct Bins {
  BinCounts counts{};
  const int* list = nullptr;  ///< null: all rows of the matrix, and all are in one bin
  int begin[binsMost + 1] = {};

  RowList of(int bin) const { return from(bin, bin + 1); }
  RowList from(int bin, int end) const {
    return {list ? list + begin[bin] : nullptr, begin[end] - begin[bin]};
  }
};

/// One product. Its steps are methods, in their order.
template <class Scalar>
class BinnedProduct {
 public:
  BinnedProduct(const DeviceOperand<Scalar>& A, const DeviceOperand<Scalar>& B,
                std::size_t* offsets)
      : rows_(A.rows),
        columns_(B.columns),
        rowsB_(B.rows),
        entriesB_(B.entries),
        A_{A.offsets, A.entryColumns, A.values},
        B_{B.offsets, B.entryColumns, B.values},
        offsets_(offsets),
        workspace_(3 * sizeof(int) * static_cast<std::size_t>(rows_) + (1 << 16)),
        stream_(Kokkos::Cuda().cuda_stream()) {
    const double mean = rowsB_ > 0 ? static_cast<double>(entriesB_) / rowsB_ : 1;
    while (lanes_ < lanesOfWarp && lanes_ < mean) lanes_ *= 2;
  }

  void run(const std::function<DeviceEntries<Scalar>(std::size_t)>& make) {
    binByProducts();
    countEntries();
    binByEntries();
    const std::size_t entries = toOffsets(offsets_, rows_);
    C_ = make(entries);
    if (entries > 0) computeEntries();
    TRIDENT_CUDA_CHECK(cudaStreamSynchronize(stream_));  // before the workspace goes
  }

 private:
  static constexpr int warpsOfBlock = warpRowThreads / lanesOfWarp;

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), long long blocks, int threads, std::size_t shared,
              const Arguments&... arguments) {
    if (blocks == 0) return;
    constexpr std::size_t always = 16 * 1024;  // with what kernels have beside it
    if (shared > always)
      TRIDENT_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(shared)));
    kernel<<<static_cast<unsigned>(blocks), threads, shared, stream_>>>(arguments...);
    TRIDENT_CUDA_CHECK(cudaGetLastError());
  }

  template <class T>
  T toHost(const T* from) {
    T value;
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream_));
    TRIDENT_CUDA_CHECK(cudaStreamSynchronize(stream_));
    return value;
  }

  BinCounts* noCounts() {
    BinCounts* const counts = workspace_.take<BinCounts>(1);
    TRIDENT_CUDA_CHECK(cudaMemsetAsync(counts, 0, sizeof(BinCounts), stream_));
    return counts;
  }

  void binByProducts() {
    numbers_ = workspace_.take<unsigned>(rows_);
    BinCounts* const counts = noCounts();
    launch(countProducts<Scalar>, blocksFor(rows_, binThreads), binThreads, 0, rows_, A_,
           B_.offsets, productLimits, numbers_, counts);
    deal(RowList{nullptr, rows_}, productLimits, counts, byProducts_);
  }

  /// The rows of a list to bins, by their numbers, which are counted.
  void deal(const RowList& rows, const BinLimits& limits, const BinCounts* counts, Bins& bins) {
    bins.counts = toHost(counts);
    bool oneBin = false;
    for (int b = 0; b < limits.bins; ++b) {
      bins.begin[b + 1] = bins.begin[b] + bins.counts.rows[b];
      oneBin |= bins.counts.rows[b] == rows.count;
    }
    bins.list = rows.rows;
    if (oneBin) return;
    int* const places = workspace_.take<int>(binsMost);
    int* const dealt = workspace_.take<int>(rows.count);
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(places, bins.begin, sizeof(int) * limits.bins,
                                       cudaMemcpyHostToDevice, stream_));
    launch(dealToBins, blocksFor(rows.count, binThreads), binThreads, 0, rows, numbers_, limits,
           places, dealt);
    bins.list = dealt;
  }

  void countEntries() {
    TRIDENT_CUDA_CHECK(cudaMemsetAsync(
        offsets_, 0, sizeof(std::size_t) * (static_cast<std::size_t>(rows_) + 1), stream_));
    countShort<ShortRows32>(Upto32);
    countShort<ShortRows64>(Upto64);
    countShort<ShortRows128>(Upto128);
    countShort<ShortRows256>(Upto256);
    countShort<ShortRows512>(Upto512);
    if (byProducts_.from(Upto768, productBins).count == 0) return;
    lookAtB();
    countByWarps(Upto768, 1024);
    countByWarps(Upto1536, 2048);
    constexpr int slots = 8192;
    const RowList wide = byProducts_.of(Upto6144), longRows = byProducts_.of(More);
    launch(countRowsByBlocks<Scalar>, wide.count, 256, slots * sizeof(int), wide, A_, B_, slots,
           offsets_);
    const int size = windowSize(windowBytes * 8);
    launch(countLongRows<Scalar>, longRows.count, longRowThreads, size / 8, longRows, A_, B_,
           ascending_, columns_, size, offsets_);
  }

  /// Columns that a window has: as many as fit, or all; a multiple of 32.
  int windowSize(std::size_t fit) const {
    return static_cast<int>(std::min<long long>(fit / 32 * 32, (columns_ + 31ll) / 32 * 32));
  }

  template <class Shape>
  void countShort(int bin) {
    const RowList rows = byProducts_.of(bin);
    launch(countShortRows<Shape, Scalar>, blocksFor(rows.count, Shape::groups), shortRowThreads, 0,
           rows, A_, B_, std::min(lanes_, Shape::L), offsets_);
  }

  void countByWarps(int bin, int slots) {
    const RowList rows = byProducts_.of(bin);
    const int blocks = blocksFor(rows.count, warpsOfBlock);
    const std::size_t shared = warpsOfBlock * slots * sizeof(int);
    if (blocks_)
      launch(countBlockedRows, blocks, warpRowThreads, shared, rows, A_.offsets, A_.columns,
             blockOffsets_, blocks_, slots, offsets_, numbers_);
    else
      launch(countRowsByWarps<Scalar>, blocks, warpRowThreads, shared, rows, A_, B_, lanes_, slots,
             offsets_);
  }

  /// Whether the columns of B's rows ascend, and their blocks where much is to be had by them.
  void lookAtB() {
    int* const flag = workspace_.take<int>(1);
    TRIDENT_CUDA_CHECK(cudaMemsetAsync(flag, 0, sizeof(int), stream_));
    launch(findDescents, blocksFor(static_cast<long long>(rowsB_) * lanes_, binThreads), binThreads,
           0, rowsB_, B_.offsets, B_.columns, lanes_, flag);
    ascending_ = toHost(flag) == 0;
    const unsigned long long byWarps = byProducts_.from(Upto768, Upto6144).count;
    const bool many = byWarps * 1000 > byProducts_.counts.sum / 4;
    if (ascending_ && many && columns_ <= blockedColumnsMost) findBlocksOfB();
  }

  void findBlocksOfB() {
    const auto find = lanes_ <= 4    ? findBlocks<4>
                      : lanes_ == 8  ? findBlocks<8>
                      : lanes_ == 16 ? findBlocks<16>
                                     : findBlocks<32>;
    const int blocks = blocksFor(static_cast<long long>(rowsB_) * lanes_, blocksOfColumnsThreads);
    auto* const offsets = workspace_.take<std::size_t>(static_cast<std::size_t>(rowsB_) + 1);
    TRIDENT_CUDA_CHECK(cudaMemsetAsync(offsets + rowsB_, 0, sizeof(std::size_t), stream_));
    unsigned* const none = nullptr;
    launch(find, blocks, blocksOfColumnsThreads, 0, rowsB_, B_.offsets, B_.columns, offsets, none);
    const std::size_t count = toOffsets(offsets, rowsB_);
    if (count * 2 > entriesB_) return;  // few runs: columns are better
    auto* const found = workspace_.take<unsigned>(count);
    launch(find, blocks, blocksOfColumnsThreads, 0, rowsB_, B_.offsets, B_.columns, offsets, found);
    blockOffsets_ = offsets;
    blocks_ = found;
  }

  void binByEntries() {
    const RowList rows = byProducts_.from(Upto768, productBins);
    if (rows.count == 0) return;
    const int blocked = blocks_ ? byProducts_.from(Upto768, Upto6144).count : 0;
    BinCounts* const counts = noCounts();
    launch(numberEntries, blocksFor(rows.count, binThreads), binThreads, 0, rows, blocked, offsets_,
           tableLimits, numbers_, counts);
    deal(rows, tableLimits, counts, byTables_);
  }

  /// Turns counts of rows, and one number after them, into offsets; the sum.
  std::size_t toOffsets(std::size_t* counts, long long rows) {
    std::size_t bytes = 0;
    const auto scan = [&](void* room) {
      TRIDENT_CUDA_CHECK(
          cub::DeviceScan::ExclusiveSum(room, bytes, counts, counts, rows + 1, stream_));
    };
    scan(nullptr);
    scan(workspace_.take<char>(bytes));
    return toHost(counts + rows);
  }

  void computeEntries() {
    computeShort<ShortRows32>(Upto32);
    computeShort<ShortRows64>(Upto64);
    computeShort<ShortRows128>(Upto128);
    computeShort<ShortRows256>(Upto256);
    computeShort<ShortRows512>(Upto512);
    computeBlocked<2>(Blocks64);
    computeBlocked<4>(Blocks128);
    computeBlocked<8>(Blocks256);
    computeByWarps(Columns256, 256);
    computeByWarps(Columns512, 512);
    computeByWarps(Columns1024, 1024);
    computeByBlocks(Columns2048, 2048, 256);
    computeByBlocks(Columns8192, 8192, 1024);
    const RowList rows = byTables_.of(Windows);
    // A column takes a sum, a bit, and its part of a sum of bits.
    const int size = windowSize(windowBytes * 8 / (8 * sizeof(Scalar) + 2));
    launch(computeLongRows<Scalar>, rows.count, longRowThreads,
           size * sizeof(Scalar) + size / 32 * 8, rows, A_, B_, ascending_, columns_, size,
           offsets_, C_.columns, C_.values);
  }

  template <class Shape>
  void computeShort(int bin) {
    const RowList rows = byProducts_.of(bin);
    const bool narrow = columns_ < 1ll << (32 - Shape::bits);
    launch(narrow ? computeShortRows<Shape, unsigned, Scalar>
                  : computeShortRows<Shape, unsigned long long, Scalar>,
           blocksFor(rows.count, Shape::groups), shortRowThreads, 0, rows, A_, B_,
           std::min(lanes_, Shape::L), offsets_, C_.columns, C_.values);
  }

  template <int K>
  void computeBlocked(int bin) {
    const RowList rows = byTables_.of(bin);
    launch(computeBlockedRows<K, Scalar>, blocksFor(rows.count, warpsOfBlock), warpRowThreads,
           warpsOfBlock * BlockTable<Scalar>::bytes(lanesOfWarp * K), rows, A_, B_, offsets_,
           C_.columns, C_.values);
  }

  void computeByWarps(int bin, int slots) {
    const RowList rows = byTables_.of(bin);
    launch(computeRowsByWarps<Scalar>, blocksFor(rows.count, warpsOfBlock), warpRowThreads,
           warpsOfBlock * SumTable<Scalar>::bytes(slots), rows, A_, B_, lanes_, ascending_, slots,
           offsets_, C_.columns, C_.values);
  }

  void computeByBlocks(int bin, int slots, int threads) {
    const RowList rows = byTables_.of(bin);
    launch(computeRowsByBlocks<Scalar>, rows.count, threads, SumTable<Scalar>::bytes(slots), rows,
           A_, B_, slots, offsets_, C_.columns, C_.values);
  }

  const int rows_, columns_, rowsB_;
  const std::size_t entriesB_;
  const DeviceRows<Scalar> A_, B_;
  std::size_t* const offsets_;
  Workspace workspace_;
  const cudaStream_t stream_;
  DeviceEntries<Scalar> C_{};
  int lanes_ = 4;                // that share a row of B
  unsigned* numbers_ = nullptr;  // of rows, by which they are binned
  Bins byProducts_, byTables_;
  bool ascending_ = false;  // the columns of each row of B: none is there twice
  const std::size_t* blockOffsets_ = nullptr;
  const unsigned* blocks_ = nullptr;  // of B; null: it is not taken in blocks
};

}  // namespace

bool hasDeviceProduct() { return true; }

template <class Scalar>
void multiplyRows(const DeviceOperand<Scalar>& A, const DeviceOperand<Scalar>& B,
                  std::size_t* offsets,
                  const std::function<DeviceEntries<Scalar>(std::size_t)>& make) {
  BinnedProduct<Scalar>(A, B, offsets).run(make);
}

TRIDENT_DEVICE_SCALARS(TRIDENT_MULTIPLYROWS_INSTANT)

}  // namespace Trident::Impl
