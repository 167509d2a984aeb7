// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_Context.hpp"

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Types.hpp"

namespace Trident::Impl {
namespace {

/// Returns all communicators that carry a context, in order of creation. Contexts are released in
/// that order, because a release is collective and all ranks of a context have the same order.
std::vector<MPI_Comm>& communicatorsWithContext() {
  static Lasting<std::vector<MPI_Comm>> comms;
  return *comms;
}

/// Returns the lock of communicatorsWithContext(). No thread holds the lock in a collective call,
/// so threads may free disjoint communicators at the same time.
std::mutex& registryLock() {
  static Lasting<std::mutex> mutex;
  return *mutex;
}

int deleteContext(MPI_Comm comm, int, void* context, void*) {
  checkDevice();  // after main() the device may be gone
  {
    const std::lock_guard<std::mutex> lock(registryLock());
    auto& comms = communicatorsWithContext();
    comms.erase(std::remove(comms.begin(), comms.end(), comm), comms.end());
  }
  delete static_cast<Context*>(context);
  return MPI_SUCCESS;
}

int contextKey() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    TRIDENT_MPI_CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleteContext, &made, nullptr));
    return made;
  }();
  return key;
}

/// Throws on every rank if the ranks' `hostOfRank` differ, or do not have one host for each rank.
void requireSameHosts(MPI_Comm comm, const std::vector<int>& hostOfRank) {
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  checkArguments(comm, "Trident::Context", [&](CollectiveArguments& hosts) -> std::string {
    if (hostOfRank.size() != static_cast<std::size_t>(size))
      return "there are " + std::to_string(hostOfRank.size()) + " hosts for " +
             std::to_string(size) + " ranks; give one for each";
    std::uint64_t digest = 0;
    for (const int host : hostOfRank) digest = mixBits(digest ^ static_cast<std::uint64_t>(host));
    hosts.push_back({"the digest of all ranks' hosts", std::to_string(digest)});
    return "";
  });
}

}  // namespace

Context::Context(MPI_Comm comm, const std::vector<int>& given)
    : own_(std::make_shared<const OwnRanks>(comm)),
      hostOfRank_(given.empty() ? detectHosts(own_->all.get(), own_->host.get()) : given) {}

Context& Context::of(MPI_Comm comm) {
  requireMpi();
  void* found = nullptr;
  int flag = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, contextKey(), &found, &flag));
  if (flag) return *static_cast<Context*>(found);
  const SingleThreadGuard inside;
  throwEverywhere(comm, "Trident::Context", SingleThreadGuard::problem());
  return make(comm, {});
}

Context& Context::create(MPI_Comm comm, const std::vector<int>& hostOfRank) {
  requireMpi();
  const SingleThreadGuard inside;
  requireSameHosts(comm, hostOfRank);
  return make(comm, hostOfRank);
}

Context& Context::make(MPI_Comm comm, const std::vector<int>& given) {
  endWithMpi();
  release(comm);
  std::unique_ptr<Context> context(new Context(comm, given));
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, contextKey(), context.get()));
  const std::lock_guard<std::mutex> lock(registryLock());
  communicatorsWithContext().push_back(comm);
  return *context.release();  // the attribute owns it now
}

void Context::endWithMpi() { atMpiEnd(releaseAll); }

void Context::releaseAll() {
  std::vector<MPI_Comm> comms;
  {
    const std::lock_guard<std::mutex> lock(registryLock());
    comms = communicatorsWithContext();
  }
  for (MPI_Comm comm : comms) TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_delete_attr(comm, contextKey()));
}

void Context::release(MPI_Comm comm) {
  void* found = nullptr;
  int flag = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, contextKey(), &found, &flag));
  if (flag) TRIDENT_MPI_CHECK(MPI_Comm_delete_attr(comm, contextKey()));
}

std::shared_ptr<const NodeLayout> Context::sharedLayout(int ranksPerNode, RoundOrder order) {
  auto& kept = layouts_[{ranksPerNode, order}];
  if (kept) return kept;
  NodeLayout nodes = layoutNodes(hostOfRank_, ranksPerNode);
  if (order == RoundOrder::Summa) nodes = flattened(std::move(nodes));
  return kept = std::make_shared<const NodeLayout>(std::move(nodes));
}

const GridRanks& Context::ranks(int ranksPerNode, RoundOrder order) {
  const auto found = ranks_.find({ranksPerNode, order});
  if (found != ranks_.end()) return found->second;
  return ranks_
      .emplace(std::make_tuple(ranksPerNode, order),
               GridRanks(own_, sharedLayout(ranksPerNode, order)))
      .first->second;
}

std::shared_ptr<GridExchanges> Context::grid(int ranksPerNode, const GridShape& shape) {
  auto& kept = grids_[{ranksPerNode, shape.order, shape.nodeRows, shape.nodeCols}];
  if (!kept) kept = std::make_shared<GridExchanges>(ranks(ranksPerNode, shape.order), shape);
  return kept;
}

}  // namespace Trident::Impl
