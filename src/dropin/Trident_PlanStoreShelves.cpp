// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_PlanStoreShelves.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident::Impl {

namespace {

/// Structures without a plan that a shelf remembers: a few hundred bytes each.
constexpr std::size_t mostNotes = 64;

/// Puts bits into a list of words, from word `at` on.
void putBits(const std::vector<bool>& bits, std::size_t at, std::vector<std::uint64_t>& words) {
  for (std::size_t e = 0; e < bits.size(); ++e)
    words[at + e / 64] |= std::uint64_t(bits[e]) << (e % 64);
}
void takeBits(const std::vector<std::uint64_t>& words, std::size_t at, std::vector<bool>& bits) {
  for (std::size_t e = 0; e < bits.size(); ++e) bits[e] = words[at + e / 64] >> (e % 64) & 1;
}

/// Adds what a plan has served; without those that have gone, but for the last one.
void addServed(const WeakGraph& graph, std::vector<WeakGraph>& served) {
  if (graph.is_null()) return;
  const auto drop = [&](const WeakGraph& g) {
    return g.strong_count() == 0 || g.shares_resource(graph);
  };
  served.erase(std::remove_if(served.begin(), served.end(), drop), served.end());
  served.push_back(graph);
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

PlanShelves::~PlanShelves() {
  if (!mpiRuns()) return;
  try {
    clear();
    if (key_ != MPI_KEYVAL_INVALID) TRIDENT_MPI_CHECK_NOTHROW(MPI_Comm_free_keyval(&key_));
  } catch (const std::exception&) {
  }
}

/// MPI calls it when a communicator ends, and clear() by deleting the attribute.
int PlanShelves::endOfCommunicator(MPI_Comm, int, void* attribute, void*) {
  const std::unique_ptr<PlanShelf> shelf(static_cast<PlanShelf*>(attribute));
  PlanShelves& owner = *shelf->owner;
  {
    const std::lock_guard<std::mutex> lock(owner.lock_);
    for (const ShelfEntry& entry : shelf->entries)
      if (entry.plan && !entry.used && !owner.clearing_) owner.cautious_ = true;
    auto& all = owner.shelves_;
    all.erase(std::remove(all.begin(), all.end(), shelf.get()), all.end());
  }
  // Once Kokkos or the device has ended no View can be freed: they are left to the process' end.
  lookAtDevice();
  if (!viewsCanGo())
    for (ShelfEntry& entry : shelf->entries) new std::shared_ptr<void>(std::move(entry.plan));
  return MPI_SUCCESS;
}

PlanShelf* PlanShelves::of(MPI_Comm comm) {
  try {
    return make(comm);
  } catch (const std::exception&) {
    return nullptr;
  }
}

PlanShelf* PlanShelves::make(MPI_Comm comm) {
  const std::lock_guard<std::mutex> lock(lock_);
  if (key_ == MPI_KEYVAL_INVALID)
    TRIDENT_MPI_CHECK(
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, endOfCommunicator, &key_, nullptr));
  void* found = nullptr;
  int flag = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_get_attr(comm, key_, &found, &flag));
  if (flag) return static_cast<PlanShelf*>(found);
  auto shelf = std::make_unique<PlanShelf>();
  shelf->owner = this;
  shelf->comm = comm;
  shelf->eager = !cautious_;
  shelves_.reserve(shelves_.size() + 1);
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(comm, key_, shelf.get()));
  shelves_.push_back(shelf.get());
  return shelf.release();  // the attribute owns it now
}

/// By bits, which stay where all ranks set them.
ShelfAnswer agreeOnEntry(MPI_Comm comm, bool valid, bool eager, EntryBits& says) {
  const std::size_t count = says.known.size(), words = (count + 63) / 64;
  std::vector<bool> ranks{valid, eager};
  std::vector<std::uint64_t> bits(1 + 3 * words, 0);
  putBits(ranks, 0, bits);
  putBits(says.known, 1, bits);
  putBits(says.fits, 1 + words, bits);
  putBits(says.gone, 1 + 2 * words, bits);
  allReduce(MPI_IN_PLACE, bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, MPI_BAND, comm,
            "all ranks to say which plan fits");
  takeBits(bits, 0, ranks);
  takeBits(bits, 1, says.known);
  takeBits(bits, 1 + words, says.fits);
  takeBits(bits, 1 + 2 * words, says.gone);
  using Kind = ShelfAnswer::Kind;
  if (!ranks[0]) return {Kind::Strange, 0, ranks[1]};
  for (std::size_t e = count; e-- > 0;)
    if (says.fits[e]) return {Kind::Planned, e, ranks[1]};
  for (std::size_t e = count; e-- > 0;)
    if (says.known[e]) return {Kind::Noted, e, ranks[1]};
  return {Kind::Unknown, 0, ranks[1]};
}

