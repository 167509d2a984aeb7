// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_GridTransport.hpp"

#include <iterator>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "transport/Trident_GpuAware.hpp"
#include "transport/Trident_SharedNccl.hpp"

namespace Trident::Impl {

NodeGather& GridTransport::gather(const RoundOptions& options, MemoryKind matrices) {
  const auto [kind, memory] = chooseGather(options, matrices);
  NcclCommunicator* const nccl = kind == GatherKind::Nccl ? nodeNccl() : nullptr;
  const std::size_t messageBytes = kind == GatherKind::Mpi ? options.messageBytes : 0;
  auto& kept = gathers_[{kind, memory, messageBytes}];
  if (!kept) {
    if (kind == GatherKind::Nccl)
      kept = makeNcclGather(grid_.nodeComm(), *nccl);
    else if (kind == GatherKind::Shared)
      kept = makeSharedGather(grid_.nodeComm());
    else
      kept = makeMpiGather(grid_.nodeComm(), messageBytes, memory);
    if (wrappers_.gather) kept = wrappers_.gather(std::move(kept));
  }
  return *kept;
}

std::tuple<GatherKind, MemoryKind> GridTransport::chooseGather(const RoundOptions& options,
                                                               MemoryKind matrices) {
  const GatherKind asked = options.gather;
  const bool onDevice = matrices == MemoryKind::Device;
  const MemoryKind messages =
      messageMemory(options.deviceMessages, ExchangeKind::Prefetch, matrices);
  const auto choice = [&](GatherKind kind, MemoryKind memory, const std::string& why) {
    gatherReason_ = why;
    return std::make_tuple(kind, memory);
  };
  if (asked == GatherKind::Nccl && !onDevice)
    throw Error(
        "\"gather\" = \"nccl\" is not possible: the matrices lie on hosts; use \"auto\", "
        "\"shared\" or \"mpi\"");
  if (grid_.shape().lambda == 1 && asked != GatherKind::Shared)
    return choice(GatherKind::Mpi, matrices, "one rank in each node: nothing is sent");
  if (asked == GatherKind::Mpi) return choice(asked, messages, "asked for");
  if (asked == GatherKind::Nccl || (asked == GatherKind::Auto && onDevice)) {
    const std::string why = whyNoNodeNccl();
    if (why.empty())
      return choice(GatherKind::Nccl, MemoryKind::Device,
                    "the ranks of every node have GPUs of their own");
    if (asked == GatherKind::Nccl)
      throw Error("\"gather\" = \"nccl\" is not possible: " + why + "; use \"auto\" or \"mpi\"");
    return choice(GatherKind::Mpi, messages, "no NCCL: " + why);
  }
  if (asked == GatherKind::Auto && !whyNotShared_.empty())
    return choice(GatherKind::Mpi, messages, whyNotShared_);
  return choice(GatherKind::Shared, MemoryKind::Host,
                asked == GatherKind::Auto ? "the ranks of every node share memory" : "asked for");
}

NodeGather& GridTransport::gatherUnshared(const RoundOptions& options, MemoryKind matrices,
                                          const std::string& why) {
  endGathers(GatherKind::Shared);
  if (options.gather == GatherKind::Shared)
    throw Error("\"gather\" = \"shared\" is not possible: " + why +
                "; use \"auto\" or \"mpi\", or a smaller \"ranks per node\"");
  whyNotShared_ = "not every node shares memory: " + why;
  return gather(options, matrices);
}

void GridTransport::endGathers(GatherKind kind) {
  for (auto kept = gathers_.begin(); kept != gathers_.end();)
    kept = std::get<0>(kept->first) == kind ? gathers_.erase(kept) : std::next(kept);
}

/// Empty where every node can use NCCL, found by doing so. Collective over the grid at its first
/// call.
const std::string& GridTransport::whyNoNodeNccl() {
  if (nodeNcclAsked_) return whyNoNodeNccl_;
  nodeNcclAsked_ = true;
  whyNoNodeNccl_ = firstText(grid_.comm(), NcclCommunicator::whyNot(grid_.nodeComm()));
  if (whyNoNodeNccl_.empty()) whyNoNodeNccl_ = tryNccl(nodeNccl_, grid_.nodeComm());
  return whyNoNodeNccl_;
}

NcclCommunicator* GridTransport::nodeNccl() {
  if (grid_.shape().lambda == 1 || !whyNoNodeNccl().empty()) return nullptr;
  if (anyFailed(nodeNccl_)) {
    endGathers(GatherKind::Nccl);
    transfers_.clear();
    const std::string why = tryNccl(nodeNccl_, grid_.nodeComm());
    if (!why.empty()) throw Error(why);
  }
  return nodeNccl_.get();
}

/// Makes it anew in every part of the grid or in none; says why not. Collective over the grid.
std::string GridTransport::tryNccl(std::shared_ptr<NcclCommunicator>& nccl, MPI_Comm comm) {
  LocalFailure failure;
  nccl.reset();
  failure.guard([&] { nccl = sharedNccl(comm); });
  const std::string why = firstText(grid_.comm(), failure.text());
  if (!why.empty()) nccl.reset();
  return why;
}

/// Whether a rank cannot use its communicator of this sort; what makes it anew says why. Collective
/// over the grid.
bool GridTransport::anyFailed(const std::shared_ptr<NcclCommunicator>& nccl) {
  int failed = !isUsable(nccl);
  allReduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, grid_.comm(),
            "all ranks to say whether NCCL failed");
  return failed != 0;
}

bool GridTransport::directMessages(DeviceMessages asked) {
  return asked == DeviceMessages::Auto ? mpiTakesDeviceMemory() : asked == DeviceMessages::Direct;
}

MemoryKind GridTransport::messageMemory(DeviceMessages asked, ExchangeKind kind,
                                        MemoryKind matrices) {
  if (matrices != MemoryKind::Device) return matrices;
  return kind == ExchangeKind::Nccl || directMessages(asked) ? MemoryKind::Device
                                                             : MemoryKind::Pinned;
}

}  // namespace Trident::Impl
