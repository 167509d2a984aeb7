// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNMAP_HPP
#define TRIDENT_COLUMNMAP_HPP

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_MapNumbering.hpp"
#include "transport/Trident_AllToAll.hpp"

namespace Trident::Impl {

/// The column Map of a result and the Import that fills it.
template <class LO, class GO, class NO>
struct ColumnMap {
  Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> map;
  Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> importer;  ///< null where map is the domain Map
};

/// Questions for remote columns, by the grid rank that owns them.
template <class LO, class GO, class NO>
std::vector<long long> countByOwner(const std::vector<Position>& remotes,
                                    const MapNumbering<LO, GO, NO>& domain,
                                    std::vector<int>& lids) {
  std::vector<long long> counts(domain.ranks(), 0);
  lids.resize(remotes.size());
  int owner = 0;
  for (std::size_t c = 0; c < remotes.size(); ++c) {  // ascending, so owners ascend
    while (remotes[c] >= domain.rankBegin[owner + 1]) ++owner;
    lids[c] = static_cast<int>(remotes[c] - domain.rankBegin[owner]);
    ++counts[owner];
  }
  return counts;
}

/// Global indices of remote columns, by their owners' first.
template <class GO>
void followFirst(const std::vector<int>& lids, const std::vector<long long>& offsets,
                 const std::vector<GO>& firstGid, GO* gids) {
  for (std::size_t g = 0; g < firstGid.size(); ++g)
    for (long long q = offsets[g]; q < offsets[g + 1]; ++q) gids[q] = firstGid[g] + lids[q];
}

/// The indices of [begin, end) in ascending order.
template <class GO>
std::vector<int> ascendingOrder(const GO* begin, const GO* end) {
  std::vector<int> order(end - begin);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return begin[a] < begin[b]; });
  return order;
}

/// What this rank will export: the local indices that others asked for, by asking rank of the
/// communicator and there by global index, which is how the askers order theirs.
template <class LO>
struct ColumnExports {
  std::vector<LO> lids;
  std::vector<int> ranks;

  ColumnExports() = default;
  template <class GO>
  ColumnExports(const std::vector<int>& asked, const std::vector<GO>& gids,
                const std::vector<long long>& offsets, const NodeLayout& layout) {
    lids.reserve(asked.size());
    ranks.reserve(asked.size());
    for (std::size_t r = 0; r < layout.gridRank.size(); ++r) {
      const long long begin = offsets[layout.gridRank[r]], end = offsets[layout.gridRank[r] + 1];
      ranks.insert(ranks.end(), end - begin, static_cast<int>(r));
      if (std::is_sorted(gids.begin() + begin, gids.begin() + end))
        lids.insert(lids.end(), asked.begin() + begin, asked.begin() + end);
      else
        for (int n : ascendingOrder(gids.data() + begin, gids.data() + end))
          lids.push_back(asked[begin + n]);
    }
  }
};

/// The ranks of the communicator that own remote columns, asked for by grid rank. In the order of
/// the column Map the columns are grouped by rank, and in a group by global index.
struct ColumnOwners {
  const std::vector<long long>& offsets;  ///< of each grid rank's columns among the questions
  const NodeLayout& layout;

  Teuchos::Array<int> ranks() const {
    Teuchos::Array<int> all;
    all.reserve(offsets.back());
    for (std::size_t r = 0; r < layout.gridRank.size(); ++r)
      all.insert(all.end(), count(layout.gridRank[r]), static_cast<int>(r));
    return all;
  }

  template <class GO>
  bool inOrder(const GO* gids) const {
    int last = -1;
    for (std::size_t g = 0; g < layout.commRank.size(); ++g) {
      if (count(static_cast<int>(g)) == 0) continue;
      if (layout.commRank[g] < last || !std::is_sorted(gids + offsets[g], gids + offsets[g + 1]))
        return false;
      last = layout.commRank[g];
    }
    return true;
  }

  /// Brings the global indices in order. Returns the index of each question's.
  template <class GO>
  std::vector<int> putInOrder(GO* gids) const {
    const std::vector<GO> asked(gids, gids + offsets.back());
    std::vector<int> order(asked.size());
    int next = 0;
    for (int g : layout.gridRank)
      for (int n : ascendingOrder(asked.data() + offsets[g], asked.data() + offsets[g + 1])) {
        gids[next] = asked[offsets[g] + n];
        order[offsets[g] + n] = next++;
      }
    return order;
  }

