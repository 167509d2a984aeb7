// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_RUN_HPP
#define TRIDENTCLUSTERING_RUN_HPP

#include <vector>

#include "TridentClustering_Options.hpp"
#include "TridentClustering_Summary.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Clustering {

/// Reads the graph, clusters it, writes the clusters and the summary's file, and says on rank 0's
/// stderr how far it is once that takes a while. Of several inflations each in a run; the graph is
/// read once. \return what was found, of each run
///
/// Collective; throws on every rank, before any work where a file cannot be written in the end.
std::vector<Summary> run(const Options& options,
                         const Teuchos::RCP<const Problems::comm_type>& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
