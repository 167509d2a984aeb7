// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_Messages.hpp"
#include "transport/Trident_PeerMemory.hpp"
#include "transport/Trident_PeerTransfers.hpp"

namespace Trident::Impl {
namespace {

constexpr int places = 4;  // one chunk is written, one is complete, one is read; one place is spare
constexpr std::size_t outboxBytes = std::size_t(32) << 20;  // limit of a rank's whole outbox

/// Tags of notices, which are empty messages: a chunk was written into its place; a chunk was read.
constexpr int writtenTag = 1, readTag = 2;

/// Returns the length of a chunk: `longest`, or less if places in the outbox are shorter. Places
/// are aligned for fast copies. Both sides find an equal length.
std::size_t chunkLength(std::size_t longest, int peers) {
  constexpr std::size_t aligned = 512;
  const std::size_t place = outboxBytes / places / std::max(peers, 1);
  return std::min(longest, place > aligned ? place / aligned * aligned : place);
}

/// The chunks that go one way between this rank and one peer. They pass one by one through this
/// channel's places in the sender's outbox. A sender copies a chunk in, and then awaits a notice
/// that the chunk was read. A receiver awaits a notice that a chunk was written, and then copies it
/// out. If a copy fails, chunks with any content still pass, because the peer waits for them.
class ChunkChannel {
 public:
  /// @param outbox the places of this channel, in the sender's memory
  /// @param firstSlot the first of `places` slots in `stream`
  ChunkChannel(MPI_Comm comm, int peer, bool outward, char* outbox, std::size_t chunkBytes,
               CopyStream& stream, int firstSlot)
      : comm_(comm),
        peer_(peer),
        outward_(outward),
        outbox_(outbox),
        chunkBytes_(chunkBytes),
        stream_(stream),
        firstSlot_(firstSlot) {
    std::fill(notices_, notices_ + places, MPI_REQUEST_NULL);
  }

  void clear() {
    chunks_.clear();
    begun_ = turned_ = ended_ = 0;
  }
  void add(char* data, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += chunkBytes_)
      chunks_.push_back({data + at, std::min(chunkBytes_, bytes - at)});
  }

  /// Takes all steps that can be taken now. Returns true if all chunks have ended.
  bool advance(LocalFailure& failure) {
    for (; begun_ < chunks_.size() && begun_ < ended_ + places; ++begun_) begin(begun_, failure);
    for (; turned_ < begun_ && first(turned_, failure); ++turned_) turn(turned_, failure);
    for (; ended_ < turned_ && second(ended_, failure); ++ended_) end();
    return ended_ == chunks_.size();
  }

 private:
  struct Chunk {
    char* data;
    std::size_t bytes;
  };
  static int place(std::size_t n) { return static_cast<int>(n % places); }
  int slot(std::size_t n) const { return firstSlot_ + place(n); }

  // begin() starts the first step of a chunk, and turn() the second step. first() and second()
  // return true if the step is done.
  void begin(std::size_t n, LocalFailure& failure) {
    if (outward_)
      copy(n, failure);
    else
      expect(n, writtenTag);
  }
  bool first(std::size_t n, LocalFailure& failure) {
    return outward_ ? copied(n, failure) : noticed(n);
  }
  void turn(std::size_t n, LocalFailure& failure) {
    if (!outward_) return copy(n, failure);
    tell(writtenTag);
    expect(n, readTag);
  }
  bool second(std::size_t n, LocalFailure& failure) {
    return outward_ ? noticed(n) : copied(n, failure);
  }
  void end() {
    if (!outward_) tell(readTag);
  }

  void copy(std::size_t n, LocalFailure& failure) {
    char* const there = outbox_ + place(n) * chunkBytes_;
    const Chunk& chunk = chunks_[n];
    failure.guard([&] {
      stream_.copy(slot(n), outward_ ? there : chunk.data, MemoryKind::Device,
                   outward_ ? chunk.data : there, MemoryKind::Device, chunk.bytes);
    });
  }
  bool copied(std::size_t n, LocalFailure& failure) {
    bool done = true;
    failure.guard([&] { done = stream_.done(slot(n)); });
    return done || failure.failed();
  }
  void tell(int tag) {
    MPI_Request request = MPI_REQUEST_NULL;  // never waited for, because the message is empty
    TRIDENT_MPI_CHECK(MPI_Isend(nullptr, 0, MPI_BYTE, peer_, tag, comm_, &request));
    TRIDENT_MPI_CHECK(MPI_Request_free(&request));
  }
  void expect(std::size_t n, int tag) {
    TRIDENT_MPI_CHECK(MPI_Irecv(nullptr, 0, MPI_BYTE, peer_, tag, comm_, &notices_[place(n)]));
  }
  bool noticed(std::size_t n) {
    int done = 0;
    TRIDENT_MPI_CHECK(MPI_Test(&notices_[place(n)], &done, MPI_STATUS_IGNORE));
    return done != 0;
  }

