// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/Trident_Mpi.hpp"
#include "transport/Trident_CopyStream.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_PeerTransfers.hpp"

namespace Trident::Impl {
namespace {

constexpr int stagedTag = 1;
constexpr int buffers = 4;  // a piece is copied, one travels, one has just come, and one is spare

/// The pieces that go one way, one behind the other through a ring of buffers. Each takes two
/// steps: on the way out a copy and then a message, on the way in a message and then a copy.
class StagingRing {
 public:
  StagingRing(MPI_Comm comm, std::size_t pieceBytes, bool outward)
      : comm_(comm),
        pieceBytes_(pieceBytes),
        outward_(outward),
        memory_(MemoryKind::Pinned, "Trident::staging", buffers * pieceBytes),
        stream_(buffers),
        requests_(buffers, MPI_REQUEST_NULL) {}

  void start(const std::vector<PeerTransfer>& transfers) {
    pieces_.clear();
    begun_ = turned_ = ended_ = 0;
    for (const PeerTransfer& t : transfers) {
      if (t.send != outward_) continue;
      for (std::size_t at = 0; at < t.bytes; at += pieceBytes_)
        pieces_.push_back({t.data + at, std::min(pieceBytes_, t.bytes - at), t.peer, t.send});
    }
    advance();
  }

  /// Takes every step that can be taken now; whether all pieces are through. Pieces keep their
  /// order, as MPI matches messages in the order in which they are posted.
  bool advance() {
    for (; begun_ < pieces_.size() && begun_ < ended_ + buffers; ++begun_) begin(begun_, outward_);
    for (; turned_ < begun_ && complete(turned_, outward_); ++turned_) begin(turned_, !outward_);
    while (ended_ < turned_ && complete(ended_, !outward_)) ++ended_;
    return ended_ == pieces_.size();
  }

 private:
  static int slot(std::size_t n) { return static_cast<int>(n % buffers); }

  void begin(std::size_t n, bool copy) {
    const PeerTransfer& piece = pieces_[n];
    char* const buffer = memory_.data() + slot(n) * pieceBytes_;
    const int count = static_cast<int>(piece.bytes);
    MPI_Request* const request = &requests_[slot(n)];
    if (copy && outward_)
      stream_.copy(slot(n), buffer, MemoryKind::Pinned, piece.data, MemoryKind::Device,
                   piece.bytes);
    else if (copy)
      stream_.copy(slot(n), piece.data, MemoryKind::Device, buffer, MemoryKind::Pinned,
                   piece.bytes);
    else if (outward_)
      TRIDENT_MPI_CHECK(MPI_Isend(buffer, count, MPI_BYTE, piece.peer, stagedTag, comm_, request));
    else
      TRIDENT_MPI_CHECK(MPI_Irecv(buffer, count, MPI_BYTE, piece.peer, stagedTag, comm_, request));
  }

  bool complete(std::size_t n, bool copy) {
    if (copy) return stream_.done(slot(n));
    int done = 0;
    TRIDENT_MPI_CHECK(MPI_Test(&requests_[slot(n)], &done, MPI_STATUS_IGNORE));
    return done != 0;
  }

  MPI_Comm comm_;
  std::size_t pieceBytes_;
  bool outward_;
  MemoryBlock memory_;
  CopyStream stream_;
  std::vector<MPI_Request> requests_;
  std::vector<PeerTransfer> pieces_;
  std::size_t begun_ = 0, turned_ = 0, ended_ = 0;  // pieces in their first step, second, through
};

class StagedTransfers : public PeerTransfers {
 public:
  StagedTransfers(MPI_Comm comm, std::size_t pieceBytes)
      : PeerTransfers(MemoryKind::Device),
        pieceBytes_(pieceBytes),
        in_(comm, pieceBytes_, false),
        out_(comm, pieceBytes_, true) {}

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
    return messageCount(bytes, pieceBytes_);
  }

 private:
  std::size_t pieceBytes_;
  StagingRing in_, out_;
};

}  // namespace

std::unique_ptr<PeerTransfers> makeStagedTransfers(MPI_Comm comm, std::size_t pieceBytes) {
  return std::make_unique<StagedTransfers>(comm, pieceBytes);
}

}  // namespace Trident::Impl
