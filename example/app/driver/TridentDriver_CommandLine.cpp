// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_CommandLine.hpp"

#include <Teuchos_CommandLineProcessor.hpp>
#include <deque>
#include <functional>
#include <sstream>

#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_ParseNumber.hpp"
#include "Trident_Parameters.hpp"

namespace Trident {
namespace Driver {
namespace {

using namespace Problems;

Parsed report(const std::string& problem, std::ostream* errors) {
  if (errors) *errors << problem << "; see --help\n";
  return Parsed::Error;
}

/// The options that are numbers. Teuchos' processor takes "3x" for 3, and throws what it does not
/// catch for "x"; so it gets them as texts, and they are read here.
class NumberOptions {
 public:
  explicit NumberOptions(Teuchos::CommandLineProcessor& clp) : clp_(clp) {}

  template <class Number>
  void add(const char* name, Number& number, const char* doc) {
    std::ostringstream standard;
    standard << number;
    options_.push_back(
        {name, standard.str(), [&number](const std::string& text) { return read(text, number); }});
    clp_.setOption(name, &options_.back().text, doc);
  }

  /// Reads the texts. \return what is wrong with the first that is no number, else "".
  std::string readAll() const {
    for (const Option& option : options_)
      if (!option.read(option.text))
        return "--" + option.name + "=" + option.text + " is not a number, or does not fit";
    return std::string();
  }

 private:
  struct Option {
    std::string name, text;
    std::function<bool(const std::string&)> read;
  };

  static bool read(const std::string& text, int& number) {
    const char *at = text.data(), *end = at + text.size();
    std::int64_t value = 0;
    if (!parseInteger(at, end, value) || at != end) return false;
    number = static_cast<int>(value);
    return number == value;
  }
  static bool read(const std::string& text, double& number) {
    const char *at = text.data(), *end = at + text.size();
    return parseReal(at, end, number) && at == end;
  }