  MPI_Comm comm_;
  int peer_;
  bool outward_;
  char* outbox_;
  std::size_t chunkBytes_;
  CopyStream& stream_;
  int firstSlot_;
  MPI_Request notices_[places];
  std::vector<Chunk> chunks_;
  // Numbers of chunks: first step begun, second step begun, ended.
  std::size_t begun_ = 0, turned_ = 0, ended_ = 0;
};

/// Copies in a node. Each pair of ranks has its own places, so no pair waits for another pair.
class PeerCopies : public PeerTransfers {
 public:
  PeerCopies(MPI_Comm node, int firstRank, std::size_t longestChunk, IpcDevice& device)
      : PeerTransfers(MemoryKind::Device),
        comm_(Communicator::duplicate(node)),
        firstRank_(firstRank),
        chunkBytes_(chunkLength(longestChunk, comm_.size() - 1)),
        outbox_(comm_.get(), channelBytes() * (comm_.size() - 1), "Trident::outbox", device) {
    runEverywhere(comm_.get(), [&] { makeChannels(); });
  }

  void start(const std::vector<PeerTransfer>& transfers) override {
    for (ChunkChannel& channel : channels_) channel.clear();
    for (const PeerTransfer& t : transfers)
      channels_[2 * distance(comm_.rank(), t.peer - firstRank_) - (t.send ? 2 : 1)].add(t.data,
                                                                                        t.bytes);
    advance();
  }
  void wait() override {
    const WaitStatus waiting("chunks from and for the ranks of the node");
    Wait wait;
    while (!advance()) wait.goOn();
    const LocalFailure failure = std::exchange(failure_, LocalFailure());
    if (failure.failed()) throw Error(failure.text());
  }
  long long messages(int, std::size_t bytes) const override {
    return messageCount(bytes, chunkBytes_);
  }

 private:
  std::size_t channelBytes() const { return places * chunkBytes_; }
  /// Returns the number of steps from one rank to another one, around the ring of the node's ranks.
  int distance(int from, int to) const { return (to - from + comm_.size()) % comm_.size(); }

  /// Makes the channels to and from each other rank, in the order of distance.
  void makeChannels() {
    const int me = comm_.rank(), peers = comm_.size() - 1;
    for (std::optional<CopyStream>* stream : {&out_, &in_}) stream->emplace(places * peers);
    for (int d = 1; d <= peers; ++d) {
      const int peer = (me + d) % comm_.size(), slot = places * (d - 1);
      char* const mine = outbox_.data() + channelBytes() * (d - 1);
      char* const theirs = outbox_.of(peer) + channelBytes() * (distance(peer, me) - 1);
      channels_.emplace_back(comm_.get(), peer, true, mine, chunkBytes_, *out_, slot);
      channels_.emplace_back(comm_.get(), peer, false, theirs, chunkBytes_, *in_, slot);
    }
  }

  bool advance() {
    bool through = true;
    for (ChunkChannel& channel : channels_) through &= channel.advance(failure_);
    return through;
  }

  Communicator comm_;  // duplicate, so that notices never meet other messages
  int firstRank_;
  std::size_t chunkBytes_;
  PeerMemory outbox_;
  std::optional<CopyStream> out_, in_;  // declared after outbox_, so destroyed before outbox_
  std::vector<ChunkChannel> channels_;
  LocalFailure failure_;  // first failure of a copy
};

}  // namespace

std::unique_ptr<PeerTransfers> makePeerCopies(MPI_Comm node, int firstRank,
                                              std::size_t longestChunk, IpcDevice& device) {
  return std::make_unique<PeerCopies>(node, firstRank, longestChunk, device);
}

}  // namespace Trident::Impl
