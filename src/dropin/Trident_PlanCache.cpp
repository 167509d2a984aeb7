// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_PlanCache.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "exchange/Trident_Context.hpp"

namespace Trident::Impl {

namespace {

/// Largest number of structures with a dropped plan on a shelf. Each takes a few hundred bytes.
constexpr std::ptrdiff_t mostWithoutPlan = 64;

/// Calls visit(bit, at) for `known`, `fits` and `gone` of each entry. `at` is the bit's place in an
/// array of words. The first word is for Answer::valid. Each kind of bit begins a new word.
template <class Entries, class Visit>
void forEachBit(Entries& entries, const Visit& visit) {
  using Entry = typename Entries::value_type;
  std::size_t at = 64;
  for (const auto bit : {&Entry::known, &Entry::fits, &Entry::gone}) {
    for (Entry& entry : entries) visit(entry.*bit, at++);
    at = (at + 63) / 64 * 64;
  }
}

PlanCache* cache = nullptr;  // cache of this process; null if there is none

/// Returns the number of the program's ranks on this host, if its launcher tells; else 0.
int ranksByLauncher() {
  constexpr const char* names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                   "MV2_COMM_WORLD_LOCAL_SIZE"};
  int ranks = 0;
  for (const char* const name : names)
    if (const char* const value = std::getenv(name)) ranks = std::max(ranks, std::atoi(value));
  return ranks;
}

/// Returns a lower bound of the number of ranks that share this rank's memory.
int ranksSharing(MPI_Comm comm) {
  const int ranks = std::max(Context::of(comm).ownRanks()->host.size(), ranksByLauncher());
  const int devices = std::max(1, deviceCount());
  return (ranks + devices - 1) / devices;
}

}  // namespace

PlanLimit PlanLimit::parse(const std::string& text) {
  const std::map<std::string, double> units{{"", 1},
                                            {"B", 1},
                                            {"KB", 1e3},
                                            {"MB", 1e6},
                                            {"GB", 1e9},
                                            {"KIB", 1024},
                                            {"MIB", 1024.0 * 1024},
                                            {"TB", 1e12},
                                            {"GIB", 1024.0 * 1024 * 1024}};
  std::size_t used = 0;
  double number = numberAtFront(text, used);
  std::string unit;
  for (const char c : text.substr(used))
    if (c != ' ') unit += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  const auto known = units.find(unit);
  if (known != units.end()) number *= known->second;
  const bool good = used > 0 && known != units.end() && number >= 1 && number < 1e18 &&
                    (!unit.empty() || number == std::floor(number));
  if (!good)
    throw Error("\"" + text +
                "\" is neither a number of plans, such as 8, nor of bytes, such as 500MB or 2GB");
  PlanLimit limit;
  (unit.empty() ? limit.plans : limit.bytes) = static_cast<std::size_t>(number);
  return limit;
}

PlanCache::~PlanCache() {
  if (!mpiRuns()) return;
  try {
    clear();
    if (key_ != MPI_KEYVAL_INVALID) TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_free_keyval(&key_));
  } catch (const std::exception&) {
  }
}

/// Deletes a communicator's shelf with its entries. MPI calls this function when the communicator
/// ends, or when clear() deletes the attribute.
int PlanCache::endOfCommunicator(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<Shelf> shelf(static_cast<Shelf*>(attribute));
  PlanCache& owner = *shelf->owner;
  {
    const std::lock_guard<std::mutex> lock(owner.lock_);
    auto& all = owner.shelves_;
    all.erase(std::remove(all.begin(), all.end(), shelf.get()), all.end());
  }
  // After the end of Kokkos or of the device no View can be freed, so plans are not deleted.
  checkDevice();
  if (!viewsCanGo())
    for (Entry& entry : shelf->entries) new std::shared_ptr<void>(std::move(entry.plan));
  return MPI_SUCCESS;
}

/// Returns the shelf of a communicator. The shelf ends with the communicator, or by clear().
/// Returns null if this rank lacks memory for a shelf. Then no rank adds an entry. Local.
PlanCache::Shelf* PlanCache::shelfOf(MPI_Comm comm) try {
  const std::lock_guard<std::mutex> lock(lock_);
  if (key_ == MPI_KEYVAL_INVALID)
    TRIDENT_MPI_CHECK(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, endOfCommunicator, &key_, nullptr));
  void* found = nullptr;
  int flag = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, key_, &found, &flag));
  if (flag) return static_cast<Shelf*>(found);
  auto shelf = std::make_unique<Shelf>();
  shelf->owner = this;
  shelf->comm = comm;
  shelves_.reserve(shelves_.size() + 1);
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, key_, shelf.get()));
  shelves_.push_back(shelf.get());
  return shelf.release();  // the attribute owns the shelf now
} catch (const std::exception&) {
  return nullptr;
}

/// Adds a graph that keeps the plan alive, unless the graph is null. Removes graphs that are gone.
void PlanCache::Entry::addServed(const WeakGraph& graph) {
  if (graph.is_null()) return;
  const auto drop = [&](const WeakGraph& g) {
    return g.strong_count() == 0 || g.shares_resource(graph);
  };
  served.erase(std::remove_if(served.begin(), served.end(), drop), served.end());
  served.push_back(graph);
}

bool PlanCache::Entry::servedAreGone() const {
  for (const WeakGraph& graph : served)
    if (graph.strong_count() > 0) return false;
  return plan && !served.empty();
}

