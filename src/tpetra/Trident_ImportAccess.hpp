// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IMPORTACCESS_HPP
#define TRIDENT_IMPORTACCESS_HPP

// Tpetra's protected members may change in any release. So CMake tries to compile this header
// (cmake/TridentTpetraAccess.cmake). If that fails, Trident calls Tpetra's constructor
// (Trident_ColumnMap.hpp). The header includes nothing of Trident's.
#include <Teuchos_Array.hpp>
#include <Teuchos_ArrayView.hpp>
#include <Teuchos_DefaultSerialComm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Distributor.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_ImportExportData.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace Trident::Impl {

/// A maker of an Import from known lists. Uses protected members of Tpetra::Import, because
/// Tpetra's constructors find lists again, index by index on the host. The target Map must begin
/// with the source Map's indices, in their order. Then come other ranks' indices, by rank. Local.
template <class LO, class GO, class NO>
class ImportAccess {
 public:
  using import_type = Tpetra::Import<LO, GO, NO>;
  using map_type = Tpetra::Map<LO, GO, NO>;
  using data_type = Tpetra::ImportExportData<LO, GO, NO>;
  using device_list = typename decltype(data_type::exportLIDs_)::t_dev;
  using HostList = Kokkos::View<LO*, Kokkos::HostSpace>;
  static constexpr bool onHosts =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename device_list::memory_space>::accessible;
  /// Pairs of a rank and the number of indices received from, or sent to, that rank. Ranks ascend.
  using Counts = std::vector<std::pair<int, std::size_t>>;

