// SPDX-License-Identifier: BSD-3-Clause
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "kernels/cuda/Trident_CudaProduct.hpp"
#include "kernels/cuda/Trident_NumericBins_Cuda.hpp"

namespace Trident::Impl {
namespace {

/// Returns the number of lanes of a group, by the mean length of the rows of B that A's entries
/// meet. Measured on one H200: 4 lanes for 7 entries (laplace3d), 8 for 9 (brick2d), 16 for 27
/// (brick3d). If lengths vary, a group has twice as many lanes: 32 for 16 entries in the mean (er).
int lanesFor(const NumericCounts& counts) {
  if (counts.entriesA == 0) return lanesOfWarp;
  const double entries = static_cast<double>(counts.entriesA);
  const double mean = counts.multiplyAdds / entries;
  const double variance = counts.squares / entries - mean * mean;
  const int lanes = mean < 7.5 ? 4 : mean < 12 ? 8 : mean < 28 ? 16 : 32;
  return variance > mean / 2 ? std::min(2 * lanes, lanesOfWarp) : lanes;
}

/// A launcher of a schedule's kernels.
/// @tparam Rows 1, or rowsOfBlockMost if rows come in blocks
template <class Scalar, int Rows>
class NumericLauncher {
 public:
  NumericLauncher(const KernelQueue& queue, const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B,
                  const NumericResult<Scalar>& C, const NumericSchedule& schedule)
      : queue_(queue), A_(A), B_(B), C_(C), schedule_(schedule), blocks_(schedule.blocks) {}

  void all() const {
    if (Rows == 1 || windowLevels(blocks_.ofA) == windowLevelsMost)
      windowsOf<windowLevelsMost>();
    else if constexpr (Rows > 1)
      windowsOf<windowLevelsMost - 1>();
    for (int bin = numericLevels - 1; bin >= 0; --bin) {
      const RowList rows{schedule_.rows ? schedule_.rows + schedule_.begin[bin] : nullptr,
                         schedule_.places[bin]};
      if (schedule_.consecutive)
        byLanes<ColumnBlocks>(rows, bin + numericLevelsLeast);
      else
        byLanes<ColumnTree>(rows, bin + numericLevelsLeast);
    }
  }

 private:
  template <int Levels>
  void windowsOf() const {
    constexpr int warps = numericRowThreads / lanesOfWarp;
    const std::size_t bytes =
        numericGroupBytes<Rows, ColumnTree, Scalar>(lanesOfWarp, Levels, blocks_.ofA.most);
    queue_.launch(computeNumericWindows<Rows, Levels, Scalar>, blocksFor(schedule_.windows, warps),
                  numericRowThreads, warps * bytes, schedule_.tasks, schedule_.windows, blocks_, A_,
                  B_, C_);
  }

