// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GLOBALNUMBERING_HPP
#define TRIDENT_GLOBALNUMBERING_HPP

#include <Tpetra_CrsGraph_decl.hpp>
#include <Tpetra_Distributor.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Traffic.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_NodeLayout.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Numbers of a one-to-one Map's global indices: 0, 1, ..., in the order of grid ranks, and on a
/// rank in the order of local indices. Rows and columns of all matrices of a call are matched by
/// these numbers. Code that does not know Tpetra sees only the base, Numbering.
template <class LO, class GO, class NO>
struct GlobalNumbering : Numbering {
  Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> map;
  /// First global index of each grid rank; empty if indices are not consecutive.
  std::vector<GO> firstGid;

  class Finder;
};

/// A functor for kernels that returns a global index's number. The numbering must be consecutive.
/// Takes O(P) device memory.
template <class LO, class GO, class NO>
class GlobalNumbering<LO, GO, NO>::Finder {
 public:
  explicit Finder(const GlobalNumbering& numbering) {
    std::vector<int> ranks;  // ranks with indices, sorted by first index
    for (int g = 0; g < numbering.ranks(); ++g)
      if (numbering.rankBegin[g + 1] > numbering.rankBegin[g]) ranks.push_back(g);
    std::sort(ranks.begin(), ranks.end(),
              [&](int a, int b) { return numbering.firstGid[a] < numbering.firstGid[b]; });
    std::vector<RankIndices> all;
    for (int g : ranks)
      all.push_back({numbering.firstGid[g], numbering.rankBegin[g],
                     numbering.rankBegin[g + 1] - numbering.rankBegin[g]});
    if (!numbering.firstGid.empty()) {
      ownFirst_ = numbering.firstGid[numbering.me];
      ownBegin_ = numbering.begin();
      ownCount_ = numbering.end() - numbering.begin();
    }
    ranks_ = toDevice<RankIndices, typename NO::device_type>(all);
  }

  /// Returns the number of a global index; -1 if no rank has the index.
  KOKKOS_INLINE_FUNCTION Position operator()(GO gid) const {
    if (gid >= ownFirst_ && static_cast<Position>(gid - ownFirst_) < ownCount_)  // usual case
      return ownBegin_ + static_cast<Position>(gid - ownFirst_);
    long long low = 0, high = ranks_.extent(0);
    if (high == 0 || gid < ranks_(0).gid) return -1;
    while (high - low > 1) {
      const long long middle = (low + high) / 2;
      (ranks_(middle).gid <= gid ? low : high) = middle;
    }
    const Position beyond = static_cast<Position>(gid - ranks_(low).gid);
    return beyond < ranks_(low).count ? ranks_(low).number + beyond : -1;
  }

  /// Indices of a rank: the first global index, its number, and the count of indices.
  struct RankIndices {
    GO gid;
    Position number, count;
  };

 private:
  GO ownFirst_ = 0;
  Position ownBegin_ = 0, ownCount_ = 0;
  Kokkos::View<RankIndices*, typename NO::device_type> ranks_;  // ranks with indices, by gid
};

/// Returns true if this rank's global indices are consecutive and ascend. Local.
template <class Map>
bool consecutiveHere(const Map& map) {
  if (map.isContiguous()) return true;
  const auto gids = localGids(map);
  for (long long l = 1; l < static_cast<long long>(gids.size()); ++l)
    if (gids[l] != gids[l - 1] + 1) return false;
  return true;
}

/// A rank's message about its indices of a Map. Short, because each rank gets it from all ranks.
struct OwnIndices {
  long long first;  ///< first global index
  int size;         ///< number of indices
  short follow;     ///< true if indices are consecutive
  short failed;     ///< true if the rank failed to compute `follow`
};