/// Clears each bit of an entry that some rank has not set. Finds the entry that fits, else a known
/// one. Calls endGone(). Collective: one reduction.
/// @param valid true if this rank has a fingerprint of its product; false without a shelf
PlanCache::Answer PlanCache::agreeOnEntry(MPI_Comm comm, Shelf* shelf, bool valid) {
  Entries none;
  Entries& entries = shelf ? shelf->entries : none;
  std::vector<std::uint64_t> bits(1 + 3 * ((entries.size() + 63) / 64), 0);
  bits[0] = valid ? 1 : 0;
  forEachBit(entries,
             [&](bool bit, std::size_t at) { bits[at / 64] |= std::uint64_t(bit) << (at % 64); });
  allReduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, MPI_BAND, comm,
            "all ranks to say which plan fits");
  forEachBit(entries, [&](bool& bit, std::size_t at) { bit = bits[at / 64] >> (at % 64) & 1; });
  Answer answer{bits[0] != 0, entries.end()};
  for (const auto bit : {&Entry::known, &Entry::fits})  // last fitting entry, else last known one
    for (auto e = entries.begin(); e != entries.end(); ++e)
      if (answer.valid && (*e).*bit) answer.entry = e;
  endGone(entries, answer);
  return answer;
}

/// Drops the plans whose results are gone on all ranks, except the plan that is about to be used.
void PlanCache::endGone(Entries& entries, Answer& answer) {
  for (auto e = entries.begin(); e != entries.end();) {
    const auto entry = e++;
    const bool named = entry == answer.entry;
    if (!entry->gone || (named && entry->fits)) continue;
    if (named) answer.entry = entries.end();
    entries.erase(entry);
    ++counts_.ended;
  }
}

/// Returns the number of plans that the shelf must drop, from its front, so that this rank is
/// within its limit.
std::size_t PlanCache::surplus(const Shelf& shelf) const {
  const PlanCounts now = counts();
  std::size_t plans = now.plans, bytes = now.bytes, gone = 0;
  for (const Entry& entry : shelf.entries) {
    if (!entry.plan) continue;
    const bool within = (limit_.plans == 0 || plans <= limit_.plans) &&
                        (limit_.bytes == 0 || bytes <= limit_.bytes);
    if (within) break;
    ++gone;
    --plans;
    bytes -= entry.bytes;
  }
  return gone;
}

/// Keeps a plan. Then drops the least recently used plans of this communicator: on each rank, as
/// many as the largest surplus() of all ranks. Collective: one reduction.
void PlanCache::keep(Shelf& shelf, Entries& made) {
  auto& entries = shelf.entries;
  if (limit_.bytesOfRank) limit_.bytes = limit_.bytesOfRank(shelf.comm);
  entries.splice(entries.end(), made);
  std::uint64_t gone = surplus(shelf);
  allReduce(MPI_IN_PLACE, &gone, 1, MPI_UINT64_T, MPI_MAX, shelf.comm,
            "all ranks to say how many plans must go");
  const auto hasPlan = [](const Entry& e) { return e.plan != nullptr; };
  for (; gone > 0; --gone) {
    const auto first = std::find_if(entries.begin(), entries.end(), hasPlan);
    if (first == entries.end()) break;
    first->plan.reset();
    first->served.clear();
    ++counts_.dropped;
  }
  auto without = std::count_if(entries.begin(), entries.end(), std::not_fn(hasPlan));
  for (; without > mostWithoutPlan; --without)
    entries.erase(std::find_if_not(entries.begin(), entries.end(), hasPlan));
  counts_.mostBytes = std::max(counts_.mostBytes, counts().bytes);
}

void PlanCache::clear() {
  std::vector<MPI_Comm> comms;
  {
    const std::lock_guard<std::mutex> lock(lock_);
    for (const Shelf* shelf : shelves_) comms.push_back(shelf->comm);
  }
  checkDevice();  // updates viewsCanGo()
  if (viewsCanGo())
    seen_.clear();
  else
    new SeenStructures(std::move(seen_));
  for (const MPI_Comm comm : comms) TRIDENT_MPI_CHECK(MPI_Comm_delete_attr(comm, key_));
}

PlanCounts PlanCache::counts() const {
  PlanCounts now = counts_;
  const std::lock_guard<std::mutex> lock(lock_);
  for (const Shelf* shelf : shelves_)
    for (const Entry& entry : shelf->entries)
      if (entry.plan) {
        ++now.plans;
        now.bytes += entry.bytes;
      }
  return now;
}

void beginPlans(const PlanLimit& limit) {
  if (limit.plans == 0 && limit.bytes == 0) return;
  static Lasting<PlanCache> only(limit);
  cache = &*only;
  // Does not communicate, because the contexts stay. So Kokkos may end on one rank alone.
  atKokkosEnd([] { endPlans(); });
}

std::size_t bytesForPlans(MPI_Comm comm) noexcept {
  static int sharing = 0;  // largest number of ranks found to share the memory
  static double usable = 0;
  try {
    const int now = std::max(sharing, ranksSharing(comm));
    if (now > sharing) usable = usableBytes(MemoryKind::Device, now);
    sharing = now;
  } catch (const std::exception&) {  // returns the bytes of an earlier call, or 0
  }
  return usable > 0 ? std::max<std::size_t>(1, static_cast<std::size_t>(usable) / 16) : 0;
}

PlanCache* plansOfProcess() { return cache; }

void endPlans() noexcept {
  if (!cache) return;
  try {
    cache->clear();
  } catch (const std::exception&) {  // plans that cannot be freed stay until the process ends
  }
}

}  // namespace Trident::Impl
