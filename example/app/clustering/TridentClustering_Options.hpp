// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_OPTIONS_HPP
#define TRIDENTCLUSTERING_OPTIONS_HPP

#include <string>
#include <vector>

#include "Trident_MarkovCluster.hpp"

namespace Trident {
namespace Clustering {

/// What the program was asked for.
struct Options {
  std::string file, out, summary, graph, planted;
  std::string checkpoint;   ///< the file of it; empty: there is none
  int checkpointEvery = 1;  ///< iterations
  bool resume = false;      ///< goes on from the checkpoint
  bool labelledPairs = false, table = false, silent = false;
  bool help = false, version = false;  ///< to be said in place of any work
  MarkovOptions markov;                ///< all but its progress and params
  int ranksPerNode = 0;
  std::string grid = "auto";
};

/// Reads the arguments, without the program's name: those of mcl, and others of the form
/// --name=value. Local. Throws std::runtime_error, which names the nearest option where one is not
/// known.
Options parseOptions(const std::vector<std::string>& arguments);

/// What --help says.
std::string helpText();

/// The name that mcl gives its output: out.FILE.I20, without FILE's folder.
std::string defaultOutput(const std::string& file, double inflation);

}  // namespace Clustering
}  // namespace Trident

#endif