/// Returns the place of a Map in a list; the list's length if the list lacks the Map. Collective
/// over the Map's communicator.
template <class MapPtr>
std::size_t findMap(const MapPtr& map, const std::vector<MapPtr>& maps) {
  std::size_t n = 0;
  while (n < maps.size() && !map->isSameAs(*maps[n])) ++n;
  return n;
}

/// Returns the place of a Map in a list of distinct Maps. Adds the Map if it is new. Collective.
template <class MapPtr>
std::size_t findOrAddMap(const MapPtr& map, std::vector<MapPtr>& distinct) {
  const std::size_t n = findMap(map, distinct);
  if (n == distinct.size()) distinct.push_back(map);
  return n;
}

/// Numbers the indices of several Maps, by one gather. Collective over `comm`, the communicator of
/// `layout`. Throws Trident::Error on every rank if a rank lacks memory for its global indices.
/// @param own this rank's value for each Map, which all ranks get; null on all ranks or on none
/// @param[out] ofRanks for each Map, the values of all grid ranks; null if `own` is null
template <class LO, class GO, class NO>
std::vector<std::shared_ptr<const GlobalNumbering<LO, GO, NO>>> numberMaps(
    const std::vector<Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>>& maps, MPI_Comm comm,
    const NodeLayout& layout, const std::vector<long long>* own = nullptr,
    std::vector<std::vector<long long>>* ofRanks = nullptr) {
  static_assert(std::is_same<LO, int>::value, "a rank has so many indices at most");
  const int P = static_cast<int>(layout.commRank.size());
  const std::size_t count = maps.size();
  LocalFailure failure;
  constexpr std::size_t facts = sizeof(OwnIndices) / sizeof(long long);
  const std::size_t each = own ? facts + 1 : facts;  // length of a message about one Map
  std::vector<long long> mine(count * each), all(count * each * static_cast<std::size_t>(P));
  for (std::size_t n = 0; n < count; ++n) {
    const auto& map = maps[n];
    const int size = static_cast<int>(localSize(*map));  // fits, as local indices are int
    bool follow = false;
    failure.guard([&] { follow = consecutiveHere(*map); });
    const OwnIndices indices{size > 0 ? static_cast<long long>(map->getMinGlobalIndex()) : 0, size,
                             follow, failure.failed()};
    std::memcpy(mine.data() + n * each, &indices, sizeof indices);
    if (own) mine[n * each + facts] = (*own)[n];
  }
  static_assert(sizeof(OwnIndices) == facts * sizeof(long long), "travels as numbers");
  allGather(mine.data(), static_cast<int>(each * count), MPI_LONG_LONG, all.data(), comm,
            "how many indices all ranks own");
  if (own) ofRanks->assign(count, {});
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<std::shared_ptr<const GlobalNumbering<LO, GO, NO>>> numberings;
  bool failed = false;
  for (std::size_t n = 0; n < count; ++n) {
    GlobalNumbering<LO, GO, NO> numbering;
    numbering.map = maps[n];
    numbering.me = layout.gridRank[rank];
    numbering.rankBegin.assign(P + 1, 0);
    numbering.firstGid.reserve(P);
    numbering.consecutive = true;
    for (int g = 0; g < P; ++g) {
      const long long* const numbers =
          all.data() + (count * static_cast<std::size_t>(layout.commRank[g]) + n) * each;
      OwnIndices of;
      std::memcpy(&of, numbers, sizeof of);
      if (own) (*ofRanks)[n].push_back(numbers[facts]);
      numbering.rankBegin[g + 1] = numbering.rankBegin[g] + of.size;
      numbering.firstGid.push_back(static_cast<GO>(of.first));
      numbering.consecutive = numbering.consecutive && of.follow;
      failed = failed || of.failed;
    }
    if (!numbering.consecutive) numbering.firstGid.clear();
    numberings.push_back(std::make_shared<const GlobalNumbering<LO, GO, NO>>(std::move(numbering)));
  }
  if (failed) throwEverywhere(comm, failure.text());
  return numberings;
}

