// SPDX-License-Identifier: BSD-3-Clause
// Clusters of a network, called like the program mcl.
#include <Kokkos_Core.hpp>
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <iostream>

#include "TridentClustering_Run.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "TridentProblems_ProgramScope.hpp"
#include "TridentProblems_WriteText.hpp"
#include "Trident_Version.hpp"

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

/// Does what the arguments say; `speak` on one rank. Collective; throws on every rank.
void runProgram(const std::vector<std::string>& arguments, bool speak) {
  const Options options = parseOptions(arguments);
  if (options.help || options.version) {
    if (speak)
      std::cout << (options.help
                        ? helpText()
                        : Trident::Problems::versionText("trident-mcl", Trident::version()));
    return;
  }
  if (!options.answer.empty()) {
    if (speak) std::cout << options.answer << std::endl;
    return;
  }
  if (writesToStandardOutput({options.out, options.summary, options.graph, options.planted}))
    std::cout.rdbuf(std::cerr.rdbuf());
  const Summary summary = run(options, Tpetra::getDefaultComm());
  if (speak && !options.silent)
    std::cout << describe(summary) << lastLines(options, summary) << std::flush;
}

}  // namespace

int main(int argc, char* argv[]) {
  const Trident::Problems::ProgramScope scope(argc, argv);
  const bool speak = Tpetra::getDefaultComm()->getRank() == 0;
  try {
    runProgram({argv + 1, argv + argc}, speak);
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    if (speak) std::cerr << "Trident_MarkovClustering: " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
}
