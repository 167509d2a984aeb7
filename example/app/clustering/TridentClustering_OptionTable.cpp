// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_OptionTable.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "TridentClustering_MclName.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Clustering {

namespace {

double realNumber(const std::string& text) {
  const char *at = text.data(), *end = at + text.size();
  double value = 0;
  if (!Problems::parseReal(at, end, value) || at != end)
    throw std::runtime_error("\"" + text + "\" is not a number");
  return value;
}

/// Reads a number of bytes: of 1000, 1000^2, ... by kB, MB, GB, TB or their first letters, and of
/// 1024 by KiB, MiB, GiB, TiB; in letters of any size.
double bytesOf(const std::string& text) {
  std::string number = text, unit;
  while (!number.empty() &&
         (std::isalpha(static_cast<unsigned char>(number.back())) != 0 || number.back() == ' ')) {
    if (number.back() != ' ')
      unit.insert(unit.begin(),
                  static_cast<char>(std::tolower(static_cast<unsigned char>(number.back()))));
    number.pop_back();
  }
  const std::string letters = "kmgt";
  const std::size_t place = unit.empty() || unit == "b" ? 0 : letters.find(unit[0]) + 1;
  const std::string rest = place > 0 ? unit.substr(1) : "";
  const bool known =
      unit.empty() || unit == "b" ||
      (letters.find(unit[0]) != std::string::npos && (rest.empty() || rest == "b" || rest == "ib"));
  if (number.empty() || !known)
    throw std::runtime_error("\"" + text + "\" is no number of bytes, such as 2e9, 500MB or 2GB");
  return realNumber(number) * std::pow(rest == "ib" ? 1024.0 : 1000.0, static_cast<double>(place));
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

/// Reads a number of which mcl takes the whole part.
long long wholePart(const std::string& text, long long least) {
  return wholeNumber(realNumber(text) >= 0 ? text.substr(0, text.find('.')) : text, least);
}

/// Returns -P of a threshold, as mcl computes it: of a float.
long long pruneNumber(const std::string& text) {
  const double threshold = double{static_cast<float>(realNumber(text))};
  if (!(threshold >= 0 && threshold <= double{0.1F}))
    throw std::runtime_error("should lie in 0..0.1");
  return threshold < 1e-18 ? 0 : static_cast<long long>(1 / threshold);
}

/// Takes networks of lines, of which there is one form.
void readLines(Options& o, PairLines::Form form) {
  if (o.labelledPairs && o.pairLines.form != form)
    throw std::runtime_error("--abc, --sif and --etc are forms of one file: say one");
  o.labelledPairs = true;
  o.pairLines.form = form;
}

/// Takes a text that is not empty.
std::string nonEmpty(const std::string& text) {
  if (text.empty()) throw std::runtime_error("needs a value");
  return text;
}

/// Reads y, yes or 1, and n, no or 0, of which the first letter counts.
bool yesOrNo(const std::string& text) {
  const char first = text.empty() ? ' ' : text[0];
  if (first == 'y' || first == 'Y' || first == '1') return true;
  if (first == 'n' || first == 'N' || first == '0') return false;
  throw std::runtime_error("should be y or n");
}

std::vector<double> inflationsOf(const std::string& text) {
  std::vector<double> all;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    all.push_back(realNumber(text.substr(begin, end - begin)));
    if (!(all.back() > 0 && all.back() <= 30))
      throw std::runtime_error("should lie above 0 and not above 30");
    begin = end + 1;
  }
  return all;
}

std::string nameAnswer(const Options& o) {
  std::string text;
  for (const RunOutput& run : o.runs) text += (text.empty() ? "" : "\n") + run.out;
  return text;
}
std::string suffixAnswer(const Options& o) { return outputSuffix(o.name, o.markov); }

ClusterOrder orderOf(const std::string& text) {
  if (text == "revsize") return ClusterOrder::bySize;
  if (text == "size") return ClusterOrder::byRisingSize;
  if (text == "lex") return ClusterOrder::byFirstNode;
  throw std::runtime_error(text == "none" ? "mcl's own order is not known here: say lex"
                                          : "should be revsize, size or lex");
}

}  // namespace

