// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_NodeGather.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_NcclCommunicator.hpp"
#include "transport/Trident_NodeMemory.hpp"
#include "transport/Trident_PeerMemory.hpp"

namespace Trident::Impl {
namespace {

/// Returns the distance in bytes between slots for tiles of up to `bytes`. It is a multiple of 256,
/// so that arrays of any type, and whole cache lines of a device, are aligned in every slot.
std::size_t slotStride(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// The storage for the tiles of a gather. All slots lie in one Memory, a class that has data().
template <class Memory>
class GatherSlots {
 public:
  char* at(int slot) const { return memory_->data() + offset(slot); }
  std::size_t offset(int slot) const { return slot * stride_; }
  int slots() const { return slots_; }
  const Memory& memory() const { return *memory_; }

  /// Reserves memory like NodeGather::reserve(). Calls make(memory, bytes) if memory_ is too small.
  /// memory_ is null if make() throws. If ranks make equal calls, all call make() or none does.
  template <class Make>
  void reserve(std::size_t bytes, int slots, Make&& make) {
    if (memory_ && bytes <= stride_ && slots <= slots_) return;
    const std::size_t stride = std::max(stride_, slotStride(bytes));
    const int most = std::max(slots_, slots);
    memory_.reset();  // before make(), so that two memories never exist together
    stride_ = 0;      // stays 0 if make() throws
    slots_ = 0;
    make(memory_, most * stride);
    stride_ = stride;
    slots_ = most;
  }

 private:
  std::optional<Memory> memory_;
  std::size_t stride_ = 0;
  int slots_ = 0;
};

/// The slots of one rank, which no other rank sees.
class OwnSlots {
 public:
  explicit OwnSlots(MemoryKind memory) : memory_(memory) {}
  MemoryKind memory() const { return memory_; }
  char* at(int slot) const { return slots_.at(slot); }
  void reserve(std::size_t bytes, int slots) {
    slots_.reserve(bytes, slots, [&](std::optional<MemoryBlock>& memory, std::size_t all) {
      memory.emplace(memory_, "Trident::tile", all);
    });
  }

 private:
  MemoryKind memory_;
  GatherSlots<MemoryBlock> slots_;
};

// One tag is enough: messages between two ranks keep order, and ranks start gathers in one order.
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
  bool overlaps() const override { return false; }  // no overlap: long messages need calls of MPI

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
  OwnSlots slots_;
  std::map<int, std::vector<MPI_Request>> requests_;  // requests by slot
};

/// A gather into one tile that all ranks of a node write. reserve() and open() synchronize the
/// ranks. After finish() the caller must synchronize the ranks. Fences make a rank's writes to
/// the tile precede this synchronization.
class SharedGather : public NodeGather {
 public:
  explicit SharedGather(MPI_Comm node) : node_(node) {}
  GatherKind kind() const override { return GatherKind::Shared; }
  MemoryKind memory() const override { return MemoryKind::Host; }
  bool overlaps() const override { return false; }  // no overlap: open() waits for other ranks

  void reserve(std::size_t bytes, int slots) override {
    slots_.reserve(bytes, slots, [&](std::optional<NodeMemory>& memory, std::size_t all) {
      memory.emplace(node_, all);
    });
    opened_.assign(slots_.slots(), false);  // first open() need not wait: nobody reads a tile
  }

  void* open(int slot) override {
    if (opened_[slot]) barrier(node_, "the ranks of the node to leave a tile");
    opened_[slot] = true;
    return slots_.at(slot);
  }

  void start(int, const std::vector<GatherBlock>&, Traffic&) override { fence(); }

  void finish(int) override { fence(); }

 private:
  static void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

  MPI_Comm node_;
  GatherSlots<NodeMemory> slots_;
  std::vector<char> opened_;  // true for slots opened since reserve()
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