  /// Takes memory on the host, without writing to it yet.
  /// @param owned number of the source Map's indices
  ImportAccess(const Teuchos::RCP<const Teuchos::Comm<int>>& comm, std::size_t owned,
               const Counts& remotes, const Counts& exports)
      : owned_(owned),
        remotes_(remotes),
        exports_(exports),
        remoteLids_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::remoteLids"),
                    sum(remotes)),
        distributor_(comm) {}

  /// Returns true if another thread may run fill(). In this case fill() does not communicate, and
  /// counts no references.
  bool fillsAlone() const {
#if defined(TEUCHOS_DEBUG) || defined(HAVE_TEUCHOS_ARRAY_BOUNDSCHECK) || \
    defined(HAVE_TPETRA_CORE_MPI_ADVANCE) || defined(HAVE_TPETRACORE_MPI_ADVANCE)
    return false;
#else
    const auto how = distributor_.getPlan().getSendType();
    return how == Tpetra::Details::DISTRIBUTOR_SEND || how == Tpetra::Details::DISTRIBUTOR_ISEND;
#endif
  }
  /// Fills the lists on the host. Takes most of the time of making an Import, because the system
  /// provides new memory, and Tpetra loops over all indices.
  void fill() {
    std::vector<int> remoteRanks(remoteLids_.extent(0));
    listRanks(remotes_, remoteRanks.data());
    exportRanks_.resize(sum(exports_));
    listRanks(exports_, exportRanks_.getRawPtr());
    std::iota(remoteLids_.data(), remoteLids_.data() + remoteLids_.extent(0),
              static_cast<LO>(owned_));
    distributor_.createFromSendsAndRecvs(
        Teuchos::ArrayView<const int>(exportRanks_.getRawPtr(), exportRanks_.size()),
        Teuchos::ArrayView<const int>(remoteRanks.data(), remoteRanks.size()));
  }

  /// Makes the Import. May be called once, after fill().
  /// @param exports local indices to send, grouped by receiving rank. In a group they have the
  ///       order of the receiver's target Map. The Import keeps the list
  /// @param lids list on the device: room for the remote indices, then the exports. This function
  ///       fills the room. The Import keeps the list. Ignored on hosts
  Teuchos::RCP<const import_type> make(const Teuchos::RCP<const map_type>& source,
                                       const Teuchos::RCP<const map_type>& target,
                                       const HostList& exports, const device_list& lids) {
    const auto data = Teuchos::rcp(new data_type(source, target));
    data->numSameIDs_ = owned_;
    data->remoteLIDs_ = {remotesOnDevice(lids), onHost(remoteLids_)};
    data->exportLIDs_ = {exportsOnDevice(lids, exports), onHost(exports)};
    data->exportPIDs_.swap(exportRanks_);
    data->isLocallyComplete_ = true;
    data->distributor_.swap(distributor_);

    // Makes an empty Import, because other constructors make searches. Then replaces its data.
    const auto serial = Teuchos::rcp(new Teuchos::SerialComm<int>());
    const auto none = Teuchos::rcp(new map_type(0, 0, 0, serial));
    const auto importer = Teuchos::rcp(new import_type(none, none));
    Open::dataOf(*importer) = data;
    importer->detectRemoteExportLIDsContiguous();
    return importer;
  }
  /// Makes the Import from exports that are on the host only.
  Teuchos::RCP<const import_type> make(const Teuchos::RCP<const map_type>& source,
                                       const Teuchos::RCP<const map_type>& target,
                                       const HostList& exports) {
    if constexpr (onHosts) return make(source, target, exports, exports);
    const std::size_t remotes = remoteLids_.extent(0);
    const device_list lids(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::importLids"),
                           remotes + exports.extent(0));
    Kokkos::deep_copy(Kokkos::subview(lids, std::make_pair(remotes, lids.extent(0))), exports);
    return make(source, target, exports, lids);
  }

  // Public, because CUDA forbids private functors in kernels.

  struct CountUp {
    device_list list;
    LO first;
    KOKKOS_INLINE_FUNCTION void operator()(std::size_t l) const {
      list(l) = first + static_cast<LO>(l);
    }
  };

 private:
  struct Open : import_type {
    static auto& dataOf(import_type& importer) { return importer.*(&Open::TransferData_); }
  };

  static std::size_t sum(const Counts& counts) {
    std::size_t all = 0;
    for (const auto& of : counts) all += of.second;
    return all;
  }
  static void listRanks(const Counts& counts, int* ranks) {
    for (const auto& of : counts) ranks = std::fill_n(ranks, of.second, of.first);
  }
  /// Writes first, first + 1, ... to a list on the device. Returns the list.
  static device_list countedUp(LO first, const device_list& list) {
    using Space = typename device_list::execution_space;
    Kokkos::parallel_for("Trident::remoteLids", Kokkos::RangePolicy<Space>(0, list.extent(0)),
                         CountUp{list, first});
    Space().fence();
    return list;
  }
  /// Writes the remote indices to the device, and returns them. On hosts returns remoteLids_.
  device_list remotesOnDevice(const device_list& lids) const {
    const std::size_t count = remoteLids_.extent(0);
    if constexpr (onHosts)
      return remoteLids_;
    else
      return countedUp(static_cast<LO>(owned_),
                       Kokkos::subview(lids, std::make_pair(std::size_t(0), count)));
  }
  /// Returns the exports in `lids` on the device, or `exports` on hosts.
  device_list exportsOnDevice([[maybe_unused]] const device_list& lids,
                              [[maybe_unused]] const HostList& exports) const {
    if constexpr (onHosts)
      return exports;
    else
      return Kokkos::subview(lids, std::make_pair(remoteLids_.extent(0), lids.extent(0)));
  }
  static auto onHost(const HostList& list) {
    using HostSide = typename decltype(data_type::exportLIDs_)::t_host;
    return Kokkos::create_mirror_view_and_copy(typename HostSide::memory_space(), list);
  }

  std::size_t owned_;
  Counts remotes_, exports_;
  HostList remoteLids_;
  Teuchos::Array<int> exportRanks_;
  Tpetra::Distributor distributor_;
};

}  // namespace Trident::Impl

#endif
