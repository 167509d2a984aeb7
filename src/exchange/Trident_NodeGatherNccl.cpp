// SPDX-License-Identifier: BSD-3-Clause
#include <map>

#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GatherSlots.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

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

std::unique_ptr<NodeGather> makeNcclGather(MPI_Comm node, NcclCommunicator& nccl) {
  return std::make_unique<NcclGather>(node, nccl);
}

}  // namespace Trident::Impl
