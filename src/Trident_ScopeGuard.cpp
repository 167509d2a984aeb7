// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ScopeGuard.hpp"

#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_Communicator.hpp"

namespace Trident {
namespace {

/// Returns true if the user chose devices by Kokkos' options or variables.
bool devicesAreChosen(int argc, char** argv) {
  for (const char* variable :
       {"KOKKOS_DEVICE_ID", "KOKKOS_NUM_DEVICES", "KOKKOS_RAND_DEVICES", "KOKKOS_SKIP_DEVICE",
        "KOKKOS_MAP_DEVICE_ID_BY", "KOKKOS_VISIBLE_DEVICES"})
    if (std::getenv(variable)) return true;
  for (int a = 1; a < argc; ++a)
    for (const char* option :
         {"--kokkos-device", "--kokkos-num-devices", "--kokkos-ndevices",
          "--kokkos-map-device-id-by", "--device", "--num-devices", "--ndevices"})
      if (std::strncmp(argv[a], option, std::strlen(option)) == 0) return true;
  return false;
}

/// Deals the devices of a host to its ranks in turn, because Kokkos before version 4 gives every
/// rank the first device. Collective over all ranks.
void dealDevices(int argc, char** argv) {
  const int rank = Impl::Communicator::ofHost(MPI_COMM_WORLD).rank();
  const int devices = Impl::deviceCount();
  if (devices > 1 && !devicesAreChosen(argc, argv))
    setenv("KOKKOS_DEVICE_ID", std::to_string(rank % devices).c_str(), 0);
}

}  // namespace

ScopeGuard::ScopeGuard(int* argc, char*** argv, int threadLevel) {
  int running = 0;
  TRIDENT_MPI_CHECK(MPI_Initialized(&running));
  if (!running) {
    int given = MPI_THREAD_SINGLE;
    TRIDENT_MPI_CHECK(MPI_Init_thread(argc, argv, threadLevel, &given));
    ownsMpi_ = true;
  }
  Impl::requireMpi();  // throws if MPI has ended
  ownsTpetra_ = !Tpetra::isInitialized();
  if (!ownsTpetra_) return;
  if (!Kokkos::is_initialized()) dealDevices(argc ? *argc : 0, argv ? *argv : nullptr);
  Tpetra::initialize(argc, argv);  // Tpetra will not end an MPI or a Kokkos that runs already
}

ScopeGuard::~ScopeGuard() {
  if (ownsTpetra_) Tpetra::finalize();  // also ends a Kokkos and an MPI that Tpetra began
  int ended = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&ended));
  if (ownsMpi_ && !ended) TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalize());
}

}  // namespace Trident