  template <class Table>
  void byLanes(const RowList& rows, int levels) const {
    // Groups with many sums have more lanes, so that fewer groups share a thread block's memory.
    const int rowsMost = blocks_.ofA.most, sums = levels + (rowsMost > 2 ? 2 : rowsMost - 1);
    switch (std::min(std::max(schedule_.lanes, 1 << std::max(2, sums - 5)), lanesOfWarp)) {
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
  const DeviceCsr<Scalar> A_, B_;
  const NumericResult<Scalar> C_;
  const NumericSchedule& schedule_;
  const FactorBlocks blocks_;
};

template <class Scalar>
void computeBySchedule(const KernelQueue& queue, const DeviceCsr<Scalar>& A,
                       const DeviceCsr<Scalar>& B, const NumericResult<Scalar>& C,
                       const NumericSchedule& schedule) {
  if (schedule.blocks.ofA.ofRow)
    NumericLauncher<Scalar, rowsOfBlockMost>(queue, A, B, C, schedule).all();
  else
    NumericLauncher<Scalar, 1>(queue, A, B, C, schedule).all();
}

/// Finds the schedule of rows, with arrays in the workspace. Waits as computeNumericValues() does.
template <class Scalar>
NumericSchedule findSchedule(const KernelQueue& queue, DeviceWorkspace& workspace,
                             const RowList& rows, const DeviceCsr<Scalar>& A,
                             const DeviceCsr<Scalar>& B, int rowsB, std::size_t entriesB,
                             const NumericResult<Scalar>& C, FactorBlocks blocks) {
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
  if (counts.descents) return {};
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

  NumericSchedule schedule{true, blocks, rows.rows};
  schedule.lanes = lanesFor(counts);
  schedule.consecutive = counts.blocksC * 3 <= counts.entriesC;
  std::copy_n(counts.places, numericBins, schedule.places);
  int inGroups = 0, bins = 0;
  for (int bin = 0; bin < LongWindows; ++bin) {
    schedule.begin[bin] = inGroups;
    inGroups += counts.places[bin];
    bins += counts.places[bin] > 0;
  }
  schedule.begin[OtherWindows] = counts.places[LongWindows];
  schedule.windows = counts.places[LongWindows] + counts.places[OtherWindows];
  if (bins > 1 || schedule.windows > 0 || blocks.ofA.ofRow) {
    int* const next = queue.toDevice(schedule.begin, numericBins, workspace);
    int* const dealt = workspace.take<int>(inGroups);
    NumericTask* const tasks = workspace.take<NumericTask>(schedule.windows);
    queue.launch(dealNumericRows, blocksFor(rows.count, binThreads), binThreads, 0, rows, places,
                 next, dealt, tasks);
    schedule.rows = dealt;
    schedule.tasks = tasks;
  }
  return schedule;
}

/// Returns a copy of a schedule. The copy owns its arrays. The schedule must be for all rows.
KeptSchedule keptSchedule(const KernelQueue& queue, NumericSchedule schedule, int rowsB) {
  const std::size_t listed = schedule.begin[NothingToDo];
  // The arrays need no gaps, because none has a larger alignment than the array before it.
  const auto forArrays = [&](const auto& work) {
    work(schedule.strays, 1);
    work(schedule.tasks, schedule.windows);
    work(schedule.rows, listed);
    work(schedule.blocks.ofA.ofRow, schedule.sizes[0]);
    work(schedule.blocks.ofB.ofRow, rowsB);
  };
  std::size_t bytes = 0;
  forArrays(
      [&](const auto* array, std::size_t count) { bytes += array ? count * sizeof *array : 0; });
  KeptSchedule kept;
  kept.arrays = MemoryBlock(MemoryKind::Device, "Trident::numericSchedule", bytes);
  char* to = kept.arrays.data();
  forArrays([&](auto*& array, std::size_t count) {
    if (!array) return;
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(to, array, count * sizeof *array, cudaMemcpyDeviceToDevice,
                                       queue.stream()));
    array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(to);
    to += count * sizeof *array;
  });
  kept.found = std::make_shared<const NumericSchedule>(schedule);
  return kept;
}

}  // namespace

template <class Scalar>
bool computeNumericValues(const KernelQueue& queue, DeviceWorkspace& workspace, const RowList& rows,
                          const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B, int rowsB,
                          std::size_t entriesB, const NumericResult<Scalar>& C,
                          FactorBlocks blocks) {
  const NumericSchedule schedule =
      findSchedule(queue, workspace, rows, A, B, rowsB, entriesB, C, blocks);
  if (schedule.ascends) computeBySchedule(queue, A, B, C, schedule);
  return schedule.ascends;
}

template <class Scalar>
std::optional<long long> multiplyValues(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B,
                                        const CudaMatrix<Scalar>& C, Scalar* values, bool add,
                                        KeptSchedule* kept) {
  const KernelQueue queue;
  const DeviceCsr<Scalar> a{A.offsets, A.entryColumns, A.values},
      b{B.offsets, B.entryColumns, B.values};
  NumericResult<Scalar> c{C.offsets, C.entryColumns, values, add, nullptr};
  const std::array<std::size_t, 5> sizes{std::size_t(C.rows), A.entries, std::size_t(B.rows),
                                         B.entries, C.entries};
  if (kept && kept->found && kept->found->sizes == sizes) {
    if (!kept->found->ascends) return std::nullopt;
    // Does not read the number of strays, because a read would wait for the kernels. Structures
    // alone decide the number, and it was 0 in the first product.
    c.strays = kept->found->strays;
    computeBySchedule(queue, a, b, c, *kept->found);
    return 0;
  }
  DeviceWorkspace workspace(workspaceDefault);
  c.strays = queue.zeros<unsigned long long>(1, workspace);
  NumericSchedule schedule =
      findSchedule<Scalar>(queue, workspace, {nullptr, C.rows}, a, b, B.rows, B.entries, c, {});
  schedule.sizes = sizes;
  schedule.strays = c.strays;
  KeptSchedule mine;  // made before values are written, because keptSchedule() may throw
  if (kept) mine = keptSchedule(queue, schedule, B.rows);
  std::optional<long long> strays;
  if (schedule.ascends) {
    computeBySchedule(queue, a, b, c, schedule);
    strays = static_cast<long long>(queue.toHost(c.strays));
  }
  if (kept && strays.value_or(0) == 0) *kept = mine;
  return strays;
}

#define TRIDENT_COMPUTENUMERICVALUES_INSTANT(SCALAR)                                  \
  template bool computeNumericValues<SCALAR>(                                         \
      const KernelQueue&, DeviceWorkspace&, const RowList&, const DeviceCsr<SCALAR>&, \
      const DeviceCsr<SCALAR>&, int, std::size_t, const NumericResult<SCALAR>&, FactorBlocks);

TRIDENT_CUDA_SCALARS(TRIDENT_COMPUTENUMERICVALUES_INSTANT)
TRIDENT_CUDA_SCALARS(TRIDENT_MULTIPLYVALUES_INSTANT)

}  // namespace Trident::Impl
