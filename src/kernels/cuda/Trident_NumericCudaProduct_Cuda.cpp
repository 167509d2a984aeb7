// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

#include "kernels/cuda/Trident_CudaProduct.hpp"
#include "kernels/cuda/Trident_NumericBins_Cuda.hpp"

namespace Trident::Impl {
namespace {

/// The kernels for one list of rows.
/// @tparam Rows 1, or rowsOfBlockMost: rows come in blocks
template <class Scalar, int Rows>
class NumericLauncher {
 public:
  NumericLauncher(const KernelQueue& queue, const DeviceRows<Scalar>& A,
                  const DeviceRows<Scalar>& B, const NumericRows<Scalar>& C,
                  const FactorBlocks& blocks, const NumericCounts& counts)
      : queue_(queue), A_(A), B_(B), C_(C), blocks_(blocks) {
    lanes_ = lanesFor(counts);
    consecutive_ = counts.blocksC * 3 <= counts.entriesC;
  }

  void windows(const NumericTask* tasks, int count) const {
    if (Rows == 1 || windowLevels(blocks_.ofA) == windowLevelsMost)
      windowsOf<windowLevelsMost>(tasks, count);
    else if constexpr (Rows > 1)
      windowsOf<windowLevelsMost - 1>(tasks, count);
  }
  void rows(const RowList& rows, int levels) const {
    if (consecutive_)
      byLanes<ColumnBlocks>(rows, levels);
    else
      byLanes<ColumnTree>(rows, levels);
  }

 private:
  /// Returns the lanes of a group. Measured on one H200: 4 lanes for laplace3d's rows of B, of 7
  /// entries, 8 for brick2d's of 9, 16 for brick3d's of 27. Twice as many where lengths vary: 32
  /// for er's, of 16 on average. A mean over A's entries, as long rows of B are met more often.
  static int lanesFor(const NumericCounts& counts) {
    if (counts.entriesA == 0) return lanesOfWarp;
    const double entries = static_cast<double>(counts.entriesA);
    const double mean = counts.multiplyAdds / entries;
    const double variance = counts.squares / entries - mean * mean;
    const int lanes = mean < 7.5 ? 4 : mean < 12 ? 8 : mean < 28 ? 16 : 32;
    return variance > mean / 2 ? std::min(2 * lanes, lanesOfWarp) : lanes;
  }

  template <int Levels>
  void windowsOf(const NumericTask* tasks, int count) const {
    constexpr int warps = numericRowThreads / lanesOfWarp;
    const std::size_t bytes =
        numericGroupBytes<Rows, ColumnTree, Scalar>(lanesOfWarp, Levels, blocks_.ofA.most);
    queue_.launch(computeNumericWindows<Rows, Levels, Scalar>, blocksFor(count, warps),
                  numericRowThreads, warps * bytes, tasks, count, blocks_, A_, B_, C_);
  }

  template <class Table>
  void byLanes(const RowList& rows, int levels) const {
    // Groups of a thread block share its memory: with fewer lanes there would be too many of them.
    const int rowsMost = blocks_.ofA.most, sums = levels + (rowsMost > 2 ? 2 : rowsMost - 1);
    switch (std::min(std::max(lanes_, 1 << std::max(2, sums - 5)), lanesOfWarp)) {
      case 4:
        return by<4, Table>(rows, levels);
      case 8:
        return by<8, Table>(rows, levels);
      case 16:
        return by<16, Table>(rows, levels);
      default:
        return by<32, Table>(rows, levels);
    }
  }
  template <int L, class Table>
  void by(const RowList& rows, int levels) const {
    constexpr int groups = numericRowThreads / L;
    queue_.launch(computeNumericRows<L, Rows, Table, Scalar>, blocksFor(rows.count, groups),
                  numericRowThreads,
                  groups * numericGroupBytes<Rows, Table, Scalar>(L, levels, blocks_.ofA.most),
                  rows, blocks_, A_, B_, C_, levels);
  }

