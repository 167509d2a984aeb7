// SPDX-License-Identifier: BSD-3-Clause
// The command-line driver: C = A·B from files or generators, measured and verified.
#include <Tpetra_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "TridentDriver_Progress.hpp"
#include "TridentDriver_Run.hpp"
#include "TridentDriver_Trace.hpp"
#include "TridentProblems_ChecksumOf.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Compare.hpp"
#include "TridentProblems_File.hpp"
#include "TridentProblems_HostMemory.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "TridentProblems_ProgramScope.hpp"
#include "TridentProblems_TextInput.hpp"
#include "TridentProblems_WriteMatrix.hpp"
#include "TridentProblems_WriteText.hpp"
#include "Trident_Nodes.hpp"
#include "Trident_Version.hpp"

namespace {

using namespace Trident::Driver;

/// Compares the product with Tpetra's, and says so; returns true if they match. Collective.
bool verify(const CommandLine& line, const Problem& problem, const Measurement& measured,
            bool speak, Comparison& verdict) {
  Progress::say("verify");
  verdict =
      compareWithTpetra(*problem.A, line.transposeA, *problem.B, line.transposeB, *measured.C);
  const bool good = matches(verdict);
  if (speak && good)
    std::cout << "matches Tpetra (largest relative error " << verdict.maxRelError << ")\n";
  if (speak && !good)
    std::cout << "DIFFERS from Tpetra: " << verdict.missing << " entries missing, " << verdict.extra
              << " too many, largest relative error " << verdict.maxRelError << "; "
              << verdict.detail << "\n";
  return good;
}

/// Multiplies again with the structure that is known, and says how long that took. Collective.
void reuse(const CommandLine& line, const Problem& problem, Measurement& measured, bool speak) {
  measured.C = Teuchos::null;  // two products need not fit
  measured.reuseSeconds = reuseSeconds(line, problem, measured);
  std::vector<double> sorted = measured.reuseSeconds;
  std::sort(sorted.begin(), sorted.end());
  if (speak && !line.quiet)
    std::cout << line.algorithm << " with the structure known: " << sorted[sorted.size() / 2]
              << " s (slowest rank, median of " << line.reuse << ")" << std::endl;
}

/// Compares the product with A*(B*x), and says so; returns true if they differ by no more than
/// rounding. Collective.
bool checkVector(const CommandLine& line, const Problem& problem, Measurement& measured,
                 bool speak) {
  measured.vectorError =
      vectorError(*problem.A, line.transposeA, *problem.B, line.transposeB, *measured.C);
  const bool good = measured.vectorError <= 1e-10;
  if (speak)
    std::cout << (good ? "C*x equals A*(B*x)" : "C*x DIFFERS from A*(B*x)") << " (relative error "
              << measured.vectorError << ")\n";
  return good;
}

std::string receivedByTpetra(const Measurement& measured) {
  if (!measured.trafficKnown) return "received: not counted where A is transposed\n";
  const Trident::Traffic& rows = measured.summary.traffic.import;
  std::ostringstream text;
  text << "received: " << 1e-6 * static_cast<double>(rows.internodeBytes) << " MB internode, "
       << 1e-6 * static_cast<double>(rows.intranodeBytes)
       << " MB intranode, all ranks; rows of B, without the set-up of transfers\n";
  return text.str();
}

/// Runs all work after the command line. Collective; an exception is one on every rank.
bool run(const CommandLine& line, const Teuchos::RCP<const comm_type>& comm, bool speak) {
  tridentParameters(line);  // complains before anything is read
  requireFormat(line.C);
  const std::vector<std::string> outputs{line.C, line.json, line.trace};
  requireWritable(outputs, Comm(*comm));
  if (endsIn(line.C, ".csr")) requireWritableAnywhere({line.C}, Comm(*comm));
  if (writesToStandardOutput(outputs)) std::cout.rdbuf(std::cerr.rdbuf());
  // Under mpirun stderr is no terminal, but somebody may read it all the same.
  const Progress progress(speak && !line.quiet, onTerminal() ? 0 : 10);
  const Problem problem = makeProblem(line, comm);
  if (speak) std::cerr << problem.warnings;
  if (speak && !line.quiet) std::cout << problem.description << std::endl;
  Measurement measured = namingFile(inputName(line.A), [&] { return measure(line, problem); });
  if (speak && !line.quiet) {
    if (line.algorithm != "tpetra")
      std::cout << Trident::describe(measured.report, measured.summary);
    else
      std::cout << receivedByTpetra(measured);
    std::cout << line.algorithm << ": " << measured.summary.totalSeconds.max
              << " s (slowest rank, median of " << line.repeat << "), first call "
              << measured.firstCallSeconds << " s";
    if (line.algorithm != "tpetra")
      std::cout << ", on the grid " << measured.summary.multiplySeconds.max << " s";
    std::cout << std::endl;
  }
  if (line.reuse > 0) reuse(line, problem, measured, speak);
  Comparison verdict;
  bool good = !line.verify || verify(line, problem, measured, speak, verdict);
  if (line.checkVector) good = checkVector(line, problem, measured, speak) && good;
  if (line.checksum) measured.checksum = checksumOf(*measured.C);
  if (!line.C.empty()) writeMatrix(*measured.C, line.C);
  if (!line.trace.empty()) {
    const int node = Trident::nodesOfRanks(*comm, line.ranksPerNode)[comm->getRank()];
    writeTrace(measured.report, node, line.trace, Comm(*comm));
  }
  if (!line.json.empty()) writeJson(line, problem, measured, line.verify ? &verdict : nullptr);
  return good;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::string command = commandText(argc, argv);  // with the options that Kokkos takes out
  const ProgramScope scope(argc, argv);
  const Teuchos::RCP<const comm_type> comm = Tpetra::getDefaultComm();
  const bool speak = comm->getRank() == 0;
  CommandLine line;
  switch (parse(argc, argv, line, speak ? &std::cerr : nullptr)) {
    case Parsed::Help:
      if (speak) std::cout << helpText();
      return EXIT_SUCCESS;
    case Parsed::Version:
      if (speak) std::cout << versionText("trident-spgemm", Trident::version());
      return EXIT_SUCCESS;
    case Parsed::Error:
      return EXIT_FAILURE;
    case Parsed::Run:
      break;
  }
  line.command = command;
  try {
    return run(line, comm, speak) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& e) {
    if (speak) std::cerr << "Trident_SpGEMM: " << e.what() << std::endl;
    return EXIT_FAILURE;
  }
}
