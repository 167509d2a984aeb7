// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDEXCHANGES_HPP
#define TRIDENT_GRIDEXCHANGES_HPP

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "base/Trident_Memory.hpp"
#include "base/Trident_Options.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "exchange/Trident_RequestSlots.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "transport/Trident_IpcDevice.hpp"
#include "transport/Trident_Line.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

class PeerTransfers;

/// Functions that make, wrap or replace objects of GridExchanges. Tests add delays and faults by
/// them. `slots` and `ipc` must be set; the others have no effect if they are empty.
struct ExchangeWrappers {
  /// Makes slots for requests. May throw Trident::Error on all ranks; then requests go by messages.
  std::function<std::unique_ptr<RequestSlots>(const ProcessGrid&)> slots = makeRequestSlots;
  std::function<std::unique_ptr<Line>(std::unique_ptr<Line>)> line;
  std::function<std::unique_ptr<RequestCounters>(std::unique_ptr<RequestCounters>)> counters;
  std::function<std::unique_ptr<NodeGather>(std::unique_ptr<NodeGather>)> gather;
  std::function<bool(const GridRanks&)> spareCores;
  std::function<IpcDevice&()> ipc = cudaIpc;
};

/// A chosen exchange, and the reason for the choice.
struct ExchangeChoice {
  ExchangeKind kind = ExchangeKind::Prefetch;
  std::string reason;
};

/// A grid, and the objects that exchange, gather and transfer bytes on it. An object is made at its
/// first use, and kept. If an NCCL communicator fails, the objects that use it are dropped.
///
/// The parameter `matrices` is the memory in which the matrices lie, Host or Device. It must be
/// equal on all ranks.
class GridExchanges {
 public:
  /// Makes the grid. Collective over the ranks, like the constructor of ProcessGrid.
  GridExchanges(GridRanks ranks, const GridShape& shape, ExchangeWrappers wrappers = {})
      : grid_(std::move(ranks), shape), wrappers_(std::move(wrappers)) {}

  const ProcessGrid& grid() const { return grid_; }

  /// Returns the exchange for these options. In SUMMA's order, Auto means the ring. In other orders
  /// Auto means the request queue if there are several batches, MPI gives MPI_THREAD_MULTIPLE, and
  /// hosts have cores for the serving threads. Else Auto means prefetch. Other kinds are returned
  /// unchanged. On one node Auto is, too, because nothing travels. Throws Trident::Error on every
  /// rank if the kind asked for is not possible. Collective over the grid.
  /// @param batches number of batches of rounds. A product of one batch asks for all slices before
  ///   it computes, so it needs no thread.
  ExchangeChoice chooseExchange(const RoundOptions& options, MemoryKind matrices,
                                std::size_t batches);

  /// Returns the exchange along the line of `factor`, of a kind that chooseExchange() returned. A
  /// line with one member has a NoExchange. Collective over the grid.
  /// @param prefetchDepth number of rounds that prefetch sends ahead; other kinds ignore it
  SliceExchange& exchange(Factor factor, ExchangeKind kind, int prefetchDepth);

  /// Returns the gather for these options. On devices, Auto means peer copies if every node can do
  /// them, else NCCL if every node can use it, else MPI. On hosts, Auto means shared memory, but
  /// MPI after gatherUnshared(). If each node has one rank, nothing is sent, and tiles lie in the
  /// memory of the matrices. Throws Trident::Error on every rank if the kind that was asked for is
  /// not possible. Collective over the grid.
  NodeGather& gather(const RoundOptions& options, MemoryKind matrices);
  /// Returns a gather in place of a shared one whose reserve() threw in some node. From now on Auto
  /// means MPI, because another try is costly. Destroys all shared gathers, even in nodes that
  /// could reserve. Throws Trident::Error if Shared was asked for. Collective over the grid.
  /// @param why reason of the failure, equal on all ranks
  NodeGather& gatherUnshared(const RoundOptions& options, MemoryKind matrices,
                             const std::string& why);
  /// Returns the reason for the last choice of gather().
  const std::string& gatherReason() const { return gatherReason_; }

  /// Returns NCCL's communicator of this node's ranks; null if some node cannot have one, or if
  /// nodes have one rank. Replaces a communicator that has failed, so call this before each use.
  /// Collective over the grid.
  NcclCommunicator* nodeNccl();

