// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <optional>
#include <utility>

#include "kernels/cuda/Trident_BlockedRows_Cuda.hpp"
#include "kernels/cuda/Trident_CudaProduct.hpp"
#include "kernels/cuda/Trident_HashRows_Cuda.hpp"
#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"
#include "kernels/cuda/Trident_LongRows_Cuda.hpp"
#include "kernels/cuda/Trident_NumericBins_Cuda.hpp"
#include "kernels/cuda/Trident_RowBins_Cuda.hpp"
#include "kernels/cuda/Trident_RowBlocks_Cuda.hpp"
#include "kernels/cuda/Trident_ShortRows_Cuda.hpp"

namespace Trident::Impl {
namespace {

/// Bins of rows by their multiply-adds. Rows with up to 512 are sorted in registers.
enum MultiplyAddBin {
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
  multiplyAddBins
};
constexpr BinLimits multiplyAddLimits{{0, 32, 64, 128, 256, 512, 768, 1536, 6144}, multiplyAddBins};

/// Bins of rows with more than 512 multiply-adds. Blocks64: a table has 64 slots, for blocks of
/// columns. Columns256: 256 slots, for columns. SomeWindows: the row is too long for a table.
enum TableBin {
  Blocks64,
  Blocks128,
  Blocks256,
  Columns256,
  Columns512,
  Columns1024,
  Columns2048,
  Columns8192,
  SomeWindows,
  tableBins
};
constexpr BinLimits tableLimits{
    {48, 96, blocksMost, entriesFrom + 192, entriesFrom + 384, entriesFrom + warpTableMost,
     entriesFrom + 1536, entriesFrom + 6144},
    tableBins};

constexpr std::size_t windowBytes = 195 * 1024;  // a thread block has at most 227 KB on Hopper
constexpr int blocksOfColumnsThreads = 256;

/// Rows by bin: one list, in which each bin has a range.
struct Bins {
  BinCounts counts{};
  const int* list = nullptr;  ///< list of rows; null: all rows are in one bin
  int begin[binsMost + 1] = {};

  RowList of(int bin) const { return from(bin, bin + 1); }
  RowList from(int bin, int end) const {
    return {list ? list + begin[bin] : nullptr, begin[end] - begin[bin]};
  }
};

/// One product, which run() forms, in chunks of rows if the workspace has no room for all rows.
template <class Scalar>
class BinnedProduct {
 public:
  BinnedProduct(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B, std::size_t* offsets,
                const KernelOptions& options)
      : allRows_(A.rows),
        columns_(B.columns),
        rowsB_(B.rows),
        entriesB_(B.entries),
        allA_{A.offsets, A.entryColumns, A.values},
        B_{B.offsets, B.entryColumns, B.values},
        allOffsets_(offsets),
        reproducible_(options.reproducible),
        workspace_(options.workspaceBytes > 0
                       ? options.workspaceBytes
                       : workspaceDefault +
                             (sizeof(Scalar) + sizeof(int)) * (A.entries + B.entries) / 10) {
    const double mean = rowsB_ > 0 ? static_cast<double>(entriesB_) / rowsB_ : 1;
    while (lanes_ < lanesOfWarp && lanes_ < mean) lanes_ *= 2;
  }

  /// Forms C, and returns the number of multiply-adds.
  long long run(const std::function<CudaEntries<Scalar>(std::size_t)>& make) {
    queue_.zero(allOffsets_, static_cast<std::size_t>(allRows_) + 1);
    workspace_.take<char>(fewBytes);
    const int atOnce = rowsAtOnce();
    oneChunk_ = atOnce >= allRows_;
    long long multiplyAdds = 0;
    forChunks(atOnce, [&] {
      multiplyAdds += binByMultiplyAdds();
      countEntries();
    });
    const std::size_t entries = toOffsets(allOffsets_, allRows_);
    C_ = make(entries);
    forChunks(entries > 0 ? atOnce : 0, [&] {
      if (!oneChunk_) binByMultiplyAdds();
      binByEntries();
      computeEntries();
    });
    queue_.wait();  // before C is used on another stream
    return multiplyAdds;
  }

