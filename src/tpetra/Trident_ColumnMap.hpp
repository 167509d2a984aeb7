// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNMAP_HPP
#define TRIDENT_COLUMNMAP_HPP

#include <algorithm>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_config.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_PinnedMemory.hpp"
#include "base/Trident_Threads.hpp"
#include "matrix/Trident_IndexSets.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"
#include "tpetra/Trident_GlobalNumbering.hpp"
#include "transport/Trident_AllToAll.hpp"

#if TRIDENT_HAVE_IMPORT_ACCESS
#include "tpetra/Trident_ImportAccess.hpp"
#endif

namespace Trident::Impl {

/// A column Map of a result, and the Import from the domain Map to the column Map.
template <class LO, class GO, class NO>
struct ColumnMap {
  Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> map;
  Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> importer;  ///< null if `map` is the domain Map
};

#if !TRIDENT_HAVE_IMPORT_ACCESS
/// Makes the Import from a domain Map to a column Map by Tpetra's constructor. Local.
/// @param owners each owner of remote columns, with its number of columns; in the Map's order
/// @param askers each rank that gets exports, with its number of exports; in the order of `exports`
template <class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> importOf(
    const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& domain,
    const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& map,
    const std::vector<std::pair<int, std::size_t>>& owners,
    const std::vector<std::pair<int, std::size_t>>& askers,
    const Teuchos::ArrayView<const LO>& exports) {
  const auto list = [](const std::vector<std::pair<int, std::size_t>>& ofRanks) {
    Teuchos::Array<int> ranks;
    for (const auto& [rank, count] : ofRanks) ranks.insert(ranks.end(), count, rank);
    return ranks;
  };
  Teuchos::Array<int> remoteRanks = list(owners);
  const Teuchos::Array<int> exportRanks = list(askers);
  return Teuchos::rcp(
      new Tpetra::Import<LO, GO, NO>(domain, map, remoteRanks(), exports, exportRanks()));
}
#endif

/// Local indices on the host.
using HostList = Kokkos::View<int*, Kokkos::HostSpace>;

/// Columns grouped by the grid rank that owns them, or by the grid rank that asks for them. A
/// column Map has such groups, too, but in the order of the communicator's ranks.
class ColumnsByRank {
 public:
  /// @param offsets begin of each grid rank's columns, and the end. Arguments must outlive this
  ColumnsByRank(const std::vector<long long>& offsets, const NodeLayout& layout)
      : offsets_(offsets), layout_(layout), begin_(layout.gridRank.size()) {
    long long next = 0;
    for (int g : layout.gridRank) {
      begin_[g] = next;
      next += size(g);
    }
  }

  long long size(int g) const { return offsets_[g + 1] - offsets_[g]; }
  long long total() const { return offsets_.back(); }
  /// Returns the place of each grid rank's first column among the Map's remote columns.
  const std::vector<long long>& begin() const { return begin_; }
  /// Returns true if the grid ranks' columns are in the Map's order already.
  bool inOrder() const {
    for (std::size_t g = 0; g < begin_.size(); ++g)
      if (size(static_cast<int>(g)) > 0 && begin_[g] != offsets_[g]) return false;
    return true;
  }
  /// Returns (communicator's rank, number of columns) of ranks with columns, in the Map's order.
  std::vector<std::pair<int, std::size_t>> byRank() const {
    std::vector<std::pair<int, std::size_t>> ranks;
    for (std::size_t r = 0; r < layout_.gridRank.size(); ++r) {
      const long long count = size(layout_.gridRank[r]);
      if (count > 0) ranks.emplace_back(static_cast<int>(r), static_cast<std::size_t>(count));
    }
    return ranks;
  }
  /// Returns the place of each column among the Map's remote columns. In the Map, the columns of a
  /// rank ascend by global index.
  template <class GO>
  std::vector<int> orderBy(const std::vector<GO>& gids) const {
    std::vector<int> order(gids.size()), ofRank;
    for (std::size_t g = 0; g < begin_.size(); ++g) {
      const auto first = gids.begin() + offsets_[g];
      ofRank.resize(size(static_cast<int>(g)));
      std::iota(ofRank.begin(), ofRank.end(), 0);
      if (!std::is_sorted(first, first + ofRank.size()))
        std::sort(ofRank.begin(), ofRank.end(), [&](int a, int b) { return first[a] < first[b]; });
      for (std::size_t n = 0; n < ofRank.size(); ++n)
        order[offsets_[g] + ofRank[n]] = static_cast<int>(begin_[g] + n);
    }
    return order;
  }

