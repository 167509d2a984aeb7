// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_OPTIONS_HPP
#define TRIDENTCLUSTERING_OPTIONS_HPP

#include <functional>
#include <string>
#include <vector>

#include "TridentClustering_OutputName.hpp"
#include "TridentClustering_PairText.hpp"
#include "TridentClustering_Renumber.hpp"
#include "TridentClustering_Weights.hpp"
#include "Trident_MarkovCluster.hpp"

namespace Trident {
namespace Clustering {

/// One clustering of the network.
struct RunOutput {
  double inflation = 2;
  std::string out;              ///< file of its clusters
  bool outIsAmbiguous = false;  ///< true if other inflations have the same name
};

/// The requests to the program.
struct Options {
  std::string file, out, summary, graph, planted;
  std::string tab;          ///< the dictionary of the network's nodes
  std::string graphTab;     ///< file for the dictionary of `graph`
  std::string checkpoint;   ///< the file of it; empty: there is none
  int checkpointEvery = 1;  ///< iterations
  bool resume = false;      ///< true if the run goes on from the checkpoint
  bool asMcl = false;       ///< true if the program stands in the place of mcl
  bool labelledPairs = false, table = false, native = false, lines = false, silent = false;
  bool isStarted = false;              ///< true if -te started this rank; the starter says more
  bool header = false;                 ///< true if the table has one
  bool binaryGraph = false;            ///< true if `graph` becomes a binary matrix of mcl
  bool help = false, version = false;  ///< requests for these texts, in place of any work
  std::function<std::string(const Options&)> ask;  ///< answer in place of any work
  std::string answer;                              ///< text of that; or of no FILE, the usage
  bool answerIsError = false;                      ///< true if it goes to standard error
  std::string commandLine;                         ///< mclCommandLine() of the call
  bool analyze = false;                            ///< true if mclAnalysis() ends the clusters
  bool appendLog = false;                          ///< true if mclLog() does
  PairLines pairLines;                             ///< format where labelledPairs
  WeightRule weights;                              ///< rule for pairs, as they are read
  Transformation transformation;                   ///< steps on the network
  ClusterOrder order = ClusterOrder::bySize;
  std::string overlap = "cut";        ///< cut, keep or split
  OutputName name;                    ///< name where `out` is not given
  bool outIsAmbiguous = false;        ///< true if other inflations have the same name
  int mclThreads = -1;                ///< number that mcl would start; -1: nothing said
  MarkovOptions markov;               ///< all but its progress and params; the first inflation
  std::vector<double> inflations{2};  ///< inflation of each run
  std::vector<RunOutput> runs;        ///< outputs of these runs; the first is that of `out`
  int ranksPerNode = 0;
  std::string grid = "auto";
};

/// Reads the arguments, without the program's name: those of mcl, also in the form --name=value,
/// and others. Local. Throws std::runtime_error, which names a near option where one is not
/// known, and what to do where only mcl has it.
Options parseOptions(const std::vector<std::string>& arguments);

/// Returns the text of --help.
std::string helpText();

}  // namespace Clustering
}  // namespace Trident

#endif
