// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_RequestSlots.hpp"
#include "transport/Trident_NodeMemory.hpp"

namespace Trident::Impl {
namespace {

using Slot = std::atomic<std::uint64_t>;
static_assert(Slot::is_always_lock_free, "slots are shared between processes");

constexpr std::size_t cacheLine = 64;

/// Returns the bytes of one rank's slots, in whole cache lines. The slots of A's line come first.
std::size_t bytesOfRank(const GridShape& shape) {
  const std::size_t bytes = (shape.nodeCols + shape.nodeRows) * sizeof(Slot);
  return (bytes + cacheLine - 1) / cacheLine * cacheLine;
}

class MemoryCounters : public RequestCounters {
 public:
  /// @param own slots in this rank's memory; member m writes its count into slot m
  /// @param theirs for each member, the slot in its memory that this rank writes
  MemoryCounters(MPI_Comm line, Slot* own, std::vector<Slot*> theirs)
      : line_(line), own_(own), theirs_(std::move(theirs)) {}

  void ask(int owner, std::uint64_t count) override {
    theirs_[owner]->store(count, std::memory_order_release);
  }
  void askAgain(int owner, std::uint64_t count) override { ask(owner, count); }
  void poll() override {
    // Members write their counts themselves. The probe only lets MPI move messages on.
    int there = 0;
    TRIDENT_MPI_CHECK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, line_, &there, MPI_STATUS_IGNORE));
  }
  std::uint64_t asked(int member) const override {
    return own_[member].load(std::memory_order_acquire);
  }

 private:
  MPI_Comm line_;
  Slot* own_;
  std::vector<Slot*> theirs_;
};

class RequestMemory : public RequestSlots {
 public:
  explicit RequestMemory(const ProcessGrid& grid)
      : grid_(grid), memory_(grid.comm(), bytesOfRank(grid.shape()) * grid.shape().ranks()) {
    for (int s = 0; s < grid.shape().nodeCols + grid.shape().nodeRows; ++s)
      new (slots(grid.rank()) + s) Slot(0);
    barrier(grid.comm(), "all ranks to clear their requests");
  }
  const char* name() const override { return "shared memory"; }
  std::unique_ptr<RequestCounters> counters(Factor factor) override {
    const LineSchedule line(grid_.shape(), grid_.me(), factor);
    const int first = factor == Factor::A ? 0 : grid_.shape().nodeCols;
    std::vector<Slot*> theirs;
    for (int rank : grid_.lineRanks(factor))
      theirs.push_back(slots(rank) + first + line.ownMember());
    return std::make_unique<MemoryCounters>(grid_.line(factor), slots(grid_.rank()) + first,
                                            std::move(theirs));
  }

 private:
  Slot* slots(int rank) const {
    return reinterpret_cast<Slot*>(memory_.data() + bytesOfRank(grid_.shape()) * rank);
  }

  const ProcessGrid& grid_;
  NodeMemory memory_;  // slots of all ranks, by rank
};

/// Returns true if one host has all ranks of the grid. Local; equal on all ranks.
bool onOneHost(const ProcessGrid& grid) { return grid.host().size() == grid.size(); }

}  // namespace

std::unique_ptr<RequestSlots> makeRequestMemory(const ProcessGrid& grid) {
  return std::make_unique<RequestMemory>(grid);
}

std::unique_ptr<RequestSlots> makeRequestSlots(const ProcessGrid& grid) {
  if (onOneHost(grid)) try {
      return makeRequestMemory(grid);
    } catch (const Error&) {  // thrown on every rank: all take the window
    }
  return makeRequestWindow(grid);
}

}  // namespace Trident::Impl
