// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Options.hpp"

#include <limits>
#include <sstream>
#include <stdexcept>

#include "TridentProblems_GeneratorSpec.hpp"
#include "TridentProblems_ParseNumber.hpp"
#include "TridentProblems_ProgramOptions.hpp"

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

/// Reads 0, or a number of at least 1, as "partition imbalance" is.
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

/// Arguments that are read in two steps: a list or a word, and then its meaning.
struct Texts {
  std::string ranks = "4,16,64", algorithms = "trident,summa,tpetra", lambdas, fetch = "auto";
  std::string partition = "aligned", imbalance = "0", seed = "1";
  std::string sample = std::to_string(Options().sample);
};

/// Makes the options, which set `options` and `texts`.
Problems::ProgramOptions optionsOf(Options& options, Texts& texts) {
  Problems::ProgramOptions list;
  list.text("--A", "SPEC", options.A, "A; this option must be given, but for --calibrate");
  list.text("--B", "SPEC", options.B, "B, or A, or \"restriction\" (from A's aggregates)");
  list.text("--ranks", "LIST", texts.ranks, "numbers of ranks or GPUs, with commas between");
  list.text("--algorithms", "LIST", texts.algorithms,
            "of trident, summa, tpetra, with commas between");
  list.text("--grid", "SHAPES", options.grid, "shapes of Trident's grid: all|square|tall|PRxPC");
  list.text("--lambda", "LIST", texts.lambdas,
            "ranks in a node of the grid, with commas between; empty: as many as the machine has "
            "in a node");
  list.text("--fetch", "NAME", texts.fetch, "auto|tiles|needed-rows");
  list.text("--partition", "NAME", texts.partition, "aligned|uniform|balanced|work");
  list.text("--partition-imbalance", "NUMBER", texts.imbalance,
            "times the mean from which on aligned yields to balanced; 0: Trident's own rule");
  list.flag("--permute", options.permute, "with rows and columns permuted at random");
  list.text("--seed", "N", texts.seed, "seed of --permute and of the aggregates");
  list.text("--machine", "FILE", options.machine,
            "a machine file (JSON), as in share/trident/machines and in "
            "example/app/predict/machines");
  list.text("--sample", "N", texts.sample,
            "multiply-adds to find rows of C with; beyond, some are drawn");
  list.flag("--least-ranks", options.least,
            "also find the fewest nodes whose memory holds the product");
  list.text("--csv", "FILE", options.csv, "write a line for each case to this file");
  list.text("--markdown", "FILE", options.markdown, "write a table for people to this file");
  list.text("--calibrate", "FILE", options.calibrate,
            "measure the machine that this runs on, write its file, and predict nothing; with --A "
            "by that matrix, whose rates it then has");
  return list;
}

/// Sets the options that `texts` give.
void interpret(const Texts& texts, Options& options) {
  constexpr int large = std::numeric_limits<int>::max();
  options.seed = static_cast<int>(number("seed", texts.seed, 0, large));
  options.sample = number("sample", texts.sample, 1, std::numeric_limits<long long>::max());
  options.ranks = numbers("ranks", texts.ranks);
  options.lambdas = numbers("lambda", texts.lambdas);
  options.algorithms = wordsOf(texts.algorithms);
  for (const std::string& algorithm : options.algorithms)
    oneOf<int>("algorithms", algorithm, {{"trident", 0}, {"summa", 1}, {"tpetra", 2}});
  options.fetch = oneOf<Impl::FetchKind>("fetch", texts.fetch,
                                         {{"auto", Impl::FetchKind::Auto},
                                          {"tiles", Impl::FetchKind::Tiles},
                                          {"needed-rows", Impl::FetchKind::NeededRows}});
  options.cuts.partition = oneOf<Impl::PartitionKind>("partition", texts.partition,
                                                      {{"aligned", Impl::PartitionKind::Aligned},
                                                       {"uniform", Impl::PartitionKind::Uniform},
                                                       {"balanced", Impl::PartitionKind::Balanced},
                                                       {"work", Impl::PartitionKind::Work}});
  options.cuts.partitionImbalance = imbalanceOf(texts.imbalance);
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments) {
  using Asked = Problems::ProgramOptions::Asked;
  Options options;
  Texts texts;
  try {
    const Asked asked = optionsOf(options, texts).parse(arguments);
    options.help = asked == Asked::Help;
    options.version = asked == Asked::Version;
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(std::string(e.what()) + "; see --help");
  }
  if (options.help || options.version) return options;
  interpret(texts, options);
  if (options.calibrate.empty() && options.A.empty())
    throw std::runtime_error("--A is missing: what to predict for; see --help");
  return options;
}

std::string helpText() {
  Options options;
  Texts texts;
  return "Usage: trident-predict --A=SPEC --machine=FILE [OPTION]...\n"
         "   or: mpirun -n RANKS trident-predict --calibrate=FILE [--A=SPEC]\n\n"
         "Says what C = A*B would move, take and need on any number of ranks, counted by one rank\n"
         "that holds A and B.\n\n"
         "A SPEC is a Matrix Market file (plain or .gz), a binary file (.csr by rows, .bin by\n"
         "columns), or a generator:\n" +
         Problems::generatorHelp() +
         "\nOptions, with what they are without being given in parentheses:\n" +
         optionsOf(options, texts).help();
}

}  // namespace Predict
}  // namespace Trident
