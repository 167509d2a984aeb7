// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GatherSlots.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "transport/Trident_NodeMemory.hpp"

namespace Trident::Impl {
namespace {

/// Ranks meet in the barrier, where they reserve, and after finish(); the fences keep each rank's
/// loads and stores on their side.
class SharedGather : public NodeGather {
 public:
  explicit SharedGather(MPI_Comm node) : node_(node) {}
  GatherKind kind() const override { return GatherKind::Shared; }
  MemoryKind memory() const override { return MemoryKind::Host; }
  bool overlaps() const override { return false; }  // open() waits for the others

  void reserve(std::size_t bytes, int slots) override {
    opened_.assign(std::max(slots_, slots), false);  // all have left tiles when all have reserved
    if (memory_ && bytes <= stride_ && slots <= slots_) return;
    const std::size_t stride = std::max(stride_, slotStride(bytes));
    const int most = std::max(slots_, slots);
    memory_.reset();  // first, so that two of them never stand side by side
    stride_ = 0;      // where there is no memory
    slots_ = 0;
    memory_.emplace(node_, most * stride);
    stride_ = stride;
    slots_ = most;
  }

  void* open(int slot) override {
    if (opened_[slot]) barrier(node_, "the ranks of the node to leave a tile");
    opened_[slot] = true;
    return memory_->data() + slot * stride_;
  }

  void start(int, const std::vector<GatherBlock>&, Traffic&) override { fence(); }

  void finish(int) override { fence(); }

 private:
  static void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

  MPI_Comm node_;
  std::optional<NodeMemory> memory_;
  std::size_t stride_ = 0;
  int slots_ = 0;
  std::vector<char> opened_;  // since reserve(), by slot
};

}  // namespace

std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node) {
  return std::make_unique<SharedGather>(node);
}

}  // namespace Trident::Impl