 private:
  const std::vector<long long>& offsets_;
  const NodeLayout& layout_;
  std::vector<long long> begin_;
};

/// Remote columns, sorted by number, and so by owner. For kernels. Takes O(P) device memory.
template <class Device>
class RemoteColumns {
 public:
  RemoteColumns() = default;
  RemoteColumns(const Kokkos::View<Position*, Device>& numbers, const Numbering& numbering)
      : numbers_(numbers),
        ranks_(numbering.ranks()),
        rankBegin_(toDevice<Position, Device>(numbering.rankBegin)) {}

  long long count() const { return numbers_.extent(0); }
  /// Returns the grid rank that owns column c; lid() returns the column's local index there.
  KOKKOS_INLINE_FUNCTION int owner(long long c) const {
    return static_cast<int>(intervalOf(rankBegin_, ranks_, numbers_(c)));
  }
  KOKKOS_INLINE_FUNCTION int lid(long long c) const {
    return static_cast<int>(numbers_(c) - rankBegin_(owner(c)));
  }

  /// Returns the number of columns that each grid rank owns. Local.
  std::vector<long long> counts() const {
    const auto offsets = scratch<long long, Device>("Trident::ownerOffsets", ranks_ + 1);
    const auto numbers = numbers_;
    const auto rankBegin = rankBegin_;
    Kokkos::parallel_for(
        "Trident::ownerOffsets", Range<Device>(0, ranks_ + 1), TRIDENT_LAMBDA(long long g) {
          offsets(g) = firstNotBelow(numbers, 0, numbers.extent(0), rankBegin(g));
        });
    std::vector<long long> counts = toHost<long long, Device>(offsets);
    for (long long g = 0; g < ranks_; ++g) counts[g] = counts[g + 1] - counts[g];
    counts.pop_back();
    return counts;
  }
  /// Returns the local index of column c on its owner, for IndexSets::pack().
  KOKKOS_INLINE_FUNCTION int operator()(long long c) const { return lid(c); }
  /// Returns the place of each column among the Map's remote columns. Local.
  Kokkos::View<int*, Device> order(const ColumnsByRank& ofRanks) const {
    const auto order = scratch<int, Device>("Trident::columnOrder", count());
    const auto begin = toDevice<long long, Device>(ofRanks.begin());
    const RemoteColumns self = *this;
    const auto numbers = numbers_;
    const auto rankBegin = rankBegin_;
    Kokkos::parallel_for(
        "Trident::columnOrder", Range<Device>(0, count()), TRIDENT_LAMBDA(long long c) {
          const int g = self.owner(c);
          const auto first = firstNotBelow(numbers, 0, numbers.extent(0), rankBegin(g));
          order(c) = static_cast<int>(begin(g) + c - static_cast<long long>(first));
        });
    return order;
  }

 private:
  Kokkos::View<Position*, Device> numbers_;
  long long ranks_ = 0;
  Kokkos::View<Position*, Device> rankBegin_;
};

/// The lists of which a column Map and its Import are made. Indices that this rank owns come first,
/// then remote indices, grouped by owner and sorted by global index (as Tpetra does, and MueLu
/// expects). No directory is needed, because the owners are known. A rank tells each owner once
/// which indices it needs, as a list or a bitmap, whichever is shorter. So the owner learns its
/// exports. If each owner's global indices are consecutive, the device forms the lists. Else the
/// owners answer with global indices, and the host sorts them.
template <class LO, class GO, class NO>
class ColumnLists {
  using Device = typename NO::device_type;
  using Order = Kokkos::View<int*, Device>;

