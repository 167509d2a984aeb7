// SPDX-License-Identifier: BSD-3-Clause
// Clusters of a network, called like the program mcl.
#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <iostream>

#include "TridentClustering_LoneStart.hpp"
#include "TridentClustering_MclName.hpp"
#include "TridentClustering_Run.hpp"
#include "TridentProblems_ProgramScope.hpp"

namespace {

using namespace Trident::Clustering;

/// What was made of -te, and where the clusters are.
std::string lastLines(const Options& options, const Summary& summary) {
  std::string text;
  if (options.mclThreads >= 0)
    text += "-te starts nothing here: the work was shared by " + std::to_string(summary.ranks) +
            " ranks (mpirun -n) of " +
            std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency()) +
            " threads each (OMP_NUM_THREADS)\n";
  text += "clusters are in " + options.out;
  if (options.outIsAmbiguous)
    text += ", which other inflations are named too: -o names another file, --i3 has three digits";
  return text + "\n";
}

/// Does what the arguments say; `speak` on one rank. Standard output gets clusters and answers,
/// and no message. Collective; throws on every rank.
void runProgram(const std::vector<std::string>& arguments, bool speak) {
  const Options options = parseOptions(arguments);
  if (!options.answer.empty()) {
    // mcl ends a name without a line's end.
    const bool ends = options.asMcl || options.answer.back() == '\n';
    if (speak)
      (options.answerIsError ? std::cerr : std::cout)
          << options.answer << (ends ? "" : "\n") << std::flush;
    return;
  }
  const Summary summary = run(options, Tpetra::getDefaultComm());
  if (!speak || options.silent) return;
  std::cerr << describe(summary)
            << (options.asMcl ? mclLastLines : lastLines)(options, summary) << std::flush;
}

}  // namespace

int main(int argc, char* argv[]) {
  hastenLoneStart();
  const Trident::Problems::ProgramScope scope(argc, argv);
  const bool speak = Tpetra::getDefaultComm()->getRank() == 0;
  try {
    runProgram(argumentsByName(argc, argv), speak);
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    if (speak) std::cerr << "Trident_MarkovClustering: " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
}
