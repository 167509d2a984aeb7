// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GatherSlots.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "transport/Trident_Messages.hpp"

namespace Trident::Impl {
namespace {

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

}  // namespace

std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes,
                                          MemoryKind memory) {
  return std::make_unique<MpiGather>(node, messageBytes, memory);
}

}  // namespace Trident::Impl
