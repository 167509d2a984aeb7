// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNMAP_HPP
#define TRIDENT_COLUMNMAP_HPP

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "Trident_AllToAll.hpp"
#include "Trident_MapNumbering.hpp"

namespace Trident {

/// The column Map of a result and the Import that fills it.
template <class LO, class GO, class NO>
struct ColumnMap {
  Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> map;
  Teuchos::RCP<const Tpetra::Import<LO, GO, NO>> importer;  ///< null where map is the domain Map
  /// Place, after the owned columns, of each remote column that was asked for; empty where they
  /// keep their order.
  std::vector<int> order;
};

namespace Impl {

/// Questions for remote columns, by the grid rank that owns them.
template <class LO, class GO, class NO>
std::vector<long long> countByOwner(const std::vector<Position>& remotes,
                                    const MapNumbering<LO, GO, NO>& domain,
                                    std::vector<int>& lids) {
  std::vector<long long> counts(domain.rankBegin.size() - 1, 0);
  lids.resize(remotes.size());
  int owner = 0;
  for (std::size_t c = 0; c < remotes.size(); ++c) {  // ascending, so owners ascend
    while (remotes[c] >= domain.rankBegin[owner + 1]) ++owner;
    lids[c] = static_cast<int>(remotes[c] - domain.rankBegin[owner]);
    ++counts[owner];
  }
  return counts;
}

/// What this rank will export: the local indices that others asked for, by asking rank of the
/// communicator and there by global index, which is how the askers order theirs.
template <class LO, class GO>
void orderExports(const std::vector<int>& asked, const std::vector<GO>& gids,
                  const std::vector<long long>& offsets, const NodeLayout& layout,
                  std::vector<LO>& exportLids, std::vector<int>& exportRanks) {
  for (std::size_t r = 0; r < layout.gridRank.size(); ++r) {
    const int g = layout.gridRank[r];
    std::vector<std::pair<GO, LO>> wanted;
    for (long long q = offsets[g]; q < offsets[g + 1]; ++q) wanted.push_back({gids[q], asked[q]});
    std::sort(wanted.begin(), wanted.end());
    for (const auto& index : wanted) {
      exportLids.push_back(index.second);
      exportRanks.push_back(static_cast<int>(r));
    }
  }
}

}  // namespace Impl

/// Builds the column Map: owned domain indices first, then the remote ones grouped by owning rank,
/// global indices ascending (what Tpetra makes and MueLu relies on). Owners are known, so neither
/// the Map's directory nor the Import asks around: each owner is asked once for its global indices,
/// and learns so what it will export. Collective over the grid.
/// @param remotes numbers of the remote columns, ascending
template <class LO, class GO, class NO>
ColumnMap<LO, GO, NO> makeColumnMap(const ProcessGrid& grid, const MapNumbering<LO, GO, NO>& domain,
                                    const std::vector<Position>& remotes, std::size_t messageBytes,
                                    Traffic& traffic) {
  using map_type = Tpetra::Map<LO, GO, NO>;
  using import_type = Tpetra::Import<LO, GO, NO>;
  const NodeLayout& layout = grid.layout();
  ColumnMap<LO, GO, NO> result;

  int anyRemote = !remotes.empty();
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &anyRemote, 1, MPI_INT, MPI_MAX, grid.comm()));
  if (!anyRemote) {
    result.map = domain.map;
    return result;
  }

  std::vector<int> lids;
  const AllToAll questions(grid, Impl::countByOwner(remotes, domain, lids), messageBytes);
  std::vector<int> asked(questions.receives());
  questions.exchange(lids.data(), asked.data(), sizeof(int), traffic);
  const auto ownGids = localGids(*domain.map);
  std::vector<GO> answers(asked.size()), gids(remotes.size());
  for (std::size_t q = 0; q < asked.size(); ++q) answers[q] = ownGids[asked[q]];
  questions.exchangeBack(answers.data(), gids.data(), sizeof(GO), traffic);

  std::vector<int> ranks(remotes.size());
  for (std::size_t g = 0; g + 1 < questions.sendOffsets().size(); ++g)
    std::fill(ranks.begin() + questions.sendOffsets()[g],
              ranks.begin() + questions.sendOffsets()[g + 1], layout.commRank[g]);
  std::vector<int> sorted(remotes.size());  // place -> question
  std::iota(sorted.begin(), sorted.end(), 0);
  const auto before = [&](int a, int b) {
    return std::make_pair(ranks[a], gids[a]) < std::make_pair(ranks[b], gids[b]);
  };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before)) {
    std::sort(sorted.begin(), sorted.end(), before);
    result.order.resize(sorted.size());
    for (std::size_t place = 0; place < sorted.size(); ++place)
      result.order[sorted[place]] = static_cast<int>(place);
  }

  Teuchos::Array<GO> columnGids(ownGids.begin(), ownGids.end());
  Teuchos::Array<int> remoteRanks;
  for (int question : sorted) {
    columnGids.push_back(gids[question]);
    remoteRanks.push_back(ranks[question]);
  }
  std::vector<LO> exportLids;
  std::vector<int> exportRanks;
  Impl::orderExports(asked, answers, questions.receiveOffsets(), layout, exportLids, exportRanks);
  result.map =
      Teuchos::rcp(new map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                columnGids(), domain.map->getIndexBase(), domain.map->getComm()));
  const Teuchos::ArrayView<int> remoteRanksView = remoteRanks();
  result.importer = Teuchos::rcp(
      new import_type(domain.map, result.map, remoteRanksView,
                      Teuchos::ArrayView<const LO>(exportLids.data(), exportLids.size()),
                      Teuchos::ArrayView<const int>(exportRanks.data(), exportRanks.size())));
  return result;
}

}  // namespace Trident

#endif
