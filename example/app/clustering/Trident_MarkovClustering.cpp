// SPDX-License-Identifier: BSD-3-Clause
// Clusters of a network, called like the program mcl.
#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <iostream>

#include "TridentClustering_MclName.hpp"
#include "TridentClustering_Run.hpp"
#include "TridentClustering_StartRanks.hpp"
#include "TridentProblems_ProgramScope.hpp"

namespace {

using namespace Trident::Clustering;

/// Says the effect of -te, if it asked for several threads.
/// \param why it started no ranks, or empty
std::string threadsLine(const Options& options, const Summary& summary, const std::string& why) {
  if (options.mclThreads < 2) return "";
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  const auto counted = [](int count, const std::string& of) {
    return std::to_string(count) + " " + of + (count == 1 ? "" : "s");
  };
  return "-te " + std::to_string(options.mclThreads) + ": " + counted(summary.ranks, "rank") +
         " of " + counted(threads, "thread") + (summary.ranks > 1 ? " each" : "") +
         (why.empty() ? "" : "; " + why) + "\n";
}

/// Names the file of the clusters.
std::string lastLine(const Options& options, const Summary&) {
  std::string text = "clusters are in " + options.out;
  if (options.outIsAmbiguous)
    text += ", which other inflations are named too: -o names another file, --i3 has three digits";
  return text + "\n";
}

/// Does the work that the arguments name; `speak` on one rank. Standard output gets clusters and
/// answers, and no message. Collective; throws on every rank.
/// \param why -te started no ranks \param isStarted true if it did
void runProgram(const std::vector<std::string>& arguments, bool speak, const std::string& why,
                bool isStarted) {
  Options options = parseOptions(arguments);
  options.isStarted = isStarted;
  if (!options.answer.empty()) {
    // mcl ends a name without a line's end.
    const bool ends = options.asMcl || options.answer.back() == '\n';
    if (speak)
      (options.answerIsError ? std::cerr : std::cout)
          << options.answer << (ends ? "" : "\n") << std::flush;
    return;
  }
  const std::vector<Summary> runs = run(options, Tpetra::getDefaultComm());
  if (!speak || options.silent) return;
  const Summary& summary = runs.front();
  if (runs.size() > 1) {
    std::cerr << describe(runs) << threadsLine(options, summary, why) << std::flush;
    return;
  }
  std::cerr << describe(summary) << threadsLine(options, summary, why)
            << (options.asMcl ? mclLastLines : lastLine)(options, summary) << std::flush;
}

/// Does the work on the ranks that there are; returns the status.
int runRanks(int argc, char** argv, const std::string& why) {
  const Trident::Problems::ProgramScope scope(argc, argv);
  const auto comm = Tpetra::getDefaultComm();
  try {
    const bool isStarted = joinStarter(Trident::Problems::Comm(*comm));
    runProgram(argumentsByName(argc, argv), comm->getRank() == 0, why, isStarted);
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    if (comm->getRank() == 0) std::cerr << calledName() << ": " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
}

}  // namespace

int main(int argc, char* argv[]) {
  StartedRanks started;
  try {
    started = startRanks(argumentsByName(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << calledName() << ": " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
  return started.ended ? started.status : runRanks(argc, argv, started.why);
}
