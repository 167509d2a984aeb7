// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_PeerTransfers.hpp"

#include <algorithm>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {
namespace {

// One tag for all transfers, because one side may stage a transfer, and the other side may not.
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

constexpr int buffers = 4;  // one chunk is copied, one travels, one has just come; one is spare

/// The chunks that go one way, one by one through a ring of buffers. Each chunk takes two steps. On
/// the way out it is copied, then sent. On the way in it is received, then copied.
class StagingRing {
 public:
  StagingRing(MPI_Comm comm, std::size_t chunkBytes, bool outward)
      : comm_(comm),
        chunkBytes_(chunkBytes),
        outward_(outward),
        memory_(MemoryKind::Pinned, "Trident::staging", buffers * chunkBytes),
        stream_(buffers),
        requests_(buffers, MPI_REQUEST_NULL) {}

  void start(const std::vector<PeerTransfer>& transfers) {
    chunks_.clear();
    begun_ = turned_ = ended_ = 0;
    for (const PeerTransfer& t : transfers) {
      if (t.send != outward_) continue;
      for (std::size_t at = 0; at < t.bytes; at += chunkBytes_)
        chunks_.push_back({t.data + at, std::min(chunkBytes_, t.bytes - at), t.peer, t.send});
    }
    advance();
  }

  /// Takes all steps that can be taken now. Returns true if all chunks have ended. Chunks keep
  /// their order, because MPI matches messages in the order of posting.
  bool advance() {
    for (; begun_ < chunks_.size() && begun_ < ended_ + buffers; ++begun_) begin(begun_, outward_);
    for (; turned_ < begun_ && complete(turned_, outward_); ++turned_) begin(turned_, !outward_);
    while (ended_ < turned_ && complete(ended_, !outward_)) ++ended_;
    return ended_ == chunks_.size();
  }

 private:
  static int slot(std::size_t n) { return static_cast<int>(n % buffers); }

  void begin(std::size_t n, bool copy) {
    const PeerTransfer& chunk = chunks_[n];
    char* const buffer = memory_.data() + slot(n) * chunkBytes_;
    const int count = static_cast<int>(chunk.bytes);
    MPI_Request* const request = &requests_[slot(n)];
    if (copy && outward_)
      stream_.copy(slot(n), buffer, MemoryKind::Pinned, chunk.data, MemoryKind::Device,
                   chunk.bytes);
    else if (copy)
      stream_.copy(slot(n), chunk.data, MemoryKind::Device, buffer, MemoryKind::Pinned,
                   chunk.bytes);
    else if (outward_)
      TRIDENT_MPI_CHECK(MPI_Isend(buffer, count, MPI_BYTE, chunk.peer, peerTag, comm_, request));
    else
      TRIDENT_MPI_CHECK(MPI_Irecv(buffer, count, MPI_BYTE, chunk.peer, peerTag, comm_, request));
  }

  bool complete(std::size_t n, bool copy) {
    if (copy) return stream_.done(slot(n));
    int done = 0;
    TRIDENT_MPI_CHECK(MPI_Test(&requests_[slot(n)], &done, MPI_STATUS_IGNORE));
    return done != 0;
  }

  MPI_Comm comm_;
  std::size_t chunkBytes_;
  bool outward_;
  MemoryBlock memory_;
  CopyStream stream_;
  std::vector<MPI_Request> requests_;
  std::vector<PeerTransfer> chunks_;
  // Numbers of chunks: first step begun, second step begun, ended.
  std::size_t begun_ = 0, turned_ = 0, ended_ = 0;
};

class StagedTransfers : public PeerTransfers {
 public:
  StagedTransfers(MPI_Comm comm, std::size_t chunkBytes)
      : PeerTransfers(MemoryKind::Device),
        chunkBytes_(chunkBytes),
        in_(comm, chunkBytes_, false),
        out_(comm, chunkBytes_, true) {}

  void start(const std::vector<PeerTransfer>& transfers) override {
    in_.start(transfers);
    out_.start(transfers);
  }
  void wait() override {
    bool in = false, out = false;
    while (!in || !out) {
      in = in_.advance();
      out = out_.advance();
    }
  }
  long long messages(int, std::size_t bytes) const override {
    return messageCount(bytes, chunkBytes_);
  }

 private:
  std::size_t chunkBytes_;
  StagingRing in_, out_;
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
    // far_ starts even if near_ has failed, because the peers of far_ wait.
    LocalFailure failure;
    failure.guard([&] { near_->start(near); });
    far_->start(far);
    rethrow(failure);
  }
  void wait() override {
    LocalFailure failure;
    failure.guard([&] { far_->wait(); });  // first, because it is slower and may need this thread
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

std::unique_ptr<PeerTransfers> makeStagedTransfers(MPI_Comm comm, std::size_t chunkBytes) {
  return std::make_unique<StagedTransfers>(comm, chunkBytes);
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
