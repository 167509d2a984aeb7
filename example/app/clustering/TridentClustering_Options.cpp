// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>

#include "TridentProblems_ParseNumber.hpp"
#include "TridentProblems_ProgramOptions.hpp"

namespace Trident {
namespace Clustering {

namespace {

using Setter = std::function<void(Options&, const std::string& value)>;

struct Option {
  const char* name;
  const char* value;  ///< what its value is called; empty where it has none
  const char* help;
  Setter set;
};

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + "; --help lists all options");
}

double realNumber(const std::string& text) {
  const char *at = text.data(), *end = at + text.size();
  double value = 0;
  if (!Problems::parseReal(at, end, value) || at != end)
    throw std::runtime_error("\"" + text + "\" is not a number");
  return value;
}

long long wholeNumber(const std::string& text, long long least) {
  const char *at = text.data(), *end = at + text.size();
  std::int64_t value = 0;
  if (!Problems::parseInteger(at, end, value) || at != end)
    throw std::runtime_error("\"" + text + "\" is not a whole number");
  if (value < least) throw std::runtime_error("should be at least " + std::to_string(least));
  return value;
}

int smallNumber(const std::string& text, long long least) {
  return static_cast<int>(
      std::min<long long>(wholeNumber(text, least), std::numeric_limits<int>::max()));
}

/// A text that is not empty.
std::string nonEmpty(const std::string& text) {
  if (text.empty()) throw std::runtime_error("needs a value");
  return text;
}

const std::vector<Option>& options() {
  static const std::vector<Option> all{
      {"--abc", "", "the file has a line LABEL LABEL or LABEL LABEL WEIGHT for each two neighbours",
       [](Options& o, const std::string&) { o.labelledPairs = true; }},
      {"-I", "NUMBER",
       "inflation, above 0 and up to 30 (2.0): larger numbers give more and smaller clusters; try "
       "1.4, 2, 4",
       [](Options& o, const std::string& v) {
         o.markov.inflation = realNumber(v);
         if (!(o.markov.inflation > 0 && o.markov.inflation <= 30))
           throw std::runtime_error("should lie above 0 and not above 30");
       }},
      {"-o", "FILE", "where to write the clusters (out.NAME.I20, for -I 2.0)",
       [](Options& o, const std::string& v) { o.out = nonEmpty(v); }},
      {"--table", "", "write a line LABEL<TAB>CLUSTER for each node, clusters from 1",
       [](Options& o, const std::string&) { o.table = true; }},
      {"--summary", "FILE", "write numbers and sizes, modularity, time and memory as JSON",
       [](Options& o, const std::string& v) { o.summary = nonEmpty(v); }},
      {"--memory", "BYTES",
       "bytes on each rank for what is not pruned yet, at most (0: 256 MB, or eight times the "
       "network's part if that is more); less memory, more time, the same clusters",
       [](Options& o, const std::string& v) {
         o.markov.productMemoryBytes = realNumber(v);
         if (!(o.markov.productMemoryBytes >= 0 && o.markov.productMemoryBytes < 1e18))
           throw std::runtime_error("should lie in 0..1e18");
       }},
      {"--precision", "double|single",
       "what the flow is stored in (double): single takes two thirds of the memory, and rounds to "
       "about seven digits, as mcl does",
       [](Options& o, const std::string& v) {
         if (v != "double" && v != "single") throw std::runtime_error("knows double and single");
         o.markov.precision = v == "single" ? MarkovPrecision::Single : MarkovPrecision::Double;
       }},
      {"-scheme", "1..7",
       "how much is kept of large neighbourhoods (6): more is slower, and closer",
       [](Options& o, const std::string& v) {
         o.markov.scheme = smallNumber(v, 1);
         if (o.markov.scheme > 7) throw std::runtime_error("should lie in 1..7");
       }},
      {"-P", "N", "drop flow below 1/N; 0: none (by the scheme)",
       [](Options& o, const std::string& v) { o.markov.prune = wholeNumber(v, 0); }},
      {"-S", "N", "keep the N largest of a node; 0: all (by the scheme)",
       [](Options& o, const std::string& v) { o.markov.select = wholeNumber(v, 0); }},
      {"-R", "N", "take up to N back where too much was dropped; 0: none (by the scheme)",
       [](Options& o, const std::string& v) { o.markov.recover = wholeNumber(v, 0); }},
      {"-pct", "0..99", "of the flow, what is not too much (by the scheme)",
       [](Options& o, const std::string& v) {
         o.markov.percent = smallNumber(v, 0);
         if (o.markov.percent > 99) throw std::runtime_error("should lie in 0..99");
       }},
      {"-L", "N", "iterations at most (10000)",
       [](Options& o, const std::string& v) { o.markov.mostIterations = smallNumber(v, 1); }},
      {"--checkpoint", "FILE",
       "keep the state of the run in FILE, so that it can be resumed after it was interrupted",
       [](Options& o, const std::string& v) { o.checkpoint = nonEmpty(v); }},
      {"--checkpoint-every", "N", "iterations from one checkpoint to the next (1)",
       [](Options& o, const std::string& v) { o.checkpointEvery = smallNumber(v, 1); }},
      {"--resume", "",
       "go on from the checkpoint, on any number of ranks; the network, -I and the options of "
       "pruning must be the same",
       [](Options& o, const std::string&) { o.resume = true; }},
      {"-te", "N",
       "taken for mcl's sake: here mpirun -n says how many ranks share the work, and "
       "OMP_NUM_THREADS how many threads a rank has",
       [](Options&, const std::string& v) { wholeNumber(v, 0); }},
      {"-V", "all", "silent: say errors only",
       [](Options& o, const std::string& v) {
         if (v != "all") throw std::runtime_error("knows only \"all\"");
         o.silent = true;
       }},
      {"-write-graph", "FILE", "write the network as a matrix of mcl, nodes from 0",
       [](Options& o, const std::string& v) { o.graph = nonEmpty(v); }},
      {"--planted", "FILE", "write the clusters that the generator families has put there",
       [](Options& o, const std::string& v) { o.planted = nonEmpty(v); }},
      {"--ranks-per-node", "N", "ranks that act as a node (0: those that share memory)",
       [](Options& o, const std::string& v) { o.ranksPerNode = smallNumber(v, 0); }},
      {"--grid", "auto|RxC", "how nodes are laid out (auto)",
       [](Options& o, const std::string& v) { o.grid = nonEmpty(v); }}};
  return all;
}

/// The options, which set `result`.
Problems::ProgramOptions optionsOf(Options& result) {
  Problems::ProgramOptions list;
  for (const Option& option : options())
    list.add(option.name, option.value, option.help, [&](const std::string& value) {
      try {
        option.set(result, value);
      } catch (const std::runtime_error& e) {
        throw std::runtime_error(std::string(option.name) + " " + value + ": " + e.what());
      }
    });
  return list;
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments) {
  using Asked = Problems::ProgramOptions::Asked;
  Options result;
  try {
    const Asked asked = optionsOf(result).parse(arguments, [&](const std::string& file) {
      if (!result.file.empty())
        throw std::runtime_error("there are two files, " + result.file + " and " + file);
      result.file = file;
    });
    result.help = asked == Asked::Help;
    result.version = asked == Asked::Version;
  } catch (const std::runtime_error& e) {
    fail(e.what());
  }
  if (result.help || result.version) return result;
  if (result.file.empty()) fail("no FILE was given");
  if (result.resume && result.checkpoint.empty())
    fail("--resume needs the file to resume from: --checkpoint=FILE");
  if (result.out.empty()) result.out = defaultOutput(result.file, result.markov.inflation);
  return result;
}

std::string helpText() {
  Options none;
  return "Usage: trident-mcl FILE [OPTION]...\n"
         "   or: mpirun -n RANKS trident-mcl FILE [OPTION]...\n\n"
         "Finds clusters in a network: groups of nodes with many connections inside and few to\n"
         "others, such as families of similar proteins. The method is Markov clustering, and the\n"
         "clusters are those of the program mcl.\n\n"
         "  mpirun -n 4 trident-mcl FILE --abc -I 2.0 -o OUT\n\n"
         "FILE has a line for each two neighbours (--abc), or is a Matrix Market file (.mtx), or "
         "a\n"
         "matrix that mcl wrote as text. It may be gzipped (.gz), and - is standard input. OUT "
         "gets\n"
         "a line for each cluster, the largest first, with tabs between its nodes; - is standard\n"
         "output. Also FILE may be a generator, such as families:n=200000.\n\n"
         "Options, with what they are without being given in parentheses:\n" +
         optionsOf(none).help();
}

std::string defaultOutput(const std::string& file, double inflation) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%02d", static_cast<int>(10 * inflation + 1e-6));
  const std::size_t slash = file.rfind('/');
  return "out." + (slash == std::string::npos ? file : file.substr(slash + 1)) + ".I" + digits;
}

}  // namespace Clustering
}  // namespace Trident