  Teuchos::CommandLineProcessor& clp_;
  std::deque<Option> options_;  // Teuchos keeps the addresses of the texts
};

/// Those parameters that are not the defaults: as a caller would, no more than what matters.
Teuchos::ParameterList othersThan(const Teuchos::ParameterList& defaults,
                                  const Teuchos::ParameterList& parameters) {
  Teuchos::ParameterList others;
  for (auto p = parameters.begin(); p != parameters.end(); ++p)
    if (parameters.entry(p).getAny() != defaults.getEntry(parameters.name(p)).getAny())
      others.setEntry(parameters.name(p), parameters.entry(p));
  return others;
}

}  // namespace

Parsed parse(int argc, char* argv[], CommandLine& line, std::ostream* errors) {
  Teuchos::CommandLineProcessor clp(false, true);
  clp.setDocString(
      ("C = A*B on the trident grid, or by Tpetra.\n\n"
       "A SPEC is a Matrix Market file (plain or .gz; - is standard input), a binary file (.csr "
       "by rows, .bin by columns), or a generator:\n" +
       generatorHelp())
          .c_str());
  NumberOptions numbers(clp);
  clp.setOption("A", &line.A, "SPEC of A", true);
  clp.setOption("B", &line.B, "SPEC of B, or \"A\", or \"restriction\" (from A's aggregates)");
  clp.setOption(
      "C", &line.C,
      "write the product to this file: .csr by rows, else Matrix Market (gzipped: .mtx.gz)");
  clp.setOption("algorithm", &line.algorithm, "trident|summa|tpetra");
  numbers.add("ranks-per-node", line.ranksPerNode,
              "ranks that act as a node; 0: as they share memory");
  clp.setOption("fetch", &line.fetch, "auto|tiles|needed-rows");
  clp.setOption("exchange", &line.exchange,
                "auto|request-queue|prefetch|nccl, for summa auto|ring");
  clp.setOption("gather", &line.gather, "auto|mpi|shared|nccl");
  clp.setOption("kernel", &line.kernel, "auto|kokkos-kernels|host|cusparse");
  clp.setOption("reproducible", "no-reproducible", &line.reproducible,
                "add products in the order of the inner index");
  clp.setOption("device-messages", &line.deviceMessages,
                "device memory by MPI: auto|direct|staged");
  clp.setOption("grid", &line.grid, "auto|square|PRxPC");
  clp.setOption("partition", &line.partition, "aligned|uniform|balanced|work");
  numbers.add("partition-imbalance", line.partitionImbalance,
              "times the mean from which on aligned yields to balanced; 0: Trident's own rule");
  clp.setOption("permute", "no-permute", &line.permute, "scatter the indices");
  numbers.add("seed", line.seed, "seed of --permute and of the aggregates");
  numbers.add("fuse", line.fuse, "rounds in one local product; 0: as memory allows");
  numbers.add("depth", line.depth, "groups of rounds asked for ahead");
  numbers.add("memory", line.memory, "bytes that fused operands may take; 0: by the slices");
  numbers.add("drop-tolerance", line.dropTolerance,
              "drop entries of the product of less than this magnitude as it is formed; 0: none");
  clp.setOption("drop-relative-to", &line.dropRelativeTo,
                "what --drop-tolerance is multiplied by: nothing|largest|sum, of the row");
  numbers.add("keep-largest", line.keepLargest,
              "entries of a row of the product that stay at most; 0: all");
  numbers.add("product-memory", line.productMemory,
              "bytes that a piece of a filtered product may take; 0: by the slices");
  clp.setOption("synchronize", "no-synchronize", &line.synchronize,
                "barriers around the product on the grid and its rounds");
  clp.setOption("transpose-a", "no-transpose-a", &line.transposeA, "multiply with A transposed");
  clp.setOption("transpose-b", "no-transpose-b", &line.transposeB, "multiply with B transposed");
  numbers.add("warmup", line.warmup, "products before those that are timed");
  numbers.add("repeat", line.repeat, "products that are timed");
  numbers.add("reuse", line.reuse,
              "after those, this many products that reuse what the structure decides");
  clp.setOption("verify", "no-verify", &line.verify, "compare with Tpetra's product");
  clp.setOption("check-vector", "no-check-vector", &line.checkVector,
                "compare C*x with A*(B*x): for products too large for --verify");
  clp.setOption("checksum", "no-checksum", &line.checksum,
                "put sums over the entries of C into --json, to compare with other programs");
  clp.setOption(
      "predict", "no-predict", &line.predict,
      "predict the bytes between nodes, by one more product that is not timed; memory must "
      "hold two");
  clp.setOption("json", &line.json, "write what was measured to this file");
  clp.setOption("trace", &line.trace,
                "write the rounds of the last product to this file, a Chrome trace (Perfetto and "
                "chrome://tracing open it): a process is a node, a rank has a track for what it "
                "does (wait, gather, multiply) and others for slices under way to it, in "
                "microseconds since the rounds began; implies --synchronize; not for tpetra");
  clp.setOption("quiet", "no-quiet", &line.quiet, "print the verdict and errors only");
  switch (clp.parse(argc, argv, errors)) {
    case Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL:
      break;
    case Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED:
      return Parsed::HelpPrinted;
    default:
      return Parsed::Error;
  }
  const std::string problem = numbers.readAll();
  if (!problem.empty()) return report(problem, errors);
  if (line.algorithm != "trident" && line.algorithm != "summa" && line.algorithm != "tpetra")
    return report("--algorithm=" + line.algorithm + " is none of trident, summa, tpetra", errors);
  if (!line.trace.empty() && line.algorithm == "tpetra")
    return report("--trace needs rounds, and --algorithm=tpetra has none", errors);
  if (line.predict && line.algorithm != "trident")
    return report("--predict is of --algorithm=trident alone", errors);
  if (line.reuse < 0) return report("--reuse must be at least 0", errors);
  if (line.reuse > 0 && (line.transposeA || line.transposeB))
    return report("--reuse is not for transposed factors", errors);
  if (filters(line) && (line.verify || line.checkVector || line.reuse > 0))
    return report(
        "--verify, --check-vector and --reuse are of whole products; leave them out with "
        "--drop-tolerance and --keep-largest",
        errors);
  if (filters(line) && line.algorithm == "tpetra")
    return report("--drop-tolerance and --keep-largest are not for --algorithm=tpetra", errors);
  if (line.warmup < 0 || line.repeat < 1)
    return report("--warmup must be at least 0 and --repeat at least 1", errors);
  return Parsed::Run;
}

Teuchos::RCP<Teuchos::ParameterList> tridentParameters(const CommandLine& line, bool predict) {
  Teuchos::ParameterList users, experts;
  users.set("ranks per node", line.ranksPerNode);
  users.set("fetch", line.fetch);
  users.set("exchange", line.exchange);
  users.set("gather", line.gather);
  users.set("kernel", line.kernel);
  users.set("reproducible", line.reproducible);
  users.set("grid", line.grid);
  users.set("partition", line.partition);
  users.set("memory bytes", line.memory);
  users.set("drop tolerance", line.dropTolerance);
  users.set("drop relative to", line.dropRelativeTo);
  users.set("keep largest", line.keepLargest);
  users.set("product memory bytes", line.productMemory);
  experts.set("algorithm", std::string(line.algorithm == "summa" ? "summa" : "trident"));
  experts.set("device messages", line.deviceMessages);
  experts.set("partition imbalance", line.partitionImbalance);
  experts.set("permute", line.permute);
  experts.set("seed", line.seed);
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
  Impl::readParameters(params);
  return params;
}

}  // namespace Driver
}  // namespace Trident