 private:
  static constexpr int warpsOfBlock = warpRowThreads / lanesOfWarp;
  static constexpr std::size_t fewBytes = 1 << 16;  // room for counts, places and sums of a scan

  /// Returns the number of rows of a chunk. The workspace needs room for three ints for each row.
  int rowsAtOnce() const {
    constexpr std::size_t least = 1024, bytesOfRow = 3 * sizeof(int);
    const std::size_t fit = std::max(least, workspace_.left() / bytesOfRow);
    return static_cast<int>(std::min<std::size_t>(fit, std::max(allRows_, 1)));
  }

  /// Runs work() for each chunk of rows. If there are several chunks, each frees its memory for the
  /// next. A single chunk keeps its memory.
  template <class Work>
  void forChunks(int atOnce, const Work& work) {
    if (atOnce == 0) return;
    for (long long first = 0; first < allRows_; first += atOnce) {
      rows_ = static_cast<int>(std::min<long long>(atOnce, allRows_ - first));
      A_ = {allA_.offsets + first, allA_.columns, allA_.values};
      offsets_ = allOffsets_ + first;
      const DeviceWorkspace::Mark before = workspace_.mark();
      work();
      if (!oneChunk_) workspace_.returnTo(before);
    }
  }

  /// Bins the rows by multiply-adds. Returns the number of all multiply-adds.
  long long binByMultiplyAdds() {
    numbers_ = workspace_.take<unsigned>(rows_);
    byTables_ = Bins();
    blocks_ = {};
    structureA_ = A_;
    BinCounts counts = countMultiplyAdds();
    const auto all = static_cast<long long>(counts.sum);
    if (manyAlike(counts.alike, rows_) && counts.sum >= multiplyAddsForBlocks && ascending() &&
        takeBlocks())
      counts = countMultiplyAdds();
    deal(RowList{nullptr, rows_}, multiplyAddLimits, counts, byMultiplyAdds_);
    return all;
  }

  BinCounts countMultiplyAdds() {
    BinCounts* const counts = queue_.zeros<BinCounts>(1, workspace_);
    queue_.launch(countMultiplyAddsOfRows<Scalar>, blocksFor(rows_, binThreads), binThreads, 0,
                  rows_, structureA_, B_.offsets, multiplyAddLimits, numbers_, counts);
    return queue_.toHost(counts);
  }

  /// Finds blocks of alike rows. Reduces structureA_ to those entries of each block's first row
  /// that decide C's columns. Returns false, and changes nothing, if no rows are alike, too many
  /// entries remain, or the workspace lacks room.
  bool takeBlocks() {
    const DeviceWorkspace::Mark before = workspace_.mark();
    if (findBlocksOfRows()) return true;
    blocks_ = {};
    structureA_ = A_;
    workspace_.returnTo(before);
    return false;
  }

  bool findBlocksOfRows() {
    constexpr double most = 0.4;  // largest share of A's entries that may remain
    // Leaves room for lists of rows, which are made later.
    const std::size_t rows = rows_, listBytes = 3 * sizeof(int) * rows;
    const std::size_t bytes = 2 * (rows + rowsB_) + sizeof(std::size_t) * (rows + 1);
    if (bytes + listBytes > workspace_.left()) return false;
    blocks_.ofA = findRowBlocks(queue_, workspace_, rows_, A_.offsets, A_.columns);
    if (!blocks_.ofA.ofRow) return false;
    blocks_.ofB = findRowBlocks(queue_, workspace_, rowsB_, B_.offsets, B_.columns);
    auto* const offsets = workspace_.take<std::size_t>(rows + 1);
    queue_.zero(offsets + rows, 1);
    int* kept = nullptr;
    const auto keep = [&] {
      queue_.launch(keepTellingEntries, blocksFor(rows_, binThreads / lanesOfWarp), binThreads, 0,
                    rows_, blocks_, A_.offsets, A_.columns, offsets, kept);
    };
    keep();
    const std::size_t count = toOffsets(offsets, rows_);
    const std::size_t entries = queue_.toHost(A_.offsets + rows) - queue_.toHost(A_.offsets);
    if (count > most * entries || count * sizeof(int) + listBytes > workspace_.left()) return false;
    kept = workspace_.take<int>(count);
    keep();
    structureA_ = {offsets, kept, A_.values};  // sumBlocks() replaces the wrong values of C
    return true;
  }

