// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_PeerTransfers.hpp"

#include <algorithm>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

constexpr int peerTag = 1;

class MpiPeerTransfers : public PeerTransfers {
 public:
  MpiPeerTransfers(MPI_Comm comm, MemoryKind memory, std::size_t messageBytes)
      : PeerTransfers(memory), comm_(comm), messageBytes_(messageBytes) {}

  void start(const std::vector<PeerTransfer>& transfers) override {
    for (const PeerTransfer& t : transfers)
      if (!t.send) postReceive(t.data, t.bytes, t.peer, peerTag, comm_, messageBytes_, requests_);
    for (const PeerTransfer& t : transfers)
      if (t.send) postSend(t.data, t.bytes, t.peer, peerTag, comm_, messageBytes_, requests_);
  }
  void wait() override { waitAll(requests_); }
  long long messages(int, std::size_t bytes) const override {
    return messageCount(bytes, messageBytes_);
  }

 private:
  MPI_Comm comm_;
  std::size_t messageBytes_;
  std::vector<MPI_Request> requests_;
};

class NcclTransfers : public PeerTransfers {
 public:
  NcclTransfers(NcclCommunicator& node, int firstRank)
      : PeerTransfers(MemoryKind::Device), node_(node), firstRank_(firstRank) {}

  void start(const std::vector<PeerTransfer>& transfers) override {
    std::vector<NcclTransfer> group;
    for (const PeerTransfer& t : transfers)
      group.push_back({t.data, t.bytes, t.peer - firstRank_, t.send});
    started_ = !group.empty();
    if (started_) ticket_ = node_.start(group);
  }
  void wait() override {
    if (started_) node_.wait(ticket_);
    started_ = false;
  }
  long long messages(int, std::size_t bytes) const override { return bytes > 0; }

 private:
  NcclCommunicator& node_;
  int firstRank_;
  bool started_ = false;
  NcclCommunicator::Ticket ticket_ = 0;
};

class SplitTransfers : public PeerTransfers {
 public:
  SplitTransfers(std::unique_ptr<PeerTransfers> near, std::unique_ptr<PeerTransfers> far,
                 int firstRank, int ranks)
      : PeerTransfers(near->memory()),
        near_(std::move(near)),
        far_(std::move(far)),
        firstRank_(firstRank),
        ranks_(ranks) {}

  void start(const std::vector<PeerTransfer>& transfers) override {
    std::vector<PeerTransfer> near, far;
    for (const PeerTransfer& t : transfers) (isNear(t.peer) ? near : far).push_back(t);
    // Each of the two keeps up with its peers, also where the other has failed.
    LocalFailure failure;
    failure.guard([&] { near_->start(near); });
    far_->start(far);
    rethrow(failure);
  }
  void wait() override {
    LocalFailure failure;
    failure.guard([&] { far_->wait(); });  // the slower one, and the one that may need this thread
    near_->wait();
    rethrow(failure);
  }
  long long messages(int peer, std::size_t bytes) const override {
    return (isNear(peer) ? near_ : far_)->messages(peer, bytes);
  }

 private:
  static void rethrow(const LocalFailure& failure) {
    if (failure.failed()) throw Error(failure.text());
  }
  bool isNear(int peer) const { return peer >= firstRank_ && peer < firstRank_ + ranks_; }

  std::unique_ptr<PeerTransfers> near_, far_;
  int firstRank_, ranks_;
};

}  // namespace

std::unique_ptr<PeerTransfers> makeMpiTransfers(MPI_Comm comm, MemoryKind memory,
                                                std::size_t messageBytes) {
  return std::make_unique<MpiPeerTransfers>(comm, memory, messageBytes);
}

std::unique_ptr<PeerTransfers> makeNcclTransfers(NcclCommunicator& node, int firstRank) {
  return std::make_unique<NcclTransfers>(node, firstRank);
}

std::unique_ptr<PeerTransfers> makeSplitTransfers(std::unique_ptr<PeerTransfers> near,
                                                  std::unique_ptr<PeerTransfers> far, int firstRank,
                                                  int ranks) {
  return std::make_unique<SplitTransfers>(std::move(near), std::move(far), firstRank, ranks);
}

}  // namespace Trident::Impl