/// Words of a message about an index that a Map lacks.
struct MissingIndexMessage {
  std::string index = "A has a column";
  std::string map = "B's row Map";
  std::string remedy = "B must have a row for every column of A";

  /// Returns the message for a global index that no rank owns in the Map.
  std::string missing(long long gid) const {
    return index + " with global index " + std::to_string(gid) + ", which no rank owns in " + map +
           "; " + remedy;
  }
};

/// Adds `bytes` to `traffic` for each remote index of an Import.
template <class Import>
void countImport(const Import& importer, const NodeLayout& layout, int me, std::size_t bytes,
                 Traffic& traffic) {
  const auto& distributor = importer.getDistributor();
  const auto from = distributor.getProcsFrom();
  const auto lengths = distributor.getLengthsFrom();
  for (int p = 0; p < static_cast<int>(from.size()); ++p) {
    const int peer = layout.gridRank[from[p]];
    if (peer != me) traffic.count(!layout.sameNode(peer, me), lengths[p] * bytes);
  }
}

/// Returns the number of each index of a Map, computed from the global index; -1 if the numbered
/// Map lacks the index. Local.
template <class LO, class GO, class NO>
Kokkos::View<Position*, typename NO::device_type> computeNumbers(
    const Tpetra::Map<LO, GO, NO>& map, const GlobalNumbering<LO, GO, NO>& numbering) {
  using Device = typename NO::device_type;
  const auto columns = map.getLocalMap();
  const typename GlobalNumbering<LO, GO, NO>::Finder numberOf(numbering);
  const auto numbers = scratch<Position, Device>("Trident::columnNumbers", localSize(map));
  Kokkos::parallel_for(
      "Trident::columnNumbers", Range<Device>(0, numbers.extent(0)), TRIDENT_LAMBDA(long long l) {
        numbers(l) = numberOf(columns.getGlobalElement(static_cast<LO>(l)));
      });
  return numbers;
}

/// Returns a message about the first index of a Map whose number is -1; "" if there is none. Local.
template <class Map, class Numbers>
std::string problemOfMissing(const Map& map, const Numbers& numbers,
                             const MissingIndexMessage& lookup) {
  const long long missing = firstNegative(numbers);
  if (missing >= static_cast<long long>(numbers.extent(0))) return "";
  return lookup.missing(
      map.getGlobalElement(static_cast<typename Map::local_ordinal_type>(missing)));
}

/// Throws if `numbers` has a -1, which marks an index that the numbered Map lacks. Local.
template <class Map, class Numbers>
void requireNoneMissing(const Map& map, const Numbers& numbers, const MissingIndexMessage& lookup) {
  const std::string problem = problemOfMissing(map, numbers, lookup);
  if (!problem.empty()) throw Error(problem);
}

/// Returns the number of each index of a Map, computed from the global index. The numbering must be
/// consecutive. Local.
/// @param failure is set if `map` has an index that the numbering's own Map lacks
template <class LO, class GO, class NO>
Kokkos::View<Position*, typename NO::device_type> numbersByArithmetic(
    const Tpetra::Map<LO, GO, NO>& map, const GlobalNumbering<LO, GO, NO>& numbering,
    const MissingIndexMessage& lookup, LocalFailure& failure) {
  Kokkos::View<Position*, typename NO::device_type> numbers;
  failure.guard([&] {
    numbers = computeNumbers(map, numbering);
    requireNoneMissing(map, numbers, lookup);
  });
  return numbers;
}

/// A Vector of numbers. GO can hold each number, because numbers are below the size of a Map, and
/// GO can count the indices of a Map.
template <class LO, class GO, class NO>
using NumberVector = Tpetra::Vector<GO, LO, GO, NO>;