  /// Lists the rows bin by bin. `numbers_` has the number by which each row is binned.
  /// @param counts number of rows in each bin
  void deal(const RowList& rows, const BinLimits& limits, const BinCounts& counts, Bins& bins) {
    bins.counts = counts;
    bool oneBin = false;
    for (int b = 0; b < limits.bins; ++b) {
      bins.begin[b + 1] = bins.begin[b] + bins.counts.rows[b];
      oneBin |= bins.counts.rows[b] == rows.count;
    }
    bins.list = rows.rows;
    if (oneBin) return;
    int* const places = queue_.toDevice(bins.begin, limits.bins, workspace_);
    int* const dealt = workspace_.take<int>(rows.count);
    queue_.launch(dealToBins, blocksFor(rows.count, binThreads), binThreads, 0, rows, numbers_,
                  limits, places, dealt);
    bins.list = dealt;
  }

  void countEntries() {
    countShort<ShortRows32>(Upto32);
    countShort<ShortRows64>(Upto64);
    countShort<ShortRows128>(Upto128);
    countShort<ShortRows256>(Upto256);
    countShort<ShortRows512>(Upto512);
    if (byMultiplyAdds_.from(Upto768, multiplyAddBins).count > 0) countLong();
    if (blocks_.ofA.ofRow)
      queue_.launch(copyCounts, blocksFor(rows_, binThreads), binThreads, 0, rows_, blocks_.ofA,
                    offsets_);
  }

  /// Counts the entries of rows that are too long to be sorted in registers.
  void countLong() {
    lookAtB();
    countByWarps(Upto768, 1024);
    countByWarps(Upto1536, 2048);
    constexpr int slots = 8192;
    const RowList wide = byMultiplyAdds_.of(Upto6144), longRows = byMultiplyAdds_.of(More);
    queue_.launch(countRowsByBlocks<Scalar>, wide.count, 256, slots * sizeof(int), wide,
                  structureA_, B_, slots, offsets_);
    if (longRows.count > 0) parts_ = cutColumns(longRows.count);
    const int size = windowSize(windowBytes * 8);
    queue_.launch(countLongRows<Scalar>, static_cast<long long>(longRows.count) * parts_.parts,
                  longRowThreads, size / 8, longRows, structureA_, B_, ascending(), parts_, size,
                  offsets_);
  }

  /// Cuts the columns into parts if long rows are too few for all processors. Returns one part if
  /// columns are few, B's rows do not ascend, rows come in chunks, or memory does not suffice.
  ColumnParts cutColumns(int longRows) {
    constexpr int most = 16, columnsLeast = 1 << 16, blocksWanted = 4096;
    const int wanted = std::min(most, blocksFor(blocksWanted, longRows));
    const int parts = std::max(1, std::min(wanted, columns_ / columnsLeast));
    const std::size_t counts = static_cast<std::size_t>(rows_) * parts;
    // Leaves room for lists of rows, which are made later.
    const std::size_t listBytes = 3 * sizeof(int) * static_cast<std::size_t>(rows_);
    const bool cut = parts > 1 && oneChunk_ && ascending() &&  // only a single chunk keeps counts
                     counts * sizeof(int) + listBytes <= workspace_.left();
    if (!cut) return {1, multipleOf32(columns_), nullptr, columns_};
    return {parts, multipleOf32((columns_ - 1) / parts + 1), workspace_.take<int>(counts),
            columns_};
  }

