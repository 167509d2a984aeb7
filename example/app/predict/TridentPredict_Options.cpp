// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Options.hpp"

#include <Teuchos_CommandLineProcessor.hpp>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Predict {
namespace {

[[noreturn]] void fail(const std::string& option, const std::string& value,
                       const std::string& remedy) {
  throw std::runtime_error("--" + option + "=" + value + " " + remedy + "; see --help");
}

std::vector<std::string> wordsOf(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

long long number(const std::string& option, const std::string& text, long long least,
                 long long most) {
  const char *at = text.data(), *end = at + text.size();
  std::int64_t value = 0;
  if (!Problems::parseInteger(at, end, value) || at != end || value < least || value > most)
    fail(option, text,
         "should be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

/// 0, or at least 1: as "partition imbalance" is.
double imbalanceOf(const std::string& text) {
  const char *at = text.data(), *end = at + text.size();
  double value = 0;
  if (!Problems::parseReal(at, end, value) || at != end || !(value == 0 || value >= 1))
    fail("partition-imbalance", text, "should be a number from 1 on, or 0");
  return value;
}

std::vector<int> numbers(const std::string& option, const std::string& list) {
  constexpr int most = 1 << 20;
  std::vector<int> all;
  for (const std::string& word : wordsOf(list))
    all.push_back(static_cast<int>(number(option, word, 1, most)));
  return all;
}

template <class Kind>
Kind oneOf(const std::string& option, const std::string& word,
           const std::vector<std::pair<std::string, Kind>>& all) {
  std::string words;
  for (const auto& [name, kind] : all) {
    if (name == word) return kind;
    words += (words.empty() ? "" : ", ") + name;
  }
  fail(option, word, "is none of " + words);
}

}  // namespace

bool parseOptions(int argc, char* argv[], Options& options, std::ostream& help) {
  Teuchos::CommandLineProcessor clp(false, true);
  clp.setDocString(("What C = A*B would move, take and need on any number of ranks, counted by one "
                    "rank that holds A and B.\n\nA SPEC is a Matrix Market file (plain or .gz), a "
                    "binary file (.csr by rows, .bin by columns), or a generator:\n" +
                    Problems::generatorHelp())
                       .c_str());
  std::string ranks = "4,16,64", algorithms = "trident,summa,tpetra", lambdas, fetch = "auto";
  std::string partition = "aligned", imbalance = "0", seed = "1",
              sample = std::to_string(options.sample);
  clp.setOption("A", &options.A, "SPEC of A");
  clp.setOption("B", &options.B, "SPEC of B, or \"A\", or \"restriction\" (from A's aggregates)");
  clp.setOption("ranks", &ranks, "numbers of ranks or GPUs, with commas between");
  clp.setOption("algorithms", &algorithms, "of trident, summa, tpetra, with commas between");
  clp.setOption("grid", &options.grid, "shapes of Trident's grid: all|square|tall|PRxPC");
  clp.setOption("lambda", &lambdas,
                "ranks in a node of the grid, with commas between; empty: as many as the machine "
                "has in a node");
  clp.setOption("fetch", &fetch, "auto|tiles|needed-rows");
  clp.setOption("partition", &partition, "aligned|uniform|balanced|work");
  clp.setOption("partition-imbalance", &imbalance,
                "times the mean from which on aligned yields to balanced; 0: Trident's own rule");
  clp.setOption("permute", "no-permute", &options.cuts.permute, "scatter the indices");
  clp.setOption("seed", &seed, "seed of --permute and of the aggregates");
  clp.setOption("machine", &options.machine,
                "machine file (JSON), as in example/app/predict/machines");
  clp.setOption("sample", &sample, "multiply-adds to find rows of C with; beyond, some are drawn");
  clp.setOption("least-ranks", "no-least-ranks", &options.least,
                "also find the fewest nodes whose memory holds the product");
  clp.setOption("csv", &options.csv, "write a line for each case to this file");
  clp.setOption("markdown", &options.markdown, "write a table for people to this file");
  clp.setOption(
      "calibrate", &options.calibrate,
      "measure the machine that this runs on, write its file, and predict nothing; with --A "
      "by that matrix, whose rates it then has");
  std::ostringstream said;
  const auto result = clp.parse(argc, argv, &said);
  if (result == Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED) {
    help << said.str();
    return true;
  }
  if (result != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL)
    throw std::runtime_error(said.str() + "see --help");
  constexpr int large = std::numeric_limits<int>::max();
  options.seed = static_cast<int>(number("seed", seed, 0, large));
  options.cuts.seed = options.seed;
  options.sample = number("sample", sample, 1, std::numeric_limits<long long>::max());
  options.ranks = numbers("ranks", ranks);
  options.lambdas = numbers("lambda", lambdas);
  options.algorithms = wordsOf(algorithms);
  for (const std::string& algorithm : options.algorithms)
    oneOf<int>("algorithms", algorithm, {{"trident", 0}, {"summa", 1}, {"tpetra", 2}});
  options.fetch = oneOf<Impl::FetchKind>("fetch", fetch,
                                         {{"auto", Impl::FetchKind::Auto},
                                          {"tiles", Impl::FetchKind::Tiles},
                                          {"needed-rows", Impl::FetchKind::NeededRows}});
  options.cuts.partition = oneOf<Impl::PartitionKind>("partition", partition,
                                                      {{"aligned", Impl::PartitionKind::Aligned},
                                                       {"uniform", Impl::PartitionKind::Uniform},
                                                       {"balanced", Impl::PartitionKind::Balanced},
                                                       {"work", Impl::PartitionKind::Work}});
  options.cuts.partitionImbalance = imbalanceOf(imbalance);
  if (options.calibrate.empty() && options.A.empty())
    throw std::runtime_error("--A is missing: what to predict for; see --help");
  return false;
}

}  // namespace Predict
}  // namespace Trident
