// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Agreement.hpp"
#include "Trident_Messages.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_NodeGather.hpp"

namespace Trident {
namespace {

constexpr int tag = 3;

class MpiGather : public NodeGather {
 public:
  MpiGather(MPI_Comm node, std::size_t messageBytes) : node_(node), messageBytes_(messageBytes) {
    TRIDENT_MPI_CHECK(MPI_Comm_rank(node, &k_));
    TRIDENT_MPI_CHECK(MPI_Comm_size(node, &lambda_));
  }
  const char* name() const override { return "mpi"; }

  void reserve(std::size_t bytes) override {
    LocalFailure failure;
    failure.guard([&] {
      if (bytes > bytes_) {
        tile_.reset();
        bytes_ = 0;
        tile_.reset(new char[bytes]);  // unlike make_unique, leaves the pages untouched
        bytes_ = bytes;
      }
    });
    throwEverywhere(node_, "Trident::Multiply", failure.text());
  }

  void* open() override { return tile_.get(); }

  void gather(const std::vector<GatherBlock>& blocks, Traffic& traffic) override {
    std::vector<MPI_Request> requests;
    for (const GatherBlock& block : blocks) {
      if (block.k == k_) continue;
      postReceive(tile_.get() + block.offset, block.bytes, block.k, tag, node_, messageBytes_,
                  requests);
      traffic.count(false, block.bytes, messageCount(block.bytes, messageBytes_));
    }
    for (int step = 1; step < lambda_; ++step)
      for (const GatherBlock& block : blocks)
        if (block.k == k_)
          postSend(tile_.get() + block.offset, block.bytes, (k_ + step) % lambda_, tag, node_,
                   messageBytes_, requests);
    waitAll(requests);
  }

 private:
  MPI_Comm node_;
  std::size_t messageBytes_;
  int k_ = 0, lambda_ = 1;
  std::unique_ptr<char[]> tile_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes) {
  return std::make_unique<MpiGather>(node, messageBytes);
}

}  // namespace Trident
