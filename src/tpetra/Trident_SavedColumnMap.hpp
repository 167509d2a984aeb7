// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAVEDCOLUMNMAP_HPP
#define TRIDENT_SAVEDCOLUMNMAP_HPP

#include <Teuchos_ArrayView.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_ColumnMap.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Lists from which a column Map and its Import can be made again. Holds no Map, because a Map
/// would keep a communicator of the program alive.
template <class LO, class GO, class NO>
class SavedColumnMap {
  using map_type = Tpetra::Map<LO, GO, NO>;
  using import_type = Tpetra::Import<LO, GO, NO>;
  using HostList = Kokkos::View<LO*, Kokkos::HostSpace>;
  using Counts = std::vector<std::pair<int, std::size_t>>;

 public:
  SavedColumnMap() = default;
  /// Keeps the lists of a column Map and its Import. Local.
  explicit SavedColumnMap(const ColumnMap<LO, GO, NO>& columns) {
    if (columns.importer.is_null()) return;
    hasImport_ = true;
    const map_type& map = *columns.map;
    count_ = map.getGlobalNumElements();
    base_ = map.getIndexBase();
    const auto gids = localGids(map);
    gids_.assign(gids.begin(), gids.end());
    const import_type& importer = *columns.importer;
    owned_ = importer.getNumSameIDs();
    const auto& distributor = importer.getDistributor();
    remotes_ = pairs(distributor.getProcsFrom(), distributor.getLengthsFrom());
    exports_ = pairs(distributor.getProcsTo(), distributor.getLengthsTo());
    const auto lids = importer.getExportLIDs();
    exportLids_.assign(lids.begin(), lids.end());
  }

  /// Makes the Map and the Import again. `domain` must be the same as the domain Map of the saved
  /// column Map. Collective; a failed rank must call this function, too.
  ColumnMap<LO, GO, NO> make(const Teuchos::RCP<const map_type>& domain,
                             LocalFailure& failure) const {
    if (!hasImport_) return {domain, Teuchos::null};
    ColumnMap<LO, GO, NO> columns;
    columns.map = Teuchos::rcp(new map_type(
        count_, Teuchos::ArrayView<const GO>(gids_.data(), static_cast<long>(gids_.size())), base_,
        domain->getComm()));
    failure.guard([&] { columns.importer = makeImport(domain, columns.map); });
    return columns;
  }

 private:
  template <class Ranks, class Lengths>
  static Counts pairs(const Ranks& ranks, const Lengths& lengths) {
    Counts counts;
    for (decltype(ranks.size()) r = 0; r < ranks.size(); ++r)
      counts.push_back({ranks[r], static_cast<std::size_t>(lengths[r])});
    return counts;
  }

#if TRIDENT_HAVE_IMPORT_ACCESS
  Teuchos::RCP<const import_type> makeImport(const Teuchos::RCP<const map_type>& domain,
                                             const Teuchos::RCP<const map_type>& map) const {
    ImportAccess<LO, GO, NO> access(domain->getComm(), owned_, remotes_, exports_);
    access.fill();
    HostList lids(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::exportLids"),
                  exportLids_.size());
    for (std::size_t l = 0; l < exportLids_.size(); ++l) lids(l) = exportLids_[l];
    return access.make(domain, map, lids);
  }
#else
  Teuchos::RCP<const import_type> makeImport(const Teuchos::RCP<const map_type>& domain,
                                             const Teuchos::RCP<const map_type>& map) const {
    return importOf(
        domain, map, remotes_, exports_,
        Teuchos::ArrayView<const LO>(exportLids_.data(), static_cast<long>(exportLids_.size())));
  }
#endif

  bool hasImport_ = false;  // false if the column Map is the domain Map
  Tpetra::global_size_t count_ = 0;
  GO base_ = 0;
  std::vector<GO> gids_;  // global indices of this rank, owned ones first
  std::size_t owned_ = 0;
  Counts remotes_, exports_;
  std::vector<LO> exportLids_;
};

}  // namespace Trident::Impl

#endif