  const KernelQueue& queue_;
  const DeviceRows<Scalar> A_, B_;
  const NumericRows<Scalar> C_;
  const FactorBlocks blocks_;
  int lanes_;
  bool consecutive_;  // the columns of C's rows
};

}  // namespace

template <class Scalar>
bool computeNumericValues(const KernelQueue& queue, DeviceWorkspace& workspace, const RowList& rows,
                          const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B, int rowsB,
                          std::size_t entriesB, const NumericRows<Scalar>& C, FactorBlocks blocks) {
  NumericPlaces places{A.offsets, C.offsets, {}, 0, 1};
  NumericCounts* counting = queue.zeros<NumericCounts>(1, workspace);
  const auto count = [&](bool sample) {
    places.blocks = blocks.ofA;
    places.windowLevels = windowLevels(blocks.ofA);
    queue.launch(countNumericRows<Scalar>, blocksFor(rows.count, binThreads), binThreads, 0, rows,
                 places, sample, A, B.offsets, C, counting);
    return queue.toHost(counting);
  };
  if (rowsB > 0) {
    int lanes = 4;
    while (lanes < lanesOfWarp && static_cast<std::size_t>(lanes) * rowsB < entriesB) lanes *= 2;
    queue.launch(findDescents, blocksFor(static_cast<long long>(rowsB) * lanes, binThreads),
                 binThreads, 0, rowsB, B.offsets, B.columns, lanes, &counting->descents);
  }
  NumericCounts counts = count(true);
  if (counts.descents) return false;
  if (!blocks.ofA.ofRow && !rows.rows && rowsB > 0 && counts.blocksMayPay()) {
    blocks.ofA =
        findRowBlocks(queue, workspace, rows.count, A.offsets, A.columns, C.offsets, C.columns);
    if (blocks.ofA.ofRow) {
      blocks.ofB = findRowBlocks(queue, workspace, rowsB, B.offsets, B.columns);
      queue.zero(counting->places, numericBins);
      counts = count(false);
    }
  }
  if (!blocks.ofA.ofRow) {
    places.windowsMost = windowsMostOf(static_cast<long long>(counts.places[LongWindows]) +
                                       counts.places[OtherWindows]);
    if (places.windowsMost > 1) {
      queue.zero(counting->places, numericBins);
      counts = count(false);
    }
  }

  int begin[numericBins] = {}, inGroups = 0, bins = 0;
  for (int bin = 0; bin < LongWindows; ++bin) {
    begin[bin] = inGroups;
    inGroups += counts.places[bin];
    bins += counts.places[bin] > 0;
  }
  const int longWindows = counts.places[LongWindows], windows = counts.places[OtherWindows];
  begin[OtherWindows] = longWindows;
  const int* list = rows.rows;
  NumericTask* const tasks = workspace.take<NumericTask>(longWindows + windows);
  if (bins > 1 || longWindows + windows > 0 || blocks.ofA.ofRow) {
    int* const next = queue.toDevice(begin, numericBins, workspace);
    int* const dealt = workspace.take<int>(inGroups);
    queue.launch(dealNumericRows, blocksFor(rows.count, binThreads), binThreads, 0, rows, places,
                 next, dealt, tasks);
    list = dealt;
  }

  const auto launch = [&](const auto& launcher) {
    launcher.windows(tasks, longWindows + windows);
    for (int bin = numericLevels - 1; bin >= 0; --bin)
      launcher.rows({list ? list + begin[bin] : nullptr, counts.places[bin]},
                    bin + numericLevelsLeast);
  };
  if (blocks.ofA.ofRow)
    launch(NumericLauncher<Scalar, rowsOfBlockMost>(queue, A, B, C, blocks, counts));
  else
    launch(NumericLauncher<Scalar, 1>(queue, A, B, C, blocks, counts));
  return true;
}

template <class Scalar>
std::optional<long long> multiplyValues(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B,
                                        const CudaMatrix<Scalar>& C, Scalar* values, bool add) {
  const KernelQueue queue;
  DeviceWorkspace workspace(workspaceDefault);
  auto* const strays = queue.zeros<unsigned long long>(1, workspace);
  if (!computeNumericValues<Scalar>(queue, workspace, {nullptr, C.rows},
                                    {A.offsets, A.entryColumns, A.values},
                                    {B.offsets, B.entryColumns, B.values}, B.rows, B.entries,
                                    {C.offsets, C.entryColumns, values, add, strays}))
    return std::nullopt;
  return static_cast<long long>(queue.toHost(strays));
}

#define TRIDENT_COMPUTENUMERICVALUES_INSTANT(SCALAR)                                   \
  template bool computeNumericValues<SCALAR>(                                          \
      const KernelQueue&, DeviceWorkspace&, const RowList&, const DeviceRows<SCALAR>&, \
      const DeviceRows<SCALAR>&, int, std::size_t, const NumericRows<SCALAR>&, FactorBlocks);

TRIDENT_CUDA_SCALARS(TRIDENT_COMPUTENUMERICVALUES_INSTANT)
TRIDENT_CUDA_SCALARS(TRIDENT_MULTIPLYVALUES_INSTANT)

}  // namespace Trident::Impl