/// Drops the plans whose results are gone on all ranks, except the plan that is about to be used.
/// Corrects the answer's place.
void PlanShelves::endGone(PlanShelf& shelf, const std::vector<bool>& gone, ShelfAnswer& answer) {
  using Kind = ShelfAnswer::Kind;
  for (std::size_t e = gone.size(); e-- > 0;) {
    const bool named =
        answer.at == e && answer.kind != Kind::Strange && answer.kind != Kind::Unknown;
    if (!gone[e] || (named && answer.kind == Kind::Planned)) continue;
    drop(shelf, e);
    ++counts_.ended;
    if (named)
      answer.kind = Kind::Unknown;
    else if (answer.at > e)
      --answer.at;
  }
}

void PlanShelves::note(PlanShelf& shelf, ShelfEntry::Words product) {
  auto& entries = shelf.entries;
  ShelfEntry entry;
  entry.product = std::move(product);
  entries.push_back(std::move(entry));
  const auto noted = [](const ShelfEntry& e) { return !e.plan; };
  if (static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), noted)) > mostNotes)
    entries.erase(std::find_if(entries.begin(), entries.end(), noted));
}

/// How many plans of the shelf must go, the first ones first, for this rank to be within its limit.
std::size_t PlanShelves::surplus(const PlanShelf& shelf) const {
  const PlanCounts now = counts();
  std::size_t plans = now.plans, bytes = now.bytes, gone = 0;
  for (const ShelfEntry& entry : shelf.entries) {
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

void PlanShelves::keep(PlanShelf& shelf, ShelfEntry entry) {
  auto& entries = shelf.entries;
  if (limit_.bytesOfRank) limit_.bytes = limit_.bytesOfRank(shelf.comm);
  entries.push_back(std::move(entry));
  std::uint64_t gone = surplus(shelf);
  allReduce(MPI_IN_PLACE, &gone, 1, MPI_UINT64_T, MPI_MAX, shelf.comm,
            "all ranks to say how many plans must go");
  for (; gone > 0; --gone) {
    const auto first = std::find_if(entries.begin(), entries.end(),
                                    [](const ShelfEntry& e) { return e.plan != nullptr; });
    if (first == entries.end()) break;
    if (first + 1 == entries.end()) {  // the new one
      first->plan.reset();
      first->tooLarge = true;
    } else {
      entries.erase(first);
    }
    shelf.eager = false;
    ++counts_.dropped;
  }
  counts_.mostBytes = std::max(counts_.mostBytes, counts().bytes);
}

void PlanShelves::touch(PlanShelf& shelf, std::size_t at, const WeakGraph& graph) {
  const auto used = shelf.entries.begin() + static_cast<std::ptrdiff_t>(at);
  used->used = true;
  addServed(graph, used->served);
  std::rotate(used, used + 1, shelf.entries.end());
}

void PlanShelves::drop(PlanShelf& shelf, std::size_t at) {
  shelf.entries.erase(shelf.entries.begin() + static_cast<std::ptrdiff_t>(at));
}

void PlanShelves::clear() {
  std::vector<MPI_Comm> comms;
  {
    const std::lock_guard<std::mutex> lock(lock_);
    for (const PlanShelf* shelf : shelves_) comms.push_back(shelf->comm);
    clearing_ = true;
  }
  for (const MPI_Comm comm : comms) TRIDENT_MPI_CHECK(MPI_Comm_delete_attr(comm, key_));
  clearing_ = false;
}

PlanCounts PlanShelves::counts() const {
  PlanCounts now = counts_;
  const std::lock_guard<std::mutex> lock(lock_);
  for (const PlanShelf* shelf : shelves_)
    for (const ShelfEntry& entry : shelf->entries)
      if (entry.plan) {
        ++now.plans;
        now.bytes += entry.bytes;
      }
  return now;
}

}  // namespace Trident::Impl
