// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ScopeGuard.hpp"

#include <Tpetra_Core.hpp>

#include "Trident_MpiCheck.hpp"

namespace Trident {

ScopeGuard::ScopeGuard(int* argc, char*** argv, int threadLevel) {
  int running = 0;
  TRIDENT_MPI_CHECK(MPI_Initialized(&running));
  if (!running) {
    int given = MPI_THREAD_SINGLE;
    TRIDENT_MPI_CHECK(MPI_Init_thread(argc, argv, threadLevel, &given));
    ownsMpi_ = true;
  }
  Tpetra::initialize(argc, argv);  // leaves an MPI that runs to whom it belongs
}

ScopeGuard::~ScopeGuard() {
  Tpetra::finalize();
  int ended = 0;
  TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalized(&ended));
  if (ownsMpi_ && !ended) TRIDENT_MPI_CHECK_NOTHROW(MPI_Finalize());
}

}  // namespace Trident
