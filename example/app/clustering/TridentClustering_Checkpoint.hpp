// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_CHECKPOINT_HPP
#define TRIDENTCLUSTERING_CHECKPOINT_HPP

#include <string>

#include "TridentProblems_Types.hpp"
#include "Trident_MarkovCluster.hpp"

/// \file TridentClustering_Checkpoint.hpp
/// The state of a run in a file, little-endian: 18 words of 8 bytes (CheckpointHeader), then
/// int64 offsets[nodes + 1], int64 columns[entries], float64 values[entries] of the matrix, whose
/// row i has the entries offsets[i] .. offsets[i+1] - 1.

namespace Trident {
namespace Clustering {

using namespace Problems;

using state_type = MarkovState<local_ordinal_type, global_ordinal_type, map_type::node_type>;

/// Writes a state; each rank its rows, as an OutputFile: whenever the program is killed, PATH is
/// the last checkpoint or the one before, and whole.
///
/// Collective. Throws MatrixError on every rank where the file cannot be written in full; an older
/// checkpoint then stays. \param state its row Map is uniform and contiguous
void writeCheckpoint(const std::string& path, const state_type& state);

/// Reads a state; each rank its rows. Collective. Throws MatrixError on every rank where the file
/// cannot be read, is no checkpoint, is of another version or damaged, or has another number of
/// nodes. \param map gets the matrix' rows; uniform and contiguous, on any number of ranks
Teuchos::RCP<const state_type> readCheckpoint(const std::string& path,
                                              const Teuchos::RCP<const map_type>& map);

}  // namespace Clustering
}  // namespace Trident

#endif
