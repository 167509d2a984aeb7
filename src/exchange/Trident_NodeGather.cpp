// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_NodeGather.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>

#include "base/Trident_Mpi.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_NcclCommunicator.hpp"
#include "transport/Trident_NodeMemory.hpp"

namespace Trident::Impl {
namespace {

/// The bytes from one slot of a gather to the next, for tiles of up to `bytes`: aligned for any
/// array and for whole cache lines of a device.
std::size_t slotStride(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// One rank's own storage for the tiles of a gather, a slot after the other.
class GatherSlots {
 public:
  explicit GatherSlots(MemoryKind memory) : memory_(memory) {}

  MemoryKind memory() const { return memory_; }
  char* at(int slot) const { return block_.data() + slot * stride_; }

  /// As NodeGather::reserve. Local.
  void reserve(std::size_t bytes, int slots) {
    const std::size_t stride = std::max(stride_, slotStride(bytes));
    const int most = std::max(slots_, slots);
    stride_ = 0;  // where there is no memory
    slots_ = 0;
    if (most * stride > block_.size()) {
      block_ = MemoryBlock();  // first, so that two of them never stand side by side
      block_ = MemoryBlock(memory_, "Trident::tile", most * stride);
    }
    stride_ = stride;
    slots_ = most;
  }

 private:
  MemoryKind memory_;
  MemoryBlock block_;
  std::size_t stride_ = 0;
  int slots_ = 0;
};

// Messages of a pair do not overtake and gathers start in one order, so one tag serves all.
constexpr int gatherTag = 3;

class MpiGather : public NodeGather {
 public:
  MpiGather(MPI_Comm node, std::size_t messageBytes, MemoryKind memory)
      : node_(node), messageBytes_(messageBytes), slots_(memory) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(node, &lambda_));
  }
  GatherKind kind() const override { return GatherKind::Mpi; }
  MemoryKind memory() const override { return slots_.memory(); }
  bool overlaps() const override { return false; }  // long messages move only in MPI's calls

  void reserve(std::size_t bytes, int slots) override { slots_.reserve(bytes, slots); }
  void* open(int slot) override { return slots_.at(slot); }

  void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    char* const tile = slots_.at(slot);
    std::vector<MPI_Request>& requests = requests_[slot];
    for (const GatherBlock& block : blocks) {
      if (block.k == k_) continue;
      postReceive(tile + block.offset, block.bytes, block.k, gatherTag, node_, messageBytes_,
                  requests);
      traffic.count(false, block.bytes, messageCount(block.bytes, messageBytes_));
    }
    for (int step = 1; step < lambda_; ++step)
      for (const GatherBlock& block : blocks)
        if (block.k == k_)
          postSend(tile + block.offset, block.bytes, (k_ + step) % lambda_, gatherTag, node_,
                   messageBytes_, requests);
  }

  void finish(int slot) override { waitAll(requests_[slot]); }

 private:
  MPI_Comm node_;
  std::size_t messageBytes_;
  int k_ = 0, lambda_ = 1;
  GatherSlots slots_;
  std::map<int, std::vector<MPI_Request>> requests_;  // by slot
};

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

class NcclGather : public NodeGather {
 public:
  NcclGather(MPI_Comm node, NcclCommunicator& nccl) : nccl_(nccl), slots_(MemoryKind::Device) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(node, &lambda_));
  }
  GatherKind kind() const override { return GatherKind::Nccl; }
  MemoryKind memory() const override { return MemoryKind::Device; }
  bool overlaps() const override { return true; }

  void reserve(std::size_t bytes, int slots) override { slots_.reserve(bytes, slots); }
  void* open(int slot) override { return slots_.at(slot); }

  /// To each peer in turn, from the next rank on, so that no rank is everybody's first.
  void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    char* const tile = slots_.at(slot);
    std::vector<NcclTransfer> transfers;
    for (int step = 1; step < lambda_; ++step) {
      const int to = (k_ + step) % lambda_, from = (k_ + lambda_ - step) % lambda_;
      for (const GatherBlock& block : blocks) {
        if (block.k == k_) transfers.push_back({tile + block.offset, block.bytes, to, true});
        if (block.k == from) transfers.push_back({tile + block.offset, block.bytes, from, false});
      }
    }
    for (const GatherBlock& block : blocks)
      if (block.k != k_) traffic.count(false, block.bytes, block.bytes > 0);
    tickets_[slot] = nccl_.start(transfers);
  }

  void finish(int slot) override { nccl_.wait(tickets_.at(slot)); }

 private:
  NcclCommunicator& nccl_;
  int k_ = 0, lambda_ = 1;
  GatherSlots slots_;
  std::map<int, NcclCommunicator::Ticket> tickets_;  // by slot
};

}  // namespace

std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes,
                                          MemoryKind memory) {
  return std::make_unique<MpiGather>(node, messageBytes, memory);
}

std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node) {
  return std::make_unique<SharedGather>(node);
}

std::unique_ptr<NodeGather> makeNcclGather(MPI_Comm node, NcclCommunicator& nccl) {
  return std::make_unique<NcclGather>(node, nccl);
}

}  // namespace Trident::Impl