 public:
  /// Asks the owners for remote columns. Collective over the grid. Throws Trident::Error on every
  /// rank if a rank has failed before, or lacks memory for messages. If columns are few, takes
  /// memory for the longest messages first. So one collective sends counts and lets ranks agree.
  /// @param remotes numbers of the remote columns, ascending
  /// @param entries number of this rank's entries, to be summed over all ranks
  ColumnLists(const ProcessGrid& grid, const GlobalNumbering<LO, GO, NO>& domain,
              const Kokkos::View<Position*, Device>& remotes, long long entries,
              std::size_t messageBytes, Traffic& traffic, LocalFailure& failure)
      : domain_(domain) {
    const long long own = domain.end() - domain.begin();
    const bool little = hasFewColumns(domain);
    std::vector<long long> counts;
    std::optional<IndexSets<Device>> asks, asked;  // questions to owners, and from askers
    std::vector<SetWord> words, askedWords;
    std::vector<GO> answers, gids;  // global indices sent to askers, and got from owners
    failure.guard([&] {
      remotes_ = RemoteColumns<Device>(remotes, domain);
      counts = remotes_.counts();
      asks.emplace(counts, countsOf(domain.rankBegin));
      words = toHost<SetWord, Device>(asks->pack(remotes_.count(), remotes_));
      if (!domain.consecutive) gids.resize(remotes_.count());
      if (little) askedWords.resize(domain.ranks() * bitmapWords(own));
      if (little && !domain.consecutive) answers.resize(domain.ranks() * own);
    });
    if (failure.failed()) counts.clear();  // a failed rank asks for nothing
    counts.resize(domain.ranks(), 0);
    std::vector<long long> sums{std::accumulate(counts.begin(), counts.end(), 0ll), entries};
    const AllToAll questions = little
                                   ? AllToAll::withSums(grid, counts, sums, messageBytes, failure)
                                   : AllToAll(grid, counts, messageBytes);
    const auto takeMemory = [&] {
      asked.emplace(countsOf(questions.receiveOffsets()),
                    std::vector<long long>(domain.ranks(), own));
      askedWords.resize(asked->wordCount());
      lids_ =
          uninitialized<int, Device>("Trident::importLids", firstExport() + questions.receives());
      if (!domain.consecutive) answers.resize(questions.receives());
    };
    if (!little) {
      failure.guard(takeMemory);
      sumEverywhere(grid.comm(), sums, failure);
    }
    allRemotes_ = sums[0];
    entries_ = sums[1];
    if (allRemotes_ == 0) return;
    std::vector<long long> askedCounts;
    for (const long long count : countsOf(questions.receiveOffsets()))
      askedCounts.push_back(setWords(count, own));
    questions.withCounts(asks->words(), askedCounts)
        .exchange(words.data(), askedWords.data(), sizeof(SetWord), traffic);
    failure.guard([&] {
      if (little) takeMemory();
      asked->unpack(toDevice<SetWord, Device>(askedWords), exports());
      Kokkos::fence();
    });
    if (!domain.consecutive) {
      failure.guard([&] {
        exports_ = onHost(exports());
        const auto ownGids = localGids(*domain.map);
        for (std::size_t q = 0; q < answers.size(); ++q) answers[q] = ownGids[exports_(q)];
      });
      questions.exchangeBack(answers.data(), gids.data(), sizeof(GO), traffic);
    }
    failure.guard([&] {
      const ColumnsByRank owners(questions.sendOffsets(), grid.layout());
      const ColumnsByRank askers(questions.receiveOffsets(), grid.layout());
      if (domain.consecutive) {
        if (!owners.inOrder()) order_ = remotes_.order(owners);
        if (!askers.inOrder()) {
          const HostList lids = onHost(exports());
          orderExports(lids, askers.orderBy(asGids(lids)));
        }
      } else {
        order_ = toDevice<int, Device>(owners.orderBy(gids));
        orderExports(exports_, askers.orderBy(answers));
        remoteGids_ = toDevice<GO, Device>(gids);
      }
      const std::function<void()> bring = startExportsToHost();
      gids_ = listGids();  // calls Kokkos::fence(), as `bring` requires
      beginImport(owners, askers, bring);
    });
  }
  ColumnLists(const ColumnLists&) = delete;  // no copy, because a thread may use this object
  ColumnLists& operator=(const ColumnLists&) = delete;