  /// Begins with the next rank, so that not all ranks send to the same peer at a time.
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
  OwnSlots slots_;
  std::map<int, NcclCommunicator::Ticket> tickets_;  // tickets by slot
};

/// Each rank copies other ranks' blocks out of their tiles. A rank writes its block before it
/// enters the barrier in start(). The others copy the block after this barrier, and finish() waits
/// for the copies. So after finish() of a slot, the next barrier proves that no rank reads the slot
/// any more. If start() of another slot has passed such a barrier, open() needs none.
class PeerGather : public NodeGather {
 public:
  PeerGather(MPI_Comm node, IpcDevice& device) : node_(node), device_(device) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(node, &lambda_));
  }
  GatherKind kind() const override { return GatherKind::Peer; }
  MemoryKind memory() const override { return MemoryKind::Device; }
  bool overlaps() const override { return true; }

  void reserve(std::size_t bytes, int slots) override {
    if (slots > copySlots_) makeCopies(slots);
    slots_.reserve(bytes, slots, [&](std::optional<PeerMemory>& memory, std::size_t all) {
      memory.emplace(node_, all, "Trident::tile", device_);
    });
    finishedAt_.assign(slots_.slots(), never);  // first open() need not wait: nobody reads a tile
  }

  void* open(int slot) override {
    if (finishedAt_[slot] == meetings_) meet("the ranks of the node to leave a tile");
    return slots_.at(slot);
  }

  /// Begins with the next rank, so that not all ranks copy from the same peer at a time.
  void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    meet("the ranks of the node to write a tile");
    for (int step = 1; step < lambda_; ++step) {
      const int from = (k_ + step) % lambda_;
      const char* const theirs = slots_.memory().of(from) + slots_.offset(slot);
      for (const GatherBlock& joined : joinedBlocks(blocks, from))
        copies_->copy(slot, slots_.at(slot) + joined.offset, MemoryKind::Device,
                      theirs + joined.offset, MemoryKind::Device, joined.bytes);
    }
    for (const GatherBlock& block : blocks)
      if (block.k != k_) traffic.count(false, block.bytes, block.bytes > 0);
  }

  void finish(int slot) override {
    // finishedAt_ must be equal on all ranks, even if the wait below throws.
    finishedAt_[slot] = meetings_;
    const WaitStatus waiting("the tile of the node");
    Wait wait;
    while (!copies_->done(slot)) wait.goOn();
  }

 private:
  static constexpr long long never = -1;

  /// Makes a stream that tells copies of different slots apart. Collective over the node.
  void makeCopies(int slots) {
    copySlots_ = 0;  // stays 0 if some rank fails
    runEverywhere(node_, [&] { copies_.emplace(slots); });
    copySlots_ = slots;
  }

  void meet(const char* what) {
    barrier(node_, what);
    ++meetings_;
  }

  /// Returns the blocks that rank k has written, ordered by offset. Joins adjacent blocks.
  static std::vector<GatherBlock> joinedBlocks(const std::vector<GatherBlock>& blocks, int k) {
    std::vector<GatherBlock> its, joined;
    for (const GatherBlock& block : blocks)
      if (block.k == k && block.bytes > 0) its.push_back(block);
    std::sort(its.begin(), its.end(),
              [](const GatherBlock& a, const GatherBlock& b) { return a.offset < b.offset; });
    for (const GatherBlock& block : its)
      if (!joined.empty() && joined.back().offset + joined.back().bytes == block.offset)
        joined.back().bytes += block.bytes;
      else
        joined.push_back(block);
    return joined;
  }

  MPI_Comm node_;
  IpcDevice& device_;
  int k_ = 0, lambda_ = 1;
  GatherSlots<PeerMemory> slots_;
  std::optional<CopyStream> copies_;  // declared after slots_, so destroyed before slots_
  int copySlots_ = 0;
  long long meetings_ = 0;
  std::vector<long long> finishedAt_;  // number of barriers before the last finish(), by slot
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

std::unique_ptr<NodeGather> makePeerGather(MPI_Comm node, IpcDevice& device) {
  return std::make_unique<PeerGather>(node, device);
}

}  // namespace Trident::Impl
