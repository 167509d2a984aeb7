// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInPlans.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Memory.hpp"
#include "exchange/Trident_Context.hpp"

namespace Trident::Impl {
namespace {

PlanShelves* shelves = nullptr;

/// Returns how many ranks of the program run on this host, as far as its launcher says so; else 0.
int ranksByLauncher() {
  constexpr const char* variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                       "MV2_COMM_WORLD_LOCAL_SIZE"};
  int ranks = 0;
  for (const char* const name : variables)
    if (const char* const value = std::getenv(name)) ranks = std::max(ranks, std::atoi(value));
  return ranks;
}

/// Returns how many ranks share this rank's memory, at least: a communicator may have but some of
/// the program's.
int ranksSharing(MPI_Comm comm) {
  const int ranks = std::max(Context::of(comm).ownRanks()->host.size(), ranksByLauncher());
  const int devices = std::max(1, deviceCount());
  return (ranks + devices - 1) / devices;
}

}  // namespace

void beginPlans(const PlanLimit& limit) {
  if (limit.plans == 0 && limit.bytes == 0) return;
  static Lasting<PlanShelves> only(limit);
  shelves = &*only;
  atKokkosEnd([] { endPlans(); });  // local then, as communicators' contexts live on
}

std::size_t bytesForPlans(MPI_Comm comm) noexcept {
  static int sharing = 0;  // ranks that share the memory, as far as communicators have told
  static double usable = 0;
  try {
    const int now = std::max(sharing, ranksSharing(comm));
    if (now > sharing) usable = usableBytes(MemoryKind::Device, now);
    sharing = now;
  } catch (const std::exception&) {  // it goes by what it knows
  }
  return usable > 0 ? std::max<std::size_t>(1, usable / 16) : 0;
}

PlanShelves* plansOfProcess() { return shelves; }

std::optional<PlanCounts> countsOfPlans() {
  return shelves ? std::make_optional(shelves->counts()) : std::nullopt;
}

void endPlans() noexcept {
  if (!shelves) return;
  try {
    shelves->clear();
  } catch (const std::exception&) {  // what could not go is left to the process' end
  }
}

}  // namespace Trident::Impl
