// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_LONESTART_HPP
#define TRIDENTCLUSTERING_LONESTART_HPP

namespace Trident {
namespace Clustering {

/// Returns whether a launcher of MPI has started this process: mpirun, srun or another. Local.
bool isLaunched();

/// Makes MPI start faster in a process that no launcher has started: settings of Open MPI for one
/// rank, which starts no daemon and opens no network. What the environment says already stays, and
/// other MPIs do not look at them. Call before MPI_Init(). Local.
void hastenLoneStart();

}  // namespace Clustering
}  // namespace Trident

#endif