/// Sets the numbers begin, begin + 1, ... Local.
template <class LO, class GO, class NO>
void setNumbers(NumberVector<LO, GO, NO>& numbers, Position begin) {
  const auto view = numbers.getLocalViewDevice(Tpetra::Access::OverwriteAll);
  Kokkos::parallel_for(
      "Trident::ownNumbers", Range<typename NO::device_type>(0, view.extent(0)),
      TRIDENT_LAMBDA(long long l) { view(l, 0) = static_cast<GO>(begin + l); });
}

/// Copies numbers from a Vector, and replaces `nobody` by -1. Local.
template <class LO, class GO, class NO>
void takeNumbers(const NumberVector<LO, GO, NO>& vector, GO nobody,
                 const Kokkos::View<Position*, typename NO::device_type>& numbers) {
  const auto view = vector.getLocalViewDevice(Tpetra::Access::ReadOnly);
  Kokkos::parallel_for(
      "Trident::columnNumbers", Range<typename NO::device_type>(0, view.extent(0)),
      TRIDENT_LAMBDA(long long l) {
        numbers(l) = view(l, 0) == nobody ? Position(-1) : static_cast<Position>(view(l, 0));
      });
}

/// Returns the number of each column of a graph, by Tpetra's doImport() with the graph's importer.
/// Collective. Throws on every rank, before doImport(), if a rank has failed or lacks memory.
template <class LO, class GO, class NO>
Kokkos::View<Position*, typename NO::device_type> numbersByImporter(
    const Tpetra::CrsGraph<LO, GO, NO>& graph, const GlobalNumbering<LO, GO, NO>& numbering,
    const NodeLayout& layout, MPI_Comm comm, Traffic& traffic, const MissingIndexMessage& lookup,
    LocalFailure& failure) {
  using Device = typename NO::device_type;
  // An Import writes nothing for an index that no rank owns. So `nobody` stays there.
  constexpr GO nobody = static_cast<GO>(-1);
  std::optional<NumberVector<LO, GO, NO>> owned, needed;
  Kokkos::View<Position*, Device> numbers;
  failure.guard([&] {
    owned.emplace(numbering.map);
    setNumbers<LO, GO, NO>(*owned, numbering.begin());
    needed.emplace(graph.getColMap());
    needed->putScalar(nobody);
    numbers = scratch<Position, Device>("Trident::columnNumbers", localSize(*graph.getColMap()));
  });
  throwEverywhere(comm, failure.text());
  const auto importer = graph.getImporter();
  if (importer.is_null()) {
    // The column Map is the domain Map.
    Tpetra::deep_copy(*needed, *owned);
  } else {
    needed->doImport(*owned, *importer, Tpetra::REPLACE);
    countImport(*importer, layout, numbering.me, sizeof(GO), traffic);
  }
  failure.guard([&] {
    takeNumbers<LO, GO, NO>(*needed, nobody, numbers);
    requireNoneMissing(*graph.getColMap(), numbers, lookup);
  });
  return numbers;
}

/// Returns the number of each index of a Map, from the numbered Map's directory. Collective.
template <class LO, class GO, class NO>
Kokkos::View<Position*, typename NO::device_type> numbersByDirectory(
    const Tpetra::Map<LO, GO, NO>& map, const GlobalNumbering<LO, GO, NO>& numbering,
    const NodeLayout& layout, const MissingIndexMessage& lookup, LocalFailure& failure) {
  using Device = typename NO::device_type;
  Kokkos::View<Position*, Device> numbers;
  Kokkos::View<Position*, Kokkos::HostSpace> host;
  Teuchos::ArrayView<const GO> gids;
  Teuchos::Array<int> ranks;
  Teuchos::Array<LO> lids;
  failure.guard([&] {
    numbers = scratch<Position, Device>("Trident::columnNumbers", localSize(map));
    host = uninitialized<Position, Kokkos::HostSpace>("Trident::columnNumbers", localSize(map));
    ranks.resize(localSize(map));
    lids.resize(localSize(map));
    gids = localGids(map);
  });
  // A rank that lacks memory asks for no index, but still answers other ranks.
  ranks.resize(gids.size());
  lids.resize(gids.size());
  numbering.map->getRemoteIndexList(gids, ranks(), lids());
  failure.guard([&] {
    for (long long l = 0; l < static_cast<long long>(gids.size()); ++l) {
      if (ranks[l] < 0) throw Error(lookup.missing(gids[l]));
      host(l) = numbering.rankBegin[layout.gridRank[ranks[l]]] + lids[l];
    }
    Kokkos::deep_copy(numbers, host);
  });
  return numbers;
}

