// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IMPORTACCESS_HPP
#define TRIDENT_IMPORTACCESS_HPP

// What Tpetra protects is no promise, and may be gone in any release. So the configuration compiles
// this header (cmake/TridentTpetraAccess.cmake); where that fails, Trident calls Tpetra's
// constructor (Trident_ColumnMap.hpp). It includes nothing of Trident's.
#include <Teuchos_Array.hpp>
#include <Teuchos_DefaultSerialComm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_ImportExportData.hpp>
#include <numeric>

namespace Trident::Impl {

/// Makes an Import of lists that are known, by what Tpetra::Import protects. Tpetra's constructors
/// find a part of them out, global index by global index on the host. Local.
template <class LO, class GO, class NO>
struct ImportAccess {
  using import_type = Tpetra::Import<LO, GO, NO>;
  using map_type = Tpetra::Map<LO, GO, NO>;

  /// @param target has the indices of `source` first, in their order, and behind them those of other
  ///   ranks, by rank
  /// @param owned how many these first ones are: all of `source`
  /// @param remoteRanks that own the others
  /// @param exportRanks to which the indices in `exports` go; they ascend. Its contents are taken
  /// @param exports local indices by rank, and for each rank in the order in which it has them in
  ///   its target; a View on the host, which is kept
  template <class HostList>
  static Teuchos::RCP<const import_type> make(const Teuchos::RCP<const map_type>& source,
                                              const Teuchos::RCP<const map_type>& target,
                                              std::size_t owned,
                                              const Teuchos::Array<int>& remoteRanks,
                                              Teuchos::Array<int>& exportRanks,
                                              const HostList& exports) {
    const auto data = Teuchos::rcp(new data_type(source, target));
    data->numSameIDs_ = owned;
    data->remoteLIDs_ = followingLids(static_cast<LO>(owned), remoteRanks.size());
    data->exportLIDs_ = onBothSides(exports);
    data->exportPIDs_.swap(exportRanks);
    data->isLocallyComplete_ = true;
    data->distributor_.createFromSendsAndRecvs(data->exportPIDs_(), remoteRanks());

    // There is no constructor that finds nothing out but that of an Import of nothing.
    const auto serial = Teuchos::rcp(new Teuchos::SerialComm<int>());
    const auto none = Teuchos::rcp(new map_type(0, 0, 0, serial));
    const auto importer = Teuchos::rcp(new import_type(none, none));
    Open::dataOf(*importer) = data;
    importer->detectRemoteExportLIDsContiguous();
    return importer;
  }

  // Not private, as CUDA wants it of kernels.

  using data_type = Tpetra::ImportExportData<LO, GO, NO>;
  using list_type = decltype(data_type::exportLIDs_);
  struct CountUp {
    typename list_type::t_dev list;
    LO first;
    KOKKOS_INLINE_FUNCTION void operator()(std::size_t l) const {
      list(l) = first + static_cast<LO>(l);
    }
  };

 private:
  struct Open : import_type {
    static auto& dataOf(import_type& importer) { return importer.*(&Open::TransferData_); }
  };

  /// The list of `count` local indices from `first` on.
  static list_type followingLids(LO first, std::size_t count) {
    const list_type lids(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::remoteLids"),
                         count);
    const typename list_type::t_dev onDevice = lids.view_device();
    const typename list_type::t_host onHost = lids.view_host();
    using Space = typename list_type::t_dev::execution_space;
    Kokkos::parallel_for("Trident::remoteLids", Kokkos::RangePolicy<Space>(0, count),
                         CountUp{onDevice, first});
    std::iota(onHost.data(), onHost.data() + count, first);
    Space().fence();
    return lids;
  }
  /// A list that is as new on the host as on the device.
  template <class HostList>
  static list_type onBothSides(const HostList& list) {
    return {Kokkos::create_mirror_view_and_copy(typename list_type::t_dev::memory_space(), list),
            Kokkos::create_mirror_view_and_copy(typename list_type::t_host::memory_space(), list)};
  }
};

}  // namespace Trident::Impl

#endif
