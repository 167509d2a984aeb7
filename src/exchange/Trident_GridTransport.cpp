// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_GridTransport.hpp"

#include "Trident_Error.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {

NodeGather& GridTransport::gather(const RoundOptions& options) {
  bool shared = options.gather == GatherKind::Shared;
  if (options.gather != GatherKind::Mpi && grid_.shape().lambda > 1) {
    const bool possible = everyNodeShares();
    if (shared && !possible)
      throw Error("Trident::Multiply",
                  "\"gather\" = \"shared\" needs every node's ranks on one host with MPI shared "
                  "windows; use \"auto\" or \"mpi\", or a smaller \"ranks per node\"");
    shared = possible;
  }
  auto& kept = gathers_[{shared, options.messageBytes}];
  if (!kept) {
    kept = shared ? makeSharedGather(grid_.nodeComm())
                  : makeMpiGather(grid_.nodeComm(), options.messageBytes);
    if (wrappers_.gather) kept = wrappers_.gather(std::move(kept));
  }
  return *kept;
}

bool GridTransport::everyNodeShares() {
  if (shares_ < 0) {
    const int here = canShareMemory(grid_.nodeComm()) ? 1 : 0;
    TRIDENT_MPI_CHECK(MPI_Allreduce(&here, &shares_, 1, MPI_INT, MPI_MIN, grid_.comm()));
  }
  return shares_ == 1;
}

}  // namespace Trident
