// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_SharedNccl.hpp"

#include <Kokkos_Core.hpp>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

/// The ranks of MPI_COMM_WORLD that form `comm`, which tell it from all others.
std::vector<int> worldRanks(MPI_Comm comm) {
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  int size = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  TRIDENT_MPI_CHECK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  TRIDENT_MPI_CHECK(MPI_Comm_group(comm, &group));
  std::vector<int> ranks(size), worldRanks(size);
  std::iota(ranks.begin(), ranks.end(), 0);
  TRIDENT_MPI_CHECK(MPI_Group_translate_ranks(group, size, ranks.data(), world, worldRanks.data()));
  TRIDENT_MPI_CHECK(MPI_Group_free(&group));
  TRIDENT_MPI_CHECK(MPI_Group_free(&world));
  return worldRanks;
}

using Registry = std::map<std::vector<int>, std::shared_ptr<NcclCommunicator>>;

Registry& registry() {
  static Registry all;
  return all;
}

std::mutex& lock() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

std::shared_ptr<NcclCommunicator> sharedNccl(MPI_Comm comm) {
  static const bool hooked = (Kokkos::push_finalize_hook([] { registry().clear(); }), true);
  static_cast<void>(hooked);
  const std::vector<int> ranks = worldRanks(comm);
  std::shared_ptr<NcclCommunicator> kept;
  {
    const std::lock_guard<std::mutex> guard(lock());
    const auto known = registry().find(ranks);
    if (known != registry().end()) kept = known->second;
  }
  int usable = kept && !kept->failed();
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &usable, 1, MPI_INT, MPI_MIN, comm));
  if (usable) return kept;
  kept = std::make_shared<NcclCommunicator>(comm);
  const std::lock_guard<std::mutex> guard(lock());
  return registry()[ranks] = kept;
}

}  // namespace Trident