  /// Returns the sum of the ranks' numbers of entries.
  long long entries() const { return entries_; }
  /// Returns each remote column's place among the Map's remote columns; empty means 0, 1, 2, ...
  const Order& order() const { return order_; }

  /// Makes the Map and its Import. Collective, even for failed ranks; then the Map is of no use.
  ColumnMap<LO, GO, NO> makeMap(LocalFailure& failure) {
    if (allRemotes_ == 0) return {domain_.map, Teuchos::null};
    ColumnMap<LO, GO, NO> result;
    result.map = Teuchos::rcp(
        new map_type(static_cast<Tpetra::global_size_t>(domain_.size() + allRemotes_),
                     argumentOf(gids_), domain_.map->getIndexBase(), domain_.map->getComm()));
    failure.guard([&] { result.importer = makeImport(result.map); });
    return result;
  }

  // Public, because CUDA forbids device lambdas in private functions.

  /// Returns the global indices of all columns on this rank, in the Map's order. Local.
  Kokkos::View<GO*, Device> listGids() const {
    const long long own = domain_.end() - domain_.begin(), count = remotes_.count();
    const auto gids = scratch<GO, Device>("Trident::columnGids", own + count);
    const auto ownGids = domain_.map->getLocalMap();
    Kokkos::parallel_for(
        "Trident::ownGids", Range<Device>(0, own),
        TRIDENT_LAMBDA(long long l) { gids(l) = ownGids.getGlobalElement(static_cast<LO>(l)); });
    const auto order = order_;
    if (!domain_.consecutive) {
      const auto answers = remoteGids_;
      Kokkos::parallel_for(
          "Trident::remoteGids", Range<Device>(0, count),
          TRIDENT_LAMBDA(long long c) { gids(own + order(c)) = answers(c); });
    } else {
      const auto firstGid = toDevice<GO, Device>(domain_.firstGid);
      const RemoteColumns<Device> remotes = remotes_;
      Kokkos::parallel_for(
          "Trident::remoteGids", Range<Device>(0, count), TRIDENT_LAMBDA(long long c) {
            gids(own + (order.extent(0) ? order(c) : c)) =
                firstGid(remotes.owner(c)) + remotes.lid(c);
          });
    }
    Kokkos::fence();
    return gids;
  }

 private:
  using map_type = Tpetra::Map<LO, GO, NO>;
  using import_type = Tpetra::Import<LO, GO, NO>;

  /// Returns true if ranks are few, and each owns few columns. Returns the same on every rank.
  static bool hasFewColumns(const Numbering& domain) {
    constexpr Position most = 32768;  // limit of ranks * (most indices that a rank owns)
    if (domain.ranks() >= AllToAll::manyRanks) return false;
    Position largest = 0;
    for (int g = 0; g < domain.ranks(); ++g)
      largest = std::max(largest, domain.rankBegin[g + 1] - domain.rankBegin[g]);
    return largest * domain.ranks() <= most;
  }
  /// Returns indices for Map's constructor, which copies an ArrayView once, but a View twice.
  static auto argumentOf(const Kokkos::View<GO*, Device>& gids) {
    if constexpr (isHost<Device>)
      return Teuchos::ArrayView<const GO>(gids.data(), gids.extent(0));
    else
      return Kokkos::View<const GO*, Device>(gids);
  }
  /// Returns local indices as keys for orderBy(). Consecutive global indices have the same order.
  static std::vector<GO> asGids(const HostList& lids) {
    return std::vector<GO>(lids.data(), lids.data() + lids.extent(0));
  }
  static std::vector<long long> countsOf(const std::vector<long long>& offsets) {
    std::vector<long long> counts;
    for (std::size_t r = 1; r < offsets.size(); ++r) counts.push_back(offsets[r] - offsets[r - 1]);
    return counts;
  }

