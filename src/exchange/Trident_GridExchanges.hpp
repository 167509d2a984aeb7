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

/// Wrappers or replacements of the objects that GridExchanges makes, where set: tests put delays
/// and faults there.
struct ExchangeWrappers {
  /// Makes slots for requests. If it throws Trident::Error, on every rank, these are messages.
  std::function<std::unique_ptr<RequestSlots>(const ProcessGrid&)> slots = makeRequestSlots;
  std::function<std::unique_ptr<Line>(std::unique_ptr<Line>)> line;
  std::function<std::unique_ptr<RequestCounters>(std::unique_ptr<RequestCounters>)> counters;
  std::function<std::unique_ptr<NodeGather>(std::unique_ptr<NodeGather>)> gather;
  std::function<bool(const GridRanks&)> spareCores;
  std::function<IpcDevice&()> ipc = cudaIpc;
};

/// An exchange that was chosen, and the reason.
struct ExchangeChoice {
  ExchangeKind kind = ExchangeKind::Prefetch;
  std::string reason;
};

/// A grid, and the objects that exchange, gather and transfer bytes on it. They are made at their
/// first use and kept. If an NCCL communicator fails, those that use it are dropped with it.
///
/// The parameter `matrices` of methods is the memory that the matrices lie in, Host or Device. It
/// must be equal on all ranks.
class GridExchanges {
 public:
  /// Makes the grid; collective over the ranks, as ProcessGrid.
  GridExchanges(GridRanks ranks, const GridShape& shape, ExchangeWrappers wrappers = {})
      : grid_(std::move(ranks), shape), wrappers_(std::move(wrappers)) {}

  const ProcessGrid& grid() const { return grid_; }

  /// Returns the meaning of "auto" on this grid: the request queue where rounds are several
  /// batches, MPI gives MPI_THREAD_MULTIPLE and hosts have cores for its threads, else prefetch; in
  /// SUMMA's order the ring. Any other kind is returned as it is; on one node, where nothing
  /// travels, any kind is, and nothing is made. Collective over the grid; throws Trident::Error on
  /// every rank where a kind cannot be had.
  /// @param batches of rounds: of one batch all slices are asked for at once, so that nobody
  ///   computes while others ask, and no thread is needed
  ExchangeChoice chooseExchange(const RoundOptions& options, MemoryKind matrices,
                                std::size_t batches);

  /// Returns the exchange along the line of `factor`, of a kind that chooseExchange returned; a
  /// NoExchange if the line has one member. Collective over the grid.
  /// @param prefetchDepth rounds that prefetch sends ahead; nothing to any other kind
  SliceExchange& exchange(Factor factor, ExchangeKind kind, int prefetchDepth);

  /// Returns the gather of this kind. On devices, Auto is peer copies if every node can do them,
  /// else NCCL if every node can, else MPI. On hosts it is shared memory, until a node could not
  /// reserve it, then MPI. If a node has one rank nothing is sent, and its tile lies where the
  /// matrices do. Collective over the grid. Throws Trident::Error on every rank if a kind cannot be
  /// had.
  NodeGather& gather(const RoundOptions& options, MemoryKind matrices);
  /// Returns the gather to take after the reserve() of a shared one threw in a node. Auto is MPI
  /// from now on, so that no product tries in vain, at a high cost. It ends shared gathers, also
  /// those of nodes that could reserve. Throws Trident::Error if Shared was asked for. Collective
  /// over the grid.
  /// @param why equal on all ranks
  NodeGather& gatherUnshared(const RoundOptions& options, MemoryKind matrices,
                             const std::string& why);
  /// Returns the reason for the choice of the last call of gather().
  const std::string& gatherReason() const { return gatherReason_; }

  /// Returns NCCL among the ranks of this node; null if some node cannot have it, or none needs it
  /// because a node has one rank. It is kept, and made anew after a failure, so ask before each
  /// use. Collective over the grid.
  NcclCommunicator* nodeNccl();

  /// Returns the best way to move arrays in this memory between any ranks of the grid. Host memory
  /// goes by MPI. Inside a node, device memory goes by copies of peers if these are possible, else
  /// by NCCL if that is. Other device memory goes by MPI, directly if directMessages() says so,
  /// else staged. Costly objects are kept, until a failed communicator takes them along. For one
  /// thread. Collective over the grid; throws on every rank if memory for it lacks.
  std::shared_ptr<PeerTransfers> peerTransfers(MemoryKind memory, const MessageOptions& options);
  /// Moves arrays in this memory among the members of the line of `factor`, by MPI; a peer is a
  /// rank of that line. Local: members may differ in how they stage. Throws where memory for
  /// staging lacks.
  std::unique_ptr<PeerTransfers> lineTransfers(Factor factor, MemoryKind memory,
                                               const MessageOptions& options) const;
  /// Makes the next transfers of this kind anew: those before have failed, and may be half done.
  /// Collective over the grid.
  void endTransfers(MemoryKind memory, const MessageOptions& options);

  /// Returns true if MPI gets device memory as it lies: as asked for, or, for Auto, if
  /// mpiTakesDeviceMemory(). No other place decides it. Local: the ranks of a message need not
  /// agree.
  static bool directMessages(DeviceMessages asked);

  /// Returns the longest message of arrays in this memory: of a device's short ones, so that one
  /// travels while the next is staged, on all ranks, also on those that do not stage.
  static std::size_t longestMessage(std::size_t asked, MemoryKind memory);

  /// Returns the memory in which the slices and landings of an exchange of this kind must lie.
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
  // These outlive the exchanges and gathers that use them.
  std::unique_ptr<RequestSlots> requests_;
  std::shared_ptr<NcclCommunicator> nodeNccl_;
  std::map<Factor, std::shared_ptr<NcclCommunicator>> lineNccl_;
  std::optional<bool> spareCores_;
  bool queueTried_ = false, nodeNcclAsked_ = false, gridNcclAsked_ = false;
  std::optional<std::string> whyNoPeers_;
  std::string whyMessages_;  // text behind the name of the requests' way
  std::string whyNoQueue_, whyNoNodeNccl_, whyNoGridNccl_, whyNotShared_, gatherReason_;
  std::map<std::tuple<Factor, ExchangeKind, int>, std::unique_ptr<SliceExchange>> exchanges_;
  std::map<std::tuple<GatherKind, MemoryKind, std::size_t>, std::unique_ptr<NodeGather>> gathers_;
  std::map<std::tuple<DeviceMessages, std::size_t>, std::shared_ptr<PeerTransfers>> transfers_;
};

}  // namespace Trident::Impl

#endif