  /// Returns a window's number of columns: a multiple of 32, at most `fit` and parts_.span.
  int windowSize(std::size_t fit) const {
    return static_cast<int>(std::min<long long>(fit / 32 * 32, parts_.span));
  }
  static long long multipleOf32(long long columns) { return (columns + 31) / 32 * 32; }

  template <class Shape>
  void countShort(int bin) {
    const RowList rows = byMultiplyAdds_.of(bin);
    queue_.launch(countShortRows<Shape, Scalar>, blocksFor(rows.count, Shape::groups),
                  shortRowThreads, 0, rows, structureA_, B_, std::min(lanes_, Shape::L), offsets_);
  }

  void countByWarps(int bin, int slots) {
    const RowList rows = byMultiplyAdds_.of(bin);
    const int blocks = blocksFor(rows.count, warpsOfBlock);
    const std::size_t shared = warpsOfBlock * slots * sizeof(int);
    if (columnBlocks_)
      queue_.launch(countBlockedRows, blocks, warpRowThreads, shared, rows, structureA_.offsets,
                    structureA_.columns, blockOffsets_, columnBlocks_, slots, offsets_, numbers_);
    else
      queue_.launch(countRowsByWarps<Scalar>, blocks, warpRowThreads, shared, rows, structureA_, B_,
                    lanes_, slots, offsets_);
  }

  /// Returns true if the columns of each row of B ascend, so that no column comes twice.
  bool ascending() {
    if (!ascending_) {
      int* const flag = queue_.zeros<int>(1, workspace_);
      queue_.launch(findDescents, blocksFor(static_cast<long long>(rowsB_) * lanes_, binThreads),
                    binThreads, 0, rowsB_, B_.offsets, B_.columns, lanes_, flag);
      ascending_ = queue_.toHost(flag) == 0;
    }
    return *ascending_;
  }

  /// Looks once for blocks of columns of B, if tables of blocks may save much time.
  void lookAtB() {
    if (lookedAtB_) return;
    lookedAtB_ = true;
    const unsigned long long byWarps = byMultiplyAdds_.from(Upto768, Upto6144).count;
    const bool many = byWarps * 1000 > byMultiplyAdds_.counts.sum / 4;
    if (many && oneChunk_ && columns_ <= blockedColumnsMost && ascending()) findBlocksOfB();
  }

  void findBlocksOfB() {
    const std::size_t offsetBytes = sizeof(std::size_t) * (static_cast<std::size_t>(rowsB_) + 1);
    if (offsetBytes > workspace_.left()) return;
    const auto find = lanes_ <= 4    ? findBlocks<4>
                      : lanes_ == 8  ? findBlocks<8>
                      : lanes_ == 16 ? findBlocks<16>
                                     : findBlocks<32>;
    const int blocks = blocksFor(static_cast<long long>(rowsB_) * lanes_, blocksOfColumnsThreads);
    auto* const offsets = workspace_.take<std::size_t>(static_cast<std::size_t>(rowsB_) + 1);
    queue_.zero(offsets + rowsB_, 1);
    unsigned* const none = nullptr;
    queue_.launch(find, blocks, blocksOfColumnsThreads, 0, rowsB_, B_.offsets, B_.columns, offsets,
                  none);
    const std::size_t count = toOffsets(offsets, rowsB_);
    if (count * 2 > entriesB_) return;  // few columns are consecutive, so blocks do not pay
    if (count * sizeof(unsigned) > workspace_.left()) return;
    auto* const found = workspace_.take<unsigned>(count);
    queue_.launch(find, blocks, blocksOfColumnsThreads, 0, rowsB_, B_.offsets, B_.columns, offsets,
                  found);
    blockOffsets_ = offsets;
    columnBlocks_ = found;
  }

