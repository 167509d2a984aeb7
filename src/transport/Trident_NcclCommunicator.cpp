// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_NcclCommunicator.hpp"

#include <map>
#include <mutex>
#include <vector>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

/// The communicators, by the MPI_COMM_WORLD ranks of their members. If a program spawns
/// processes, communicators with ranks of different worlds may wrongly share a key.
using Registry = std::map<std::vector<int>, std::shared_ptr<NcclCommunicator>>;

Registry& registry() {
  static Lasting<Registry> all;
  return *all;
}

std::mutex& lock() {
  static Lasting<std::mutex> mutex;
  return *mutex;
}

/// Frees the communicators that nothing else holds, in the same order on all ranks.
void clearRegistry() { registry().clear(); }

/// Gathers the MPI_COMM_WORLD ranks of all ranks of `comm`. MPI's own translation would search the
/// whole world for each rank. Collective over `comm`.
std::vector<int> worldRanks(MPI_Comm comm) {
  int me = 0, size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &me));
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<int> ranks(size);
  allGather(&me, 1, MPI_INT, ranks.data(), comm, "the ranks that are to share NCCL");
  return ranks;
}

}  // namespace

std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm) {
  atMpiEnd(clearRegistry);
  const std::vector<int> ranks = worldRanks(comm);
  std::shared_ptr<NcclCommunicator> kept;
  {
    const std::lock_guard<std::mutex> guard(lock());
    const auto known = registry().find(ranks);
    if (known != registry().end()) kept = known->second;
  }
  int usable = isUsable(kept);
  allReduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, comm,
            "all ranks to say whether NCCL works");
  if (usable) return kept;
  // If some program has an NCCL group open, throws on every rank and leaves the registry as it is.
  kept = std::make_shared<NcclCommunicator>(comm);
  const std::lock_guard<std::mutex> guard(lock());
  return registry()[ranks] = kept;
}

}  // namespace Trident::Impl
