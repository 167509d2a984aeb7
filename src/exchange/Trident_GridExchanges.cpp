// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_GridExchanges.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_NcclExchange.hpp"
#include "exchange/Trident_PrefetchExchange.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"
#include "exchange/Trident_RingExchange.hpp"
#include "transport/Trident_Gpu.hpp"
#include "transport/Trident_GpuAware.hpp"
#include "transport/Trident_NcclCommunicator.hpp"
#include "transport/Trident_PeerMemory.hpp"
#include "transport/Trident_PeerTransfers.hpp"
#include "transport/Trident_ServingThread.hpp"

namespace Trident::Impl {
namespace {

const char* threadLevelName(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

/// Returns the reason why several threads of a process may not call MPI; an empty text if they may.
std::string whyNoThreads() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  if (level == MPI_THREAD_MULTIPLE) return "";
  return std::string("MPI runs with ") + threadLevelName(level) +
         " only (Trident::ScopeGuard asks for MPI_THREAD_MULTIPLE)";
}

// Limit of a chunk: long enough that its latency does not count, and short enough that the chunks
// of one transfer overlap.
constexpr std::size_t longestChunk = std::size_t(4) << 20;

/// Makes direct or staged transfers of device memory by MPI. Both cut messages in the same way, so
/// one rank may stage while its peer does not. Local. Throws if there is no memory for staging.
std::unique_ptr<PeerTransfers> deviceTransfers(MPI_Comm comm, const MessageOptions& options) {
  const std::size_t chunkBytes =
      GridExchanges::longestMessage(options.messageBytes, MemoryKind::Device);
  return GridExchanges::directMessages(options.deviceMessages)
             ? makeMpiTransfers(comm, MemoryKind::Device, chunkBytes)
             : makeStagedTransfers(comm, chunkBytes);
}

}  // namespace

ExchangeChoice GridExchanges::chooseExchange(const RoundOptions& options, MemoryKind matrices,
                                             std::size_t batches) {
  const bool summa = grid_.shape().order == RoundOrder::Summa;
  const ExchangeKind asked = options.exchange;
  if (asked == ExchangeKind::Ring && !summa)
    throw Error(
        "\"exchange\" = \"ring\" is for \"algorithm\" = \"summa\"; use \"auto\", "
        "\"request-queue\" or \"prefetch\"");
  if (grid_.shape().nodes() == 1) return {asked, "one node: nothing travels"};
  if (asked == ExchangeKind::Nccl) return chooseNccl(matrices);
  if (asked == ExchangeKind::Ring) return {asked, "asked for"};
  if (asked == ExchangeKind::Auto && summa) return {ExchangeKind::Ring, "SUMMA broadcasts slices"};
  return choosePointToPoint(asked, batches);
}

ExchangeChoice GridExchanges::choosePointToPoint(ExchangeKind kind, std::size_t batches) {
  if (kind == ExchangeKind::Prefetch) return {kind, "asked for"};
  if (kind == ExchangeKind::Auto && batches == 1)
    return {ExchangeKind::Prefetch, "one batch of rounds: all slices are asked for at once"};
  std::string why = whyNoThreads();
  if (why.empty() && kind == ExchangeKind::Auto && !hasSpareCores())
    why = "the cores are too few for a thread more of each rank";
  if (why.empty()) why = whyNoRequestQueue();
  if (kind == ExchangeKind::RequestQueue && !why.empty())
    throw Error("\"exchange\" = \"request-queue\" is not possible: " + why +
                "; use \"auto\" or \"prefetch\"");
  if (!why.empty()) return {ExchangeKind::Prefetch, why};
  return {ExchangeKind::RequestQueue,
          (kind == ExchangeKind::Auto ? "MPI_THREAD_MULTIPLE, requests by " : "asked for, by ") +
              std::string(requests_->name()) + whyNoWindow_};
}

ExchangeChoice GridExchanges::chooseNccl(MemoryKind matrices) {
  const bool onDevice = matrices == MemoryKind::Device;
  if (onDevice && !gridNcclAsked_) {
    whyNoGridNccl_ = NcclCommunicator::whyNot(grid_.comm());
    gridNcclAsked_ = true;
  }
  const std::string why = onDevice ? whyNoGridNccl_ : "the matrices lie on hosts";
  if (!why.empty())
    throw Error("\"exchange\" = \"nccl\" is not possible: " + why +
                "; use \"auto\", \"request-queue\" or \"prefetch\"");
  return {ExchangeKind::Nccl, "asked for"};
}

/// Returns true if every rank has a spare core for a thread. Collective over the grid.
bool GridExchanges::hasSpareCores() {
  const auto found = [&] {
    const int threads =
        Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
    return haveSpareCores(grid_, threads);
  };
  if (!spareCores_) spareCores_ = wrappers_.spareCores ? wrappers_.spareCores(grid_) : found();
  return *spareCores_;
}

/// Makes slots in memory or in a window if all ranks can have them, else slots by messages.
/// Collective over the grid.
std::unique_ptr<RequestSlots> GridExchanges::makeRequests() {
  try {
    return wrappers_.slots(grid_);
  } catch (const Error& e) {
    whyNoWindow_ = std::string(" (no window can be had: ") + e.problem() + ")";
    return makeRequestMessages(grid_);
  }
}

/// Returns the reason why the request queue does not work here; an empty text if it works. Call it
/// only if whyNoThreads() is empty. Only the first call tries. Collective over the grid.
std::string GridExchanges::whyNoRequestQueue() {
  if (queueTried_) return whyNoQueue_;
  queueTried_ = true;
  requests_ = makeRequests();
  try {
    for (Factor factor : {Factor::A, Factor::B}) exchange(factor, ExchangeKind::RequestQueue, 0);
  } catch (const Error& e) {
    for (Factor factor : {Factor::A, Factor::B})
      exchanges_.erase({factor, ExchangeKind::RequestQueue, 0});
    requests_.reset();
    whyNoQueue_ = std::string("its thread cannot be started (") + e.problem() + ")";
  }
  return whyNoQueue_;
}

SliceExchange& GridExchanges::exchange(Factor factor, ExchangeKind kind, int prefetchDepth) {
  if (LineSchedule(grid_.shape(), grid_.me(), factor).members() == 1) return none_;
  if (kind == ExchangeKind::Nccl) lineNccl(factor);  // makes or replaces the communicator
  // Only prefetch has an exchange for each depth, because two request queues would share slots.
  const int sendAhead = kind == ExchangeKind::Prefetch ? prefetchDepth : 0;
  auto& kept = exchanges_[{factor, kind, sendAhead}];
  if (!kept) kept = makeExchange(factor, kind, sendAhead);
  return *kept;
}

std::unique_ptr<SliceExchange> GridExchanges::makeExchange(Factor factor, ExchangeKind kind,
                                                           int sendAhead) {
  const LineSchedule line(grid_.shape(), grid_.me(), factor);
  switch (kind) {
    case ExchangeKind::RequestQueue:
      return makeRequestQueue(factor, line);
    case ExchangeKind::Nccl:
      return makeNcclExchange(factor, line);
    case ExchangeKind::Ring:
      return std::make_unique<RingExchange>(makeLine(factor), line);
    default:
      return std::make_unique<PrefetchExchange>(makeLine(factor), line, sendAhead);
  }
}

/// Makes a request queue and starts its thread, on all ranks or on none.
std::unique_ptr<SliceExchange> GridExchanges::makeRequestQueue(Factor factor,
                                                               const LineSchedule& line) {
  auto made = std::make_unique<RequestQueueExchange>(makeLine(factor), makeCounters(factor), line,
                                                     deviceOfThisThread());
  runEverywhere(grid_.comm(), [&] { made->start(); });
  return made;
}

/// Makes an exchange by NCCL, on all ranks or on none. Fails if some rank lacks device memory.
std::unique_ptr<SliceExchange> GridExchanges::makeNcclExchange(Factor factor,
                                                               const LineSchedule& line) {
  std::unique_ptr<SliceExchange> made;
  runEverywhere(grid_.comm(), [&] {
    made = std::make_unique<NcclExchange>(*lineNccl_[factor], line, grid_.internodeOnLine(factor));
  });
  return made;
}

/// Makes the line's NCCL communicator if some rank has none that works. Collective over the grid.
void GridExchanges::lineNccl(Factor factor) {
  auto& kept = lineNccl_[factor];
  if (!anyFailed(kept)) return;
  exchanges_.erase({factor, ExchangeKind::Nccl, 0});
  const std::string why = tryNccl(kept, grid_.line(factor));
  if (!why.empty()) throw Error(why);
}

std::unique_ptr<Line> GridExchanges::makeLine(Factor factor) {
  auto line = makeMpiLine(grid_.line(factor), grid_.internodeOnLine(factor));
  return wrappers_.line ? wrappers_.line(std::move(line)) : std::move(line);
}

std::unique_ptr<RequestCounters> GridExchanges::makeCounters(Factor factor) {
  std::unique_ptr<RequestCounters> counters = requests_->counters(factor);
  return wrappers_.counters ? wrappers_.counters(std::move(counters)) : std::move(counters);
}

NodeGather& GridExchanges::gather(const RoundOptions& options, MemoryKind matrices) {
  const auto [kind, memory] = chooseGather(options, matrices);
  NcclCommunicator* const nccl = kind == GatherKind::Nccl ? nodeNccl() : nullptr;
  const std::size_t messageBytes = kind == GatherKind::Mpi ? options.messageBytes : 0;
  auto& kept = gathers_[{kind, memory, messageBytes}];
  if (!kept) {
    if (kind == GatherKind::Nccl)
      kept = makeNcclGather(grid_.nodeComm(), *nccl);
    else if (kind == GatherKind::Peer)
      kept = makePeerGather(grid_.nodeComm(), wrappers_.ipc());
    else if (kind == GatherKind::Shared)
      kept = makeSharedGather(grid_.nodeComm());
    else
      kept = makeMpiGather(grid_.nodeComm(), messageBytes, memory);
    if (wrappers_.gather) kept = wrappers_.gather(std::move(kept));
  }
  return *kept;
}

std::tuple<GatherKind, MemoryKind> GridExchanges::chooseGather(const RoundOptions& options,
                                                               MemoryKind matrices) {
  const GatherKind asked = options.gather;
  const bool onDevice = matrices == MemoryKind::Device;
  const MemoryKind messages =
      messageMemory(options.deviceMessages, ExchangeKind::Prefetch, matrices);
  const auto choice = [&](GatherKind kind, MemoryKind memory, const std::string& why) {
    gatherReason_ = why;
    return std::make_tuple(kind, memory);
  };
  if ((asked == GatherKind::Nccl || asked == GatherKind::Peer) && !onDevice)
    throw Error(std::string("\"gather\" = \"") + nameOf(asked) +
                "\" is not possible: the matrices lie on hosts; use \"auto\", \"shared\" or "
                "\"mpi\"");
  if (grid_.shape().lambda == 1 && asked != GatherKind::Shared)
    return choice(GatherKind::Mpi, matrices, "one rank in each node: nothing is sent");
  if (asked == GatherKind::Mpi) return choice(asked, messages, "asked for");
  if (asked != GatherKind::Shared && onDevice) return chooseDeviceGather(asked, messages);
  if (asked == GatherKind::Auto && !whyNotShared_.empty())
    return choice(GatherKind::Mpi, messages, whyNotShared_);
  return choice(GatherKind::Shared, MemoryKind::Host,
                asked == GatherKind::Auto ? "the ranks of every node share memory" : "asked for");
}

/// Chooses the gather on devices, for nodes of several ranks. Starts NCCL only if NCCL is asked
/// for, or if peer copies are not possible.
/// @param asked one of Auto, Peer and Nccl
std::tuple<GatherKind, MemoryKind> GridExchanges::chooseDeviceGather(GatherKind asked,
                                                                     MemoryKind messages) {
  gatherReason_.clear();
  if (asked != GatherKind::Nccl) {
    const std::string& why = whyNoPeers();
    if (why.empty()) {
      gatherReason_ = "the ranks of every node read each other's device memory";
      return {GatherKind::Peer, MemoryKind::Device};
    }
    if (asked == GatherKind::Peer)
      throw Error("\"gather\" = \"peer\" is not possible: " + why +
                  "; use \"auto\", \"nccl\" or \"mpi\"");
    gatherReason_ = "no peers: " + why + "; ";
  }
  const std::string& why = whyNoNodeNccl();
  if (why.empty()) {
    gatherReason_ += "the ranks of every node have GPUs of their own";
    return {GatherKind::Nccl, MemoryKind::Device};
  }
  if (asked == GatherKind::Nccl)
    throw Error("\"gather\" = \"nccl\" is not possible: " + why +
                "; use \"auto\", \"peer\" or \"mpi\"");
  gatherReason_ += "no NCCL: " + why;
  return {GatherKind::Mpi, messages};
}

NodeGather& GridExchanges::gatherUnshared(const RoundOptions& options, MemoryKind matrices,
                                          const std::string& why) {
  endGathers(GatherKind::Shared);
  if (options.gather == GatherKind::Shared)
    throw Error("\"gather\" = \"shared\" is not possible: " + why +
                "; use \"auto\" or \"mpi\", or a smaller \"ranks per node\"");
  whyNotShared_ = "not every node shares memory: " + why;
  return gather(options, matrices);
}

void GridExchanges::endGathers(GatherKind kind) {
  for (auto kept = gathers_.begin(); kept != gathers_.end();)
    kept = std::get<0>(kept->first) == kind ? gathers_.erase(kept) : std::next(kept);
}

/// Returns the reason why the ranks of some node cannot read each other's device memory; an empty
/// text if all can. The first call tries to read, and is collective over the grid.
const std::string& GridExchanges::whyNoPeers() {
  if (whyNoPeers_) return *whyNoPeers_;
  LocalFailure failure;
  failure.guard(
      [&] { const PeerMemory tried(grid_.nodeComm(), 1, "Trident::connect", wrappers_.ipc()); });
  whyNoPeers_ = firstText(grid_.comm(), failure.text());
  return *whyNoPeers_;
}

/// Returns the reason why some node cannot use NCCL, or an empty text. Collective over the grid.
const std::string& GridExchanges::whyNoNodeNccl() {
  if (nodeNcclAsked_) return whyNoNodeNccl_;
  nodeNcclAsked_ = true;
  whyNoNodeNccl_ = firstText(grid_.comm(), NcclCommunicator::whyNot(grid_.nodeComm()));
  if (whyNoNodeNccl_.empty()) whyNoNodeNccl_ = tryNccl(nodeNccl_, grid_.nodeComm());
  return whyNoNodeNccl_;
}

NcclCommunicator* GridExchanges::nodeNccl() {
  if (grid_.shape().lambda == 1 || !whyNoNodeNccl().empty()) return nullptr;
  if (anyFailed(nodeNccl_)) {
    endGathers(GatherKind::Nccl);
    transfers_.clear();
    const std::string why = tryNccl(nodeNccl_, grid_.nodeComm());
    if (!why.empty()) throw Error(why);
  }
  return nodeNccl_.get();
}

/// Makes `nccl` anew on all ranks of the grid, or on none. Returns the reason of a failure, else an
/// empty text. Collective over the grid.
std::string GridExchanges::tryNccl(std::shared_ptr<NcclCommunicator>& nccl, MPI_Comm comm) {
  LocalFailure failure;
  nccl.reset();
  failure.guard([&] { nccl = sharedNccl(comm); });
  const std::string why = firstText(grid_.comm(), failure.text());
  if (!why.empty()) nccl.reset();
  return why;
}

/// Returns true if some rank of the grid cannot use its `nccl`. Then all ranks must make new
/// communicators. Collective over the grid.
bool GridExchanges::anyFailed(const std::shared_ptr<NcclCommunicator>& nccl) {
  int failed = !isUsable(nccl);
  allReduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, grid_.comm(),
            "all ranks to say whether NCCL failed");
  return failed != 0;
}