  void binByEntries() {
    const RowList rows = byMultiplyAdds_.from(Upto768, multiplyAddBins);
    if (rows.count == 0) return;
    const int blocked = columnBlocks_ ? byMultiplyAdds_.from(Upto768, Upto6144).count : 0;
    BinCounts* const counts = queue_.zeros<BinCounts>(1, workspace_);
    queue_.launch(numberEntries, blocksFor(rows.count, binThreads), binThreads, 0, rows, blocked,
                  offsets_, tableLimits, numbers_, counts);
    deal(rows, tableLimits, queue_.toHost(counts), byTables_);
  }

  /// Turns the counts of rows into rows + 1 offsets, in place. Returns the sum of the counts.
  std::size_t toOffsets(std::size_t* counts, long long rows) {
    std::size_t bytes = 0;
    const auto scan = [&](void* room) {
      TRIDENT_CUDA_CHECK(
          cub::DeviceScan::ExclusiveSum(room, bytes, counts, counts, rows + 1, queue_.stream()));
    };
    scan(nullptr);
    scan(workspace_.take<char>(bytes));
    return queue_.toHost(counts + rows);
  }

  void computeEntries() {
    computeShort<ShortRows32>(Upto32);
    computeShort<ShortRows64>(Upto64);
    computeShort<ShortRows128>(Upto128);
    computeShort<ShortRows256>(Upto256);
    computeShort<ShortRows512>(Upto512);
    if (byTables_.from(Blocks64, tableBins).count > 0) computeInTables();
    if (blocks_.ofA.ofRow) sumBlocks();
  }

  /// Computes rows that are too long to be sorted in registers. If a table would add in the wrong
  /// order, or if rows form blocks, the table only finds columns. Values are computed later.
  void computeInTables() {
    computeBlocked<2>(Blocks64);
    computeBlocked<4>(Blocks128);
    computeBlocked<8>(Blocks256);
    const bool ofBlocks = blocks_.ofA.ofRow;  // if true, sumBlocks() computes the values
    const bool ordered = reproducible_ && ascending();
    // For long rows of B, all lanes of a warp take one row at a time, so sums are in order anyway.
    const bool warpsInOrder = ascending() && lanes_ >= lanesOfWarp / 2 && !ofBlocks;
    const bool warpsFindColumns = ofBlocks || (ordered && !warpsInOrder);
    computeByWarps(Columns256, 256, warpsInOrder, warpsFindColumns);
    computeByWarps(Columns512, 512, warpsInOrder, warpsFindColumns);
    computeByWarps(Columns1024, 1024, warpsInOrder, warpsFindColumns);
    computeByBlocks(Columns2048, 2048, 256, ordered || ofBlocks);
    computeByBlocks(Columns8192, 8192, 1024, ordered || ofBlocks);
    computeLong(ordered || ofBlocks);
    if (ordered && !ofBlocks)
      sumInOrder(byTables_.from(warpsInOrder ? Columns2048 : Columns256, tableBins));
  }

  /// Copies columns from the first row of each block to the other rows, and computes all values.
  void sumBlocks() {
    queue_.launch(copyColumns, blocksFor(rows_, binThreads / lanesOfWarp), binThreads, 0, rows_,
                  blocks_.ofA, offsets_, C_.columns);
    sumInOrder(RowList{nullptr, rows_});
  }

  void computeLong(bool columnsOnly) {
    const RowList rows = byTables_.of(SomeWindows);
    // Each column takes a sum and a bit. Each 32 columns share a count of 32 bits.
    const std::size_t sumBytes = columnsOnly ? 0 : sizeof(SumOf<Scalar>);
    const int size = windowSize(windowBytes * 8 / (8 * sumBytes + 2));
    queue_.launch(computeLongRows<Scalar>, static_cast<long long>(rows.count) * parts_.parts,
                  longRowThreads, size * sumBytes + size / 32 * 8, rows, structureA_, B_,
                  ascending(), columnsOnly, parts_, size, offsets_, C_.columns, C_.values);
  }