/// Returns true if the grid has one rank, and a Map is the same as the numbered one. Returns
/// false, too, if comparing the Maps on the host would take longer than finding the numbers.
template <class LO, class GO, class NO>
bool isSameOnOneRank(const Tpetra::Map<LO, GO, NO>& map,
                     const GlobalNumbering<LO, GO, NO>& numbering, LocalFailure& failure) {
  const auto& numbered = *numbering.map;
  if (numbering.ranks() > 1) return false;
  if (&map == &numbered) return true;
  const bool quick =
      isHost<typename NO::device_type> || (map.isContiguous() && numbered.isContiguous());
  bool same = false;
  if (quick) failure.guard([&] { same = map.isSameAs(numbered); });
  return same;
}

/// Returns the numbers of a Map's indices. If the grid has one rank and the Maps are the same, the
/// numbers are the local indices. Else calls ask(), and returns its result. Collective, as
/// ask() is.
template <class LO, class GO, class NO, class Ask>
IndexNumbers<typename NO::device_type> identityOr(const Tpetra::Map<LO, GO, NO>& map,
                                                  const GlobalNumbering<LO, GO, NO>& numbering,
                                                  LocalFailure& failure, const Ask& ask) {
  if (isSameOnOneRank(map, numbering, failure)) return {0, numbering.size()};
  const auto numbers = ask();
  bool identity = false;
  if (numbering.ranks() == 1) failure.guard([&] { identity = isIdentity(numbers); });
  if (identity) return {0, static_cast<long long>(numbers.extent(0))};
  return IndexNumbers<typename NO::device_type>(numbers);
}

/// Returns the number, in `numbering`, of each index of a Map on this rank. Collective.
/// @param failure is set if `map` has an index that the numbering's own Map lacks
template <class LO, class GO, class NO>
IndexNumbers<typename NO::device_type> mapNumbers(const Tpetra::Map<LO, GO, NO>& map,
                                                  const GlobalNumbering<LO, GO, NO>& numbering,
                                                  const NodeLayout& layout,
                                                  const MissingIndexMessage& lookup,
                                                  LocalFailure& failure) {
  return identityOr(map, numbering, failure, [&] {
    return numbering.consecutive ? numbersByArithmetic(map, numbering, lookup, failure)
                                 : numbersByDirectory(map, numbering, layout, lookup, failure);
  });
}

/// Returns the number, in `numbering`, of each local column of a graph.
/// Collective. May throw Trident::Error on every rank, for example if a rank failed earlier.
/// @param failure also set if the numbered Map lacks a column
template <class LO, class GO, class NO>
IndexNumbers<typename NO::device_type> columnNumbers(const Tpetra::CrsGraph<LO, GO, NO>& graph,
                                                     const GlobalNumbering<LO, GO, NO>& numbering,
                                                     const NodeLayout& layout, MPI_Comm comm,
                                                     Traffic& traffic,
                                                     const MissingIndexMessage& lookup,
                                                     LocalFailure& failure) {
  const auto& columns = *graph.getColMap();
  if (numbering.consecutive || !graph.getDomainMap()->isSameAs(*numbering.map))
    return mapNumbers(columns, numbering, layout, lookup, failure);
  return identityOr(columns, numbering, failure, [&] {
    return numbersByImporter(graph, numbering, layout, comm, traffic, lookup, failure);
  });
}

}  // namespace Trident::Impl

#endif