const std::vector<Option>& optionTable() {
  static const std::vector<Option> all{
      {"--abc", "", "the file has a line LABEL LABEL or LABEL LABEL WEIGHT for each two neighbours",
       [](Options& o, const std::string&) { readLines(o, PairLines::Form::abc); }},
      {"--sif", "", "a line is LABEL TYPE LABEL ...: a node, a word, and neighbours of the node",
       [](Options& o, const std::string&) { readLines(o, PairLines::Form::sif); }},
      {"--etc", "", "a line is LABEL LABEL ...: the same without the word",
       [](Options& o, const std::string&) { readLines(o, PairLines::Form::etc); }},
      {"--expect-values", "", "neighbours of --sif and --etc are LABEL:WEIGHT",
       [](Options& o, const std::string&) { o.pairLines.weighted = true; }},
      {"-I", "NUMBER",
       "inflation, above 0 and up to 30 (2.0): larger numbers give more and smaller clusters; try "
       "1.4, 2, 4. Of several with commas between, 1.4,2,4, each has a file, whose name ends in "
       "I14 "
       "and so on, and the network is read once",
       [](Options& o, const std::string& v) {
         o.inflations = inflationsOf(v);
         o.markov.inflation = o.inflations.front();
       }},
      {"--abc-neg-log10", "", "take -log10 of the weights of pairs, such as E-values",
       [](Options& o, const std::string&) {
         o.weights.logarithm = WeightRule::Logarithm::negativeDecimal;
       }},
      {"--abc-neg-log", "", "the same with the natural logarithm",
       [](Options& o, const std::string&) {
         o.weights.logarithm = WeightRule::Logarithm::negative;
       }},
      {"-abc-tf", "STEPS",
       "change weights of pairs as they are read, after the logarithm: \"gq(50),add(1)\"; of "
       "several of a pair the largest counts then",
       [](Options& o, const std::string& v) { o.weights.steps = parseWeightTransformation(v); }},
      {"-tf", "STEPS", "change the network that was read: \"gq(50),#knn(20)\"",
       [](Options& o, const std::string& v) { o.transformation = parseTransformation(v); }},
      {"-pi", "NUMBER", "raise weights to this power first, 0 to 30 (1)",
       [](Options& o, const std::string& v) {
         o.markov.firstInflation = realNumber(v);
         if (!(o.markov.firstInflation >= 0 && o.markov.firstInflation <= 30))
           throw std::runtime_error("should lie in 0..30");
         o.name.hasInflation = true;
       }},
      {"-c", "NUMBER", "make the loops of nodes so many times as heavy, 0 to 1e9 (1)",
       [](Options& o, const std::string& v) {
         o.markov.loopFactor = realNumber(v);
         if (!(o.markov.loopFactor >= 0 && o.markov.loopFactor <= 1e9))
           throw std::runtime_error("should lie in 0..1e9");
         o.name.hasLoops = true;
       }},
      {"-o", "FILE", "where to write the clusters (out.NAME.I20, for -I 2.0)",
       [](Options& o, const std::string& v) { o.out = nonEmpty(v); }},
      {"-odir", "FOLDER", "where to write them under mcl's name",
       [](Options& o, const std::string& v) { o.name.folder = nonEmpty(v); }},
      {"--d", "", "the same, in the folder of the network",
       [](Options& o, const std::string&) { o.name.besideInput = true; }},
      {"-aa", "TEXT", "end mcl's name so",
       [](Options& o, const std::string& v) { o.name.suffix = nonEmpty(v); }},
      {"-ap", "TEXT", "begin mcl's name so, in the place of out.NAME",
       [](Options& o, const std::string& v) { o.name.prefix = nonEmpty(v); }},
      {"--i3", "", "three digits of the inflation in mcl's name: I200",
       [](Options& o, const std::string&) { o.name.threeDigits = true; }},
      {"-az", "", "say mcl's name, and do nothing else",
       [](Options& o, const std::string&) { o.ask = nameAnswer; }},
      {"-ax", "", "the same of the end of that name, such as I20",
       [](Options& o, const std::string&) { o.ask = suffixAnswer; }},
      {"-z", "", "say the settings of pruning and inflation, and do nothing else",
       [](Options& o, const std::string&) {
         o.ask = [](const Options& all) { return mclSettings(all.markov); };
       }},
      {"--show-schemes", "", "the same of what -scheme 1 to 7 set",
       [](Options& o, const std::string&) { o.ask = [](const Options&) { return mclSchemes(); }; }},
      {"-how-much-ram", "NODES", "the same of the memory that so many nodes take, as for mcl",
       [](Options& o, const std::string& v) {
         const long long nodes = wholeNumber(v, 0);
         o.ask = [nodes](const Options& all) { return mclMemory(all.markov, nodes); };
       }},
      {"-sort", "revsize|size|lex",
       "order of the clusters: the largest first, the smallest first, by first nodes (revsize)",
       [](Options& o, const std::string& v) { o.order = orderOf(v); }},
      {"-force-connected", "y|n", "split clusters that edges inside do not connect (n)",
       [](Options& o, const std::string& v) { o.markov.forceConnected = yesOrNo(v); }},
      {"-overlap", "cut|keep|split",
       "what becomes of a node of several clusters (cut): it goes to the first; with keep or split "
       "the run ends with an error where there is one",
       [](Options& o, const std::string& v) {
         if (v != "cut" && v != "keep" && v != "split")
           throw std::runtime_error("should be cut, keep or split");
         o.overlap = v;
       }},
      {"--table", "", "write a line LABEL<TAB>CLUSTER for each node, clusters from 1",
       [](Options& o, const std::string&) { o.table = true; }},
      {"--header", "",
       "begin the table with the line name<TAB>cluster, as Cytoscape imports it (File, Import, "
       "Table "
       "from File)",
       [](Options& o, const std::string&) { o.table = o.header = true; }},
      {"--native", "",
       "write the clusters as a matrix of mcl, for clm and mcxdump, nodes from 0, as is done of a "
       "network that is one and has no labels",
       [](Options& o, const std::string&) { o.native = true; }},
      {"--lines", "", "write a line for each cluster also of such a network",
       [](Options& o, const std::string&) { o.lines = true; }},
      {"-analyze", "y|n",
       "append to the clusters what mcl says of them: sizes, efficiency, modularity, mass and area "
       "fraction; of no standard input (n)",
       [](Options& o, const std::string& v) { o.analyze = yesOrNo(v); }},
      {"-append-log", "y|n", "append what mcl says of the run: the call, iterations, settings (n)",
       [](Options& o, const std::string& v) { o.appendLog = yesOrNo(v); }},
      {"--as-mcl", "",
       "stand in the place of mcl, as under the name mcl: forms, names and messages are mcl's",
       [](Options& o, const std::string&) { o.asMcl = true; }},
      {"-use-tab", "FILE",
       "labels of a network that is a matrix, a line NUMBER LABEL for each node (mcxload "
       "-write-tab)",
       [](Options& o, const std::string& v) { o.tab = nonEmpty(v); }},
      {"--summary", "FILE", "write numbers and sizes, modularity, time and memory as JSON",
       [](Options& o, const std::string& v) { o.summary = nonEmpty(v); }},
      {"--memory", "BYTES",
       "bytes on each rank, such as 500MB or 2GB, for what is not pruned yet, at most (0: 256 MB, "
       "or eight times the "
       "network's part if that is more); less memory, more time, the same clusters",
       [](Options& o, const std::string& v) {
         o.markov.productMemoryBytes = bytesOf(v);
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
       [](Options& o, const std::string& v) { o.markov.prune = wholePart(v, 0); }},
      {"-p", "NUMBER", "the same as a threshold, 0 to 0.1: -P 1/NUMBER",
       [](Options& o, const std::string& v) { o.markov.prune = pruneNumber(v); }},
      {"-S", "N", "keep the N largest of a node; 0: all (by the scheme)",
       [](Options& o, const std::string& v) { o.markov.select = wholePart(v, 0); }},
      {"-R", "N", "take up to N back where too much was dropped; 0: none (by the scheme)",
       [](Options& o, const std::string& v) { o.markov.recover = wholePart(v, 0); }},
      {"-pct", "0..99", "of the flow, what is not too much (by the scheme)",
       [](Options& o, const std::string& v) {
         o.markov.percent = static_cast<int>(std::min(wholePart(v, 0), 100LL));
         if (o.markov.percent > 99) throw std::runtime_error("should lie in 0..99");
       }},
      {"-resource", "N", "keep N of a node: -S N -R N, and -P 10N where no -P comes before",
       [](Options& o, const std::string& v) {
         o.markov.select = o.markov.recover = wholeNumber(v, 1);
         if (o.markov.prune < 0) o.markov.prune = 10 * o.markov.select;
       }},
      {"-l", "N", "make N iterations with the inflation of -i first (0)",
       [](Options& o, const std::string& v) {
         o.markov.initialIterations = o.name.initialIterations = smallNumber(v, 0);
       }},
      {"-i", "NUMBER", "inflation of these, above 0 and up to 30 (2.0)",
       [](Options& o, const std::string& v) {
         o.markov.initialInflation = realNumber(v);
         if (!(o.markov.initialInflation > 0 && o.markov.initialInflation <= 30))
           throw std::runtime_error("should lie above 0 and not above 30");
       }},
      {"-L", "N", "iterations at most, after these (10000)",
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
       "share the work among N ranks, without mpirun (1): no more than the cores that it may use, "
       "and one for a network of less than 8 MB",
       [](Options& o, const std::string& v) { o.mclThreads = smallNumber(v, 0); }},
      {"-V", "all", "silent: say errors only; other values of mcl's are taken and do nothing",
       [](Options& o, const std::string& v) { o.silent = o.silent || v == "all"; }},
      {"-q", "x", "the same",
       [](Options& o, const std::string& v) { o.silent = o.silent || v == "x"; }},
      {"-write-graph", "FILE",
       "write the network as a matrix of mcl, nodes from 0; and their labels, if any, to FILE.tab",
       [](Options& o, const std::string& v) { o.graph = nonEmpty(v); }},
      {"--write-binary", "", "write it as a binary matrix of mcl, of numbers of 4 bytes",
       [](Options& o, const std::string&) { o.binaryGraph = true; }},
      {"--planted", "FILE", "write the clusters that the generator families has put there",
       [](Options& o, const std::string& v) { o.planted = nonEmpty(v); }},
      {"--ranks-per-node", "N", "ranks that act as a node (0: those that share memory)",
       [](Options& o, const std::string& v) { o.ranksPerNode = smallNumber(v, 0); }},
      {"--grid", "auto|RxC", "how nodes are laid out (auto)",
       [](Options& o, const std::string& v) { o.grid = nonEmpty(v); }}};
  return all;
}

}  // namespace Clustering
}  // namespace Trident