  /// Computes the values of rows whose columns are known.
  void sumInOrder(const RowList& rows) {
    if (rows.count == 0) return;
    auto* const strays = queue_.zeros<unsigned long long>(1, workspace_);
    constexpr int noBlockSearch = -1;
    computeNumericValues<Scalar>(queue_, workspace_, rows, A_, B_, noBlockSearch, entriesB_,
                                 {offsets_, C_.columns, C_.values, false, strays}, blocks_);
  }

  template <class Shape>
  void computeShort(int bin) {
    const RowList rows = byMultiplyAdds_.of(bin);
    const bool narrow = columns_ < 1ll << (32 - Shape::bits);
    queue_.launch(narrow ? computeShortRows<Shape, unsigned, Scalar>
                         : computeShortRows<Shape, unsigned long long, Scalar>,
                  blocksFor(rows.count, Shape::groups), shortRowThreads, 0, rows, structureA_, B_,
                  std::min(lanes_, Shape::L), offsets_, C_.columns, C_.values);
  }

  template <int K>
  void computeBlocked(int bin) {
    const RowList rows = byTables_.of(bin);
    queue_.launch(computeBlockedRows<K, Scalar>, blocksFor(rows.count, warpsOfBlock),
                  warpRowThreads, warpsOfBlock * BlockTable<Scalar>::bytes(lanesOfWarp * K), rows,
                  structureA_, B_, offsets_, C_.columns, C_.values);
  }

  void computeByWarps(int bin, int slots, bool inOrder, bool columnsOnly) {
    const RowList rows = byTables_.of(bin);
    queue_.launch(computeRowsByWarps<Scalar>, blocksFor(rows.count, warpsOfBlock), warpRowThreads,
                  warpsOfBlock * SumTable<Scalar>::bytes(slots), rows, structureA_, B_, lanes_,
                  inOrder, columnsOnly, slots, offsets_, C_.columns, C_.values);
  }

  void computeByBlocks(int bin, int slots, int threads, bool columnsOnly) {
    const RowList rows = byTables_.of(bin);
    queue_.launch(computeRowsByBlocks<Scalar>, rows.count, threads, SumTable<Scalar>::bytes(slots),
                  rows, structureA_, B_, columnsOnly, slots, offsets_, C_.columns, C_.values);
  }

  const int allRows_, columns_, rowsB_;
  const std::size_t entriesB_;
  const DeviceCsr<Scalar> allA_, B_;
  std::size_t* const allOffsets_;
  const bool reproducible_;
  DeviceWorkspace workspace_;
  const KernelQueue queue_;
  bool oneChunk_ = true;
  int rows_ = 0;  // number of rows of the chunk; A_ and offsets_ begin at its first row
  DeviceCsr<Scalar> A_{};
  std::size_t* offsets_ = nullptr;
  CudaEntries<Scalar> C_{};
  int lanes_ = 4;                // lanes that share a row of B
  unsigned* numbers_ = nullptr;  // numbers by which rows are binned
  Bins byMultiplyAdds_, byTables_;
  ColumnParts parts_{};  // parts of the columns, for rows that are too long for tables
  bool lookedAtB_ = false;
  std::optional<bool> ascending_;   // true if the columns of each row of B ascend; empty: not known
  FactorBlocks blocks_;             // blocks of rows, if any
  DeviceCsr<Scalar> structureA_{};  // part of A_ that decides the columns of C
  const std::size_t* blockOffsets_ = nullptr;
  const unsigned* columnBlocks_ = nullptr;  // blocks of B's columns; null: no table has blocks
};

}  // namespace

bool hasCudaProduct() { return true; }

template <class Scalar>
long long multiplyRows(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B,
                       std::size_t* offsets, const KernelOptions& options,
                       const std::function<CudaEntries<Scalar>(std::size_t)>& make) {
  return BinnedProduct<Scalar>(A, B, offsets, options).run(make);
}

TRIDENT_CUDA_SCALARS(TRIDENT_MULTIPLYROWS_INSTANT)

}  // namespace Trident::Impl
