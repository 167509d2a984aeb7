// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_CommandLine.hpp"

#include <stdexcept>

#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "Trident_Parameters.hpp"

namespace Trident {
namespace Driver {
namespace {

using namespace Problems;

Parsed report(const std::string& problem, std::ostream* errors) {
  if (errors) *errors << problem << "; see --help\n";
  return Parsed::Error;
}

/// Returns all words that a parameter of Trident's may have, with bars between.
std::string wordsOf(const std::string& parameter) {
  std::string words;
  for (const std::string& word :
       *getValidParameters()->getEntry(parameter).validator()->validStringValues())
    words += (words.empty() ? "" : "|") + word;
  return words;
}

/// Returns the parameters that are not the defaults: as a caller would set them, no more than what
/// matters.
Teuchos::ParameterList othersThan(const Teuchos::ParameterList& defaults,
                                  const Teuchos::ParameterList& parameters) {
  Teuchos::ParameterList others;
  for (auto p = parameters.begin(); p != parameters.end(); ++p)
    if (parameters.entry(p).getAny() != defaults.getEntry(parameters.name(p)).getAny())
      others.setEntry(parameters.name(p), parameters.entry(p));
  return others;
}

/// Makes the options, which set `line`.
ProgramOptions optionsOf(CommandLine& line) {
  ProgramOptions options;
  options.text("--A", "SPEC", line.A, "A; this is the one option that must be given");
  options.text("--B", "SPEC", line.B, "B, or A, or \"restriction\" (from A's aggregates)");
  options.text(
      "--C", "FILE", line.C,
      "write the product to this file: .csr by rows, else Matrix Market (gzipped: .mtx.gz)");
  options.text(
      "--mask", "SPEC", line.mask,
      "form only the entries that this matrix has; besides a SPEC: A, I (the diagonal), A+I");
  options.text("--mask-outside", "SPEC", line.maskOutside,
               "form only the entries that this matrix lacks; likewise");
  options.flag("--ones", line.ones, "take each value that A and B store as 1");
  options.text("--algorithm", "NAME", line.algorithm, "trident|summa|tpetra");
  options.text("--semiring", "NAME", line.semiring,
               "what the product adds and multiplies by: " + wordsOf("semiring"));
  options.number("--ranks-per-node", line.ranksPerNode,
                 "ranks that act as a node; 0: as they share memory");
  options.text("--fetch", "NAME", line.fetch, "auto|tiles|needed-rows");
  options.text("--exchange", "NAME", line.exchange,
               "auto|request-queue|prefetch|nccl, for summa auto|ring");
  options.text("--gather", "NAME", line.gather, "auto|mpi|shared|nccl|peer");
  options.text("--kernel", "NAME", line.kernel, "auto|kokkos-kernels|host|device");
  options.flag("--reproducible", line.reproducible, "add products in the order of the inner index");
  options.text("--device-messages", "NAME", line.deviceMessages,
               "device memory by MPI: auto|direct|staged");
  options.text("--grid", "SHAPE", line.grid, "auto|square|PRxPC");
  options.text("--partition", "NAME", line.partition, "aligned|uniform|balanced|work");
  options.number("--partition-imbalance", line.partitionImbalance,
                 "times the mean from which on aligned yields to balanced; 0: Trident's own rule");
  options.flag("--permute", line.permute,
               "multiply A and B with rows and columns permuted at random, as the paper does; C is "
               "then that of the permuted factors");
  options.number("--seed", line.seed, "seed of --permute and of the aggregates");
  options.number("--fuse", line.fuse, "rounds in one local product; 0: as memory allows");
  options.number("--depth", line.depth, "batches of rounds asked for ahead");
  options.number("--memory", line.memory, "bytes that fused operands may take; 0: by the slices");
  options.number(
      "--drop-tolerance", line.dropTolerance,
      "drop entries of the product of less than this magnitude as it is formed; 0: none");
  options.text("--drop-relative-to", "NAME", line.dropRelativeTo,
               "what --drop-tolerance is multiplied by: nothing|largest|sum, of the row");
  options.number("--keep-largest", line.keepLargest,
                 "entries of a row of the product that stay at most; 0: all");
  options.number("--product-memory", line.productMemory,
                 "bytes that a piece of a filtered product may take; 0: by the slices");
  options.flag("--synchronize", line.synchronize,
               "barriers around the product on the grid and its rounds");
  options.flag("--transpose-a", line.transposeA, "multiply with A transposed");
  options.flag("--transpose-b", line.transposeB, "multiply with B transposed");
  options.number("--warmup", line.warmup, "products before those that are timed");
  options.number("--repeat", line.repeat, "products that are timed");
  options.number("--reuse", line.reuse,
                 "after those, this many products that reuse what the structure decides");
  options.flag("--verify", line.verify, "compare with Tpetra's product");
  options.flag("--check-vector", line.checkVector,
               "compare C*x with A*(B*x): for products too large for --verify");
  options.flag("--checksum", line.checksum,
               "put sums over the entries of C into --json, to compare with other programs");
  options.flag("--predict", line.predict,
               "predict the bytes between nodes, by one more product that is not timed; memory "
               "must hold two");
  options.text("--json", "FILE", line.json, "write what was measured to this file");
  options.text("--trace", "FILE", line.trace,
               "write the rounds of the last product to this file, a Chrome trace (Perfetto and "
               "chrome://tracing open it): a process is a node, a rank has a track for what it "
               "does (wait, gather, multiply) and others for slices under way to it, in "
               "microseconds since the rounds began; implies --synchronize; not for tpetra");
  options.flag("--quiet", line.quiet, "print the verdict and errors only");
  return options;
}

/// Returns a contradiction among the options; an empty text if there is none.
std::string contradiction(const CommandLine& line) {
  if (line.A.empty()) return "--A=SPEC is missing: the matrix to multiply";
  if (line.algorithm != "trident" && line.algorithm != "summa" && line.algorithm != "tpetra")
    return "--algorithm=" + line.algorithm + " is none of trident, summa, tpetra";
  if (!line.trace.empty() && line.algorithm == "tpetra")
    return "--trace needs rounds, and --algorithm=tpetra has none";
  if (line.predict && line.algorithm != "trident")
    return "--predict is of --algorithm=trident alone";
  if (line.seed < 0) return "--seed must be at least 0";
  if (line.reuse < 0) return "--reuse must be at least 0";
  if (line.reuse > 0 && (line.transposeA || line.transposeB))
    return "--reuse is not for transposed factors";
  if (filters(line) && (line.verify || line.checkVector || line.reuse > 0))
    return "--verify, --check-vector and --reuse are of whole products; leave them out with "
           "--drop-tolerance and --keep-largest";
  if (filters(line) && line.algorithm == "tpetra")
    return "--drop-tolerance and --keep-largest are not for --algorithm=tpetra";
  if (line.semiring != "plus-times") {
    if (line.verify || line.checkVector || line.reuse > 0)
      return "--verify, --check-vector and --reuse are of the semiring plus-times; leave them out "
             "with --semiring=" +
             line.semiring;
    if (line.algorithm == "tpetra")
      return "--algorithm=tpetra has the semiring plus-times alone; leave --semiring=" +
             line.semiring + " out";
  }
  if (masks(line)) {
    if (!line.mask.empty() && !line.maskOutside.empty())
      return "--mask and --mask-outside exclude each other; leave one out";
    if (line.algorithm == "tpetra")
      return "--algorithm=tpetra knows no masks; leave --mask and --mask-outside out";
    if (line.verify || line.checkVector || line.reuse > 0 || line.predict || line.permute)
      return "--verify, --check-vector, --reuse, --predict and --permute are of products without a "
             "mask; leave them out with --mask and --mask-outside";
  }
  if (line.warmup < 0 || line.repeat < 1)
    return "--warmup must be at least 0 and --repeat at least 1";
  return std::string();
}

}  // namespace

Parsed parse(int argc, char* argv[], CommandLine& line, std::ostream* errors) {
  try {
    switch (optionsOf(line).parse({argv + 1, argv + argc})) {
      case ProgramOptions::Asked::Help:
        return Parsed::Help;
      case ProgramOptions::Asked::Version:
        return Parsed::Version;
      case ProgramOptions::Asked::Work:
        break;
    }
  } catch (const std::runtime_error& e) {
    return report(e.what(), errors);
  }
  const std::string problem = contradiction(line);
  return problem.empty() ? Parsed::Run : report(problem, errors);
}

std::string helpText() {
  CommandLine line;
  return "Usage: trident-spgemm --A=SPEC [OPTION]...\n"
         "   or: mpirun -n RANKS trident-spgemm --A=SPEC [OPTION]...\n\n"
         "Forms C = A*B of sparse matrices on Trident's grid of ranks, or by Tpetra, and says "
         "what\n"
         "it took.\n\n"
         "A SPEC is a Matrix Market file (plain or .gz; - is standard input), a binary file (.csr\n"
         "by rows, .bin by columns), or a generator:\n" +
         generatorHelp() + "\nOptions, with what they are without being given in parentheses:\n" +
         optionsOf(line).help();
}

Teuchos::RCP<Teuchos::ParameterList> tridentParameters(const CommandLine& line, bool predict) {
  Teuchos::ParameterList users, experts;
  users.set("ranks per node", line.ranksPerNode);
  users.set("semiring", line.semiring);
  users.set("reproducible", line.reproducible);
  users.set("grid", line.grid);
  users.set("partition", line.partition);
  users.set("memory bytes", line.memory);
  users.set("drop tolerance", line.dropTolerance);
  users.set("keep largest", line.keepLargest);
  experts.set("algorithm", std::string(line.algorithm == "summa" ? "summa" : "trident"));
  experts.set("fetch", line.fetch);
  experts.set("exchange", line.exchange);
  experts.set("gather", line.gather);
  experts.set("kernel", line.kernel);
  experts.set("drop relative to", line.dropRelativeTo);
  experts.set("product memory bytes", line.productMemory);
  experts.set("device messages", line.deviceMessages);
  experts.set("partition imbalance", line.partitionImbalance);
  experts.set("fuse rounds", line.fuse);
  experts.set("prefetch depth", line.depth);
  experts.set("synchronize", line.synchronize || !line.trace.empty());
  experts.set("predict volume", predict);
  const Teuchos::ParameterList& valid = *getValidParameters();
  Teuchos::ParameterList list = othersThan(valid, users);
  const Teuchos::ParameterList others = othersThan(valid.sublist("expert"), experts);
  if (others.numParams() > 0) list.sublist("expert") = others;
  const auto params = Teuchos::parameterList("driver");
  params->sublist("Trident") = list;
  validateParameters(params);
  return params;
}

}  // namespace Driver
}  // namespace Trident