  /// Returns the best means to move arrays in this memory between any ranks of the grid. Host
  /// memory moves by MPI. On one node, device memory moves by peer copies if possible, else by NCCL
  /// if possible. In all other cases it moves by MPI: directly if directMessages() is true, else
  /// staged. Keeps what is costly to make until an NCCL communicator fails. One thread at a time
  /// may use the result. Throws on every rank if some rank lacks memory. Collective over the grid.
  std::shared_ptr<PeerTransfers> peerTransfers(MemoryKind memory, const MessageOptions& options);
  /// Makes transfers in this memory among the members of the line of `factor`, by MPI. A peer is a
  /// rank of that line. Local, because some members may stage and others not. Throws if there is no
  /// memory for staging.
  std::unique_ptr<PeerTransfers> lineTransfers(Factor factor, MemoryKind memory,
                                               const MessageOptions& options) const;
  /// Forgets the kept transfers for this memory and these options. Call this after a failure,
  /// because these transfers may be half done. Collective over the grid.
  void endTransfers(MemoryKind memory, const MessageOptions& options);

  /// Returns true if MPI gets device memory directly: if `asked` is Direct, or if it is Auto and
  /// mpiTakesDeviceMemory() is true. Other code must ask this function. Local. Sender and receiver
  /// may get different results.
  static bool directMessages(DeviceMessages asked);

  /// Returns the limit of a message's length for arrays in this memory: short for devices, so that
  /// one message travels while the next is staged. Equal on all ranks, even if some do not stage.
  static std::size_t longestMessage(std::size_t asked, MemoryKind memory);

  /// Returns the memory in which slices and landings must lie, for an exchange of this kind.
  static MemoryKind messageMemory(DeviceMessages asked, ExchangeKind kind, MemoryKind matrices);

 private:
  ExchangeChoice choosePointToPoint(ExchangeKind kind, std::size_t batches);
  bool hasSpareCores();
  ExchangeChoice chooseNccl(MemoryKind matrices);
  std::unique_ptr<RequestSlots> makeRequests();
  std::string whyNoRequestQueue();
  std::unique_ptr<SliceExchange> makeExchange(Factor factor, ExchangeKind kind, int sendAhead);
  std::unique_ptr<SliceExchange> makeRequestQueue(Factor factor, const LineSchedule& line);
  std::unique_ptr<SliceExchange> makeNcclExchange(Factor factor, const LineSchedule& line);
  std::unique_ptr<Line> makeLine(Factor factor);
  std::unique_ptr<RequestCounters> makeCounters(Factor factor);
  std::tuple<GatherKind, MemoryKind> chooseGather(const RoundOptions& options, MemoryKind matrices);
  std::tuple<GatherKind, MemoryKind> chooseDeviceGather(GatherKind asked, MemoryKind messages);
  void endGathers(GatherKind kind);
  const std::string& whyNoPeers();
  const std::string& whyNoNodeNccl();
  bool anyFailed(const std::shared_ptr<NcclCommunicator>& nccl);
  std::unique_ptr<PeerTransfers> peerCopies(const MessageOptions& options);
  std::string tryNccl(std::shared_ptr<NcclCommunicator>& nccl, MPI_Comm comm);
  void lineNccl(Factor factor);

  ProcessGrid grid_;
  NoExchange none_;
  ExchangeWrappers wrappers_;
  // The next members outlive the exchanges and gathers that use them.
  std::unique_ptr<RequestSlots> requests_;
  std::shared_ptr<NcclCommunicator> nodeNccl_;
  std::map<Factor, std::shared_ptr<NcclCommunicator>> lineNccl_;
  std::optional<bool> spareCores_;
  bool queueTried_ = false, nodeNcclAsked_ = false, gridNcclAsked_ = false;
  std::optional<std::string> whyNoPeers_;
  std::string whyNoWindow_;  // reason why requests go by messages; empty if they do not
  std::string whyNoQueue_, whyNoNodeNccl_, whyNoGridNccl_, whyNotShared_, gatherReason_;
  std::map<std::tuple<Factor, ExchangeKind, int>, std::unique_ptr<SliceExchange>> exchanges_;
  std::map<std::tuple<GatherKind, MemoryKind, std::size_t>, std::unique_ptr<NodeGather>> gathers_;
  std::map<std::tuple<DeviceMessages, std::size_t>, std::shared_ptr<PeerTransfers>> transfers_;
};

}  // namespace Trident::Impl

#endif