 private:
  long long count(int g) const { return offsets[g + 1] - offsets[g]; }
};

/// What a column Map is made of: owned domain indices first, then the remote ones grouped by owning
/// rank, global indices ascending (what Tpetra makes and MueLu relies on). Owners are known, so
/// neither the Map's directory nor the Import asks around: each owner is told once which of its
/// indices are needed, and so what it will export, and answers with their global indices where
/// these do not follow from its first.
template <class LO, class GO, class NO>
class ColumnLists {
 public:
  /// Collective over the grid; throws Trident::Error on every rank where one has failed before, or
  /// lacks memory for what it is sent.
  /// @param remotes numbers of the remote columns, ascending
  ColumnLists(const ProcessGrid& grid, const MapNumbering<LO, GO, NO>& domain,
              const std::vector<Position>& remotes, std::size_t messageBytes, Traffic& traffic,
              LocalFailure& failure)
      : domain_(domain) {
    std::vector<int> lids, asked;
    std::vector<long long> counts;
    failure.guard([&] { counts = countByOwner(remotes, domain, lids); });
    counts.resize(domain.ranks(), 0);  // who failed asks nothing
    const AllToAll questions(grid, std::move(counts), messageBytes);
    Teuchos::ArrayView<const GO> ownGids;
    std::vector<GO> answers;  // of the columns that this rank is asked for
    const auto listGids = [&] {
      ownGids = localGids(*domain.map);
      answers.resize(asked.size());
      gids_.resize(ownGids.size() + remotes.size());
    };
    failure.guard([&] {
      asked.resize(questions.receives());
      if (!domain.consecutive) listGids();  // there answers are received
    });
    std::vector<long long> sums{static_cast<long long>(remotes.size())};
    sumEverywhere(grid.comm(), sums, failure);
    allRemotes_ = sums[0];
    if (allRemotes_ == 0) return;
    questions.exchange(lids.data(), asked.data(), sizeof(int), traffic);
    GO* remoteGids = nullptr;
    failure.guard([&] {
      if (domain.consecutive) listGids();
      for (std::size_t q = 0; q < asked.size(); ++q) answers[q] = ownGids[asked[q]];
      remoteGids = std::copy(ownGids.begin(), ownGids.end(), gids_.data());
      if (domain.consecutive)
        followFirst(lids, questions.sendOffsets(), domain.firstGid, remoteGids);
    });
    if (!domain.consecutive)
      questions.exchangeBack(answers.data(), remoteGids, sizeof(GO), traffic);
    failure.guard([&] {
      const ColumnOwners owners{questions.sendOffsets(), grid.layout()};
      if (!owners.inOrder(remoteGids)) order_ = owners.putInOrder(remoteGids);
      exports_ = ColumnExports<LO>(asked, answers, questions.receiveOffsets(), grid.layout());
      ranks_ = owners.ranks();
    });
  }

  /// Place, after the owned columns, of each remote column that was asked for; empty where they
  /// keep their order.
  const std::vector<int>& order() const { return order_; }

  /// By Tpetra's constructors. No rank has failed. Collective.
  ColumnMap<LO, GO, NO> makeMap() {
    using map_type = Tpetra::Map<LO, GO, NO>;
    using import_type = Tpetra::Import<LO, GO, NO>;
    if (allRemotes_ == 0) return {domain_.map, Teuchos::null};
    ColumnMap<LO, GO, NO> result;
    result.map =
        Teuchos::rcp(new map_type(static_cast<Tpetra::global_size_t>(domain_.size() + allRemotes_),
                                  Teuchos::ArrayView<const GO>(gids_.data(), gids_.size()),
                                  domain_.map->getIndexBase(), domain_.map->getComm()));
    const Teuchos::ArrayView<int> remoteRanks = ranks_();
    result.importer = Teuchos::rcp(new import_type(
        domain_.map, result.map, remoteRanks,
        Teuchos::ArrayView<const LO>(exports_.lids.data(), exports_.lids.size()),
        Teuchos::ArrayView<const int>(exports_.ranks.data(), exports_.ranks.size())));
    return result;
  }

 private:
  const MapNumbering<LO, GO, NO>& domain_;
  long long allRemotes_ = 0;  // of all ranks
  std::vector<GO> gids_;      // of this rank's columns, owned and remote
  std::vector<int> order_;
  ColumnExports<LO> exports_;
  Teuchos::Array<int> ranks_;  // that own the remote columns
};

}  // namespace Trident::Impl

#endif
