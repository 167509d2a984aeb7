// SPDX-License-Identifier: BSD-3-Clause
// Predicts what a product would move, take and need on any number of ranks.
#include <Tpetra_Core.hpp>
#include <cstdlib>
#include <iostream>

#include "TridentPredict_Calibrate.hpp"
#include "TridentPredict_Table.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "TridentProblems_ProgramScope.hpp"
#include "TridentProblems_WriteText.hpp"
#include "Trident_Version.hpp"

namespace {

using namespace Trident::Predict;

void predictAll(const Options& options,
                const Teuchos::RCP<const Trident::Problems::comm_type>& comm) {
  if (comm->getSize() > 1)
    throw std::runtime_error("a prediction takes one rank; only --calibrate takes more");
  if (options.machine.empty())
    throw std::runtime_error(
        "--machine is missing; share/trident/machines and example/app/predict/machines have some");
  const Trident::Problems::Comm alone(*comm);
  Trident::Problems::requireWritable({options.csv, options.markdown}, alone);
  if (Trident::Problems::writesToStandardOutput({options.csv, options.markdown}))
    std::cout.rdbuf(std::cerr.rdbuf());
  const Machine machine = readMachine(options.machine);
  const Problem problem = readProblem(options.A, options.B, options.permute, options.seed, comm);
  std::cerr << problem.warnings;
  std::cout << problem.description << "\nmachine: " << machine.name << std::endl;
  ProductCounter counter(problem, options.cuts, options.sample);
  const Subject subject{options.A,
                        options.B,
                        machine.name,
                        problem.A->entries(),
                        problem.B->entries(),
                        counter.multiplyAdds(),
                        counter.entriesC(),
                        machine.memoryBytes};
  std::cout << "multiply-adds: " << counter.multiplyAdds()
            << ", entries of C: " << counter.entriesC()
            << (counter.sampled() ? ", from sampled rows" : "") << '\n';
  const std::vector<Prediction> all = sweep(counter, options, machine);
  std::cout << markdownOf(subject, all, true);
  if (options.least) {
    constexpr int mostNodes = 4096;
    const std::vector<Prediction> least = leastNodes(counter, options, machine, mostNodes);
    if (least.empty())
      std::cout << "not held by " << mostNodes << " nodes\n";
    else
      std::cout << "held by " << least[0].which.shape.ranks() << " ranks, found by bisection ("
                << least[0].which.shape.name() << ", " << 1e-9 * least[0].memory << " of "
                << 1e-9 * machine.memoryBytes << " GB)\n";
  }
  if (!options.csv.empty()) Trident::Problems::writeText(options.csv, csvOf(subject, all), alone);
  if (!options.markdown.empty())
    Trident::Problems::writeText(options.markdown, markdownOf(subject, all, false), alone);
}

}  // namespace

int main(int argc, char* argv[]) {
  const Trident::Problems::ProgramScope scope(argc, argv);
  const auto comm = Tpetra::getDefaultComm();
  try {
    const Options options = parseOptions({argv + 1, argv + argc});
    if (options.help || options.version) {
      if (comm->getRank() == 0)
        std::cout << (options.help
                          ? helpText()
                          : Trident::Problems::versionText("trident-predict", Trident::version()));
      return EXIT_SUCCESS;
    }
    if (options.calibrate.empty())
      predictAll(options, comm);
    else
      calibrate(options.calibrate, options.A, comm);
    return EXIT_SUCCESS;
  } catch (const std::exception& e) {
    if (comm->getRank() == 0) std::cerr << "Trident_Predict: " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
}
