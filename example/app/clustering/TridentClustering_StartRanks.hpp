// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_STARTRANKS_HPP
#define TRIDENTCLUSTERING_STARTRANKS_HPP

#include <string>
#include <vector>

#include "TridentProblems_Comm.hpp"

/// \file TridentClustering_StartRanks.hpp
/// -te N without mpirun: the process that was called starts up to N ranks of the same program, and
/// waits for them. It never starts MPI itself, unless no rank can be started.

namespace Trident {
namespace Clustering {

/// The outcome of -te.
struct StartedRanks {
  bool ended = false;  ///< true if ranks were started, which have done all
  int status = 0;      ///< status of the ranks
  std::string why;     ///< reason why none were started; empty where that need not be said
};

/// Starts the ranks that -te asks for and waits for them, where that is faster: not where a
/// launcher has started this process, for small networks, or on one core. Says so on standard error
/// where none could be started. Local; call before MPI_Init(). Throws std::runtime_error where
/// standard input was read and is lost. \param arguments without the program's name
StartedRanks startRanks(const std::vector<std::string>& arguments);

/// Takes the streams of the process that started this rank, and returns whether one did so, by
/// startRanks(). Collective; call it before anything is said. Throws on every rank.
bool joinStarter(const Problems::Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