  /// Returns the place of the first export in lids_. On a device, remote indices come first,
  /// because an Import keeps both lists, and one allocation is faster than two.
  long long firstExport() const { return isHost<Device> ? 0 : remotes_.count(); }
  Kokkos::View<int*, Device> exports() const {
    return Kokkos::subview(
        lids_, std::make_pair(static_cast<std::size_t>(firstExport()), lids_.extent(0)));
  }
  /// Returns a copy of a list on the host; the list itself if it is on the host already.
  static HostList onHost(const Kokkos::View<int*, Device>& lids) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), lids);
  }
  /// Moves each export to its place in `order`, on the host and on the device.
  /// @param lids exports in the old order; may be exports_
  void orderExports(HostList lids, const std::vector<int>& order) {
    exports_ = HostList(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::exportLids"),
                        lids.extent(0));
    for (std::size_t q = 0; q < order.size(); ++q) exports_(order[q]) = lids(q);
    Kokkos::deep_copy(exports(), exports_);
  }
  /// Starts to copy exports from the device to pinned memory, unless the host has them. Returns a
  /// function that copies from pinned memory to exports_. Any thread may call that function after a
  /// Kokkos::fence(), because it only moves bytes.
  std::function<void()> startExportsToHost() {
    const Kokkos::View<int*, Device> from = exports();
    if (exports_.extent(0) == from.extent(0)) return [] {};
    if constexpr (isHost<Device>) {
      exports_ = from;
      return [] {};
    } else {
      const std::size_t bytes = from.extent(0) * sizeof(int);
      exports_ = HostList(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::exportLids"),
                          from.extent(0));
      const MemoryBlock pinned = lendPinned(bytes);
      startCopy(pinned.data(), MemoryKind::Pinned, from.data(), MemoryKind::Device, bytes);
      return [to = exports_.data(), pinned, bytes] { std::memcpy(to, pinned.data(), bytes); };
    }
  }

#if TRIDENT_HAVE_IMPORT_ACCESS
  /// Prepares makeImport(). On devices, may start a thread that fills long lists. Local.
  /// @param bring function that brings exports to the host
  void beginImport(const ColumnsByRank& owners, const ColumnsByRank& askers,
                   const std::function<void()>& bring) {
    constexpr long long longList = 20000;  // a thread may fill lists with more entries in all
    import_ = std::make_unique<ImportAccess<LO, GO, NO>>(
        domain_.map->getComm(), static_cast<std::size_t>(domain_.end() - domain_.begin()),
        owners.byRank(), askers.byRank());
    const bool aside =
        !isHost<Device> && import_->fillsAlone() && owners.total() + askers.total() > longList;
    const SignalsBlocked blocked;
    filled_ = std::async(aside ? std::launch::async : std::launch::deferred, [this, bring] {
      bring();
      import_->fill();
    });
  }
  /// Makes the Import to a column Map. Local.
  Teuchos::RCP<const import_type> makeImport(const Teuchos::RCP<const map_type>& map) {
    filled_.get();
    return import_->make(domain_.map, map, exports_, lids_);
  }
#else
  /// Calls bring(), and keeps the lists for makeImport(). Local.
  void beginImport(const ColumnsByRank& owners, const ColumnsByRank& askers,
                   const std::function<void()>& bring) {
    bring();
    owners_ = owners.byRank();
    askers_ = askers.byRank();
  }
  /// Makes the Import to a column Map. Local.
  Teuchos::RCP<const import_type> makeImport(const Teuchos::RCP<const map_type>& map) {
    return importOf(domain_.map, map, owners_, askers_,
                    Teuchos::ArrayView<const LO>(exports_.data(), exports_.extent(0)));
  }
#endif

  const GlobalNumbering<LO, GO, NO>& domain_;
  RemoteColumns<Device> remotes_;
  long long allRemotes_ = 0, entries_ = 0;  // numbers of remote columns and entries of all ranks
  Order order_;                             // places of remote columns; see order()
  Kokkos::View<GO*, Device> remoteGids_;    // global indices of remotes_, as owners answered
  Kokkos::View<GO*, Device> gids_;          // global indices of columns, in the Map's order
  Kokkos::View<int*, Device> lids_;         // exports; on a device the remote indices come first
  HostList exports_;                        // exports on the host
#if TRIDENT_HAVE_IMPORT_ACCESS
  std::unique_ptr<ImportAccess<LO, GO, NO>> import_;
  std::future<void> filled_;  // last member, so that its destructor waits while other members live
#else
  std::vector<std::pair<int, std::size_t>> owners_, askers_;
#endif
};

}  // namespace Trident::Impl

#endif