bool GridExchanges::directMessages(DeviceMessages asked) {
  return asked == DeviceMessages::Auto ? mpiTakesDeviceMemory() : asked == DeviceMessages::Direct;
}

std::size_t GridExchanges::longestMessage(std::size_t asked, MemoryKind memory) {
  return memory == MemoryKind::Device ? std::min(asked, longestChunk) : asked;
}

MemoryKind GridExchanges::messageMemory(DeviceMessages asked, ExchangeKind kind,
                                        MemoryKind matrices) {
  if (matrices != MemoryKind::Device) return matrices;
  return kind == ExchangeKind::Nccl || directMessages(asked) ? MemoryKind::Device
                                                             : MemoryKind::Pinned;
}

std::shared_ptr<PeerTransfers> GridExchanges::peerTransfers(MemoryKind memory,
                                                            const MessageOptions& options) {
  if (memory != MemoryKind::Device)
    return makeMpiTransfers(grid_.comm(), memory, options.messageBytes);
  const int lambda = grid_.shape().lambda, firstRank = grid_.rank() - grid_.me().k;
  const bool peers = lambda > 1 && whyNoPeers().empty();
  NcclCommunicator* const nccl = lambda > 1 && !peers ? nodeNccl() : nullptr;
  auto& kept = transfers_[{options.deviceMessages, options.messageBytes}];
  if (kept) return kept;  // all ranks return here, or none
  std::unique_ptr<PeerTransfers> near, far;
  if (peers) near = peerCopies(options);
  if (nccl) near = makeNcclTransfers(*nccl, firstRank);
  if (near && grid_.shape().nodes() == 1) return kept = std::move(near);
  runEverywhere(grid_.comm(), [&] { far = deviceTransfers(grid_.comm(), options); });
  if (!near) return kept = std::move(far);
  return kept = makeSplitTransfers(std::move(near), std::move(far), firstRank, lambda);
}

/// Makes transfers by copies among peers, on all ranks or on none. Collective over the grid.
std::unique_ptr<PeerTransfers> GridExchanges::peerCopies(const MessageOptions& options) {
  LocalFailure failure;
  std::unique_ptr<PeerTransfers> made;
  failure.guard([&] {
    made = makePeerCopies(grid_.nodeComm(), grid_.rank() - grid_.me().k, options.messageBytes,
                          wrappers_.ipc());
  });
  throwEverywhere(grid_.comm(), failure.text());
  return made;
}

void GridExchanges::endTransfers(MemoryKind memory, const MessageOptions& options) {
  if (memory == MemoryKind::Device)
    transfers_.erase({options.deviceMessages, options.messageBytes});
}

std::unique_ptr<PeerTransfers> GridExchanges::lineTransfers(Factor factor, MemoryKind memory,
                                                            const MessageOptions& options) const {
  if (memory == MemoryKind::Device) return deviceTransfers(grid_.line(factor), options);
  return makeMpiTransfers(grid_.line(factor), memory, options.messageBytes);
}

}  // namespace Trident::Impl
