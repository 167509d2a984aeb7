// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Options.hpp"

#include <stdexcept>

#include "TridentClustering_OptionTable.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Clustering {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + "; --help lists all options");
}

/// The options, which set `result`.
Problems::ProgramOptions optionsOf(Options& result) {
  Problems::ProgramOptions list;
  for (const Option& option : optionTable())
    list.add(option.name, option.value, option.help, [&](const std::string& value) {
      try {
        option.set(result, value);
      } catch (const std::runtime_error& e) {
        throw std::runtime_error(std::string(option.name) + " " + value + ": " + e.what());
      }
    });
  for (const MclOption& option : mclOptionTable())
    list.addHidden(option.name, option.hasValue ? "VALUE" : "", [&](const std::string&) {
      throw std::runtime_error(std::string(option.name) +
                               " is mcl's option, not here; instead: " + option.instead);
    });
  return list;
}

/// Whether `name` is an option with a value, of this program or of mcl.
bool takesValue(const std::string& name) {
  for (const Option& option : optionTable())
    if (name == option.name) return option.value[0] != '\0';
  for (const MclOption& option : mclOptionTable())
    if (name == option.name) return option.hasValue;
  return false;
}

/// "--tf=VALUE", as mcl has it beside "-tf VALUE", with one dash.
std::string withOneDash(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.compare(0, 2, "--") != 0) return argument;
  return takesValue(argument.substr(1, equals - 1)) ? argument.substr(1) : argument;
}

/// What options say only together.
void complete(Options& options) {
  if (options.file.empty()) fail("no FILE was given");
  if (options.resume && options.checkpoint.empty())
    fail("--resume needs the file to resume from: --checkpoint=FILE");
  if (options.weights.changes() && !options.labelledPairs)
    fail(
        "-abc-tf, --abc-neg-log and --abc-neg-log10 are for pairs, --abc; -tf is for all networks");
  if (options.native && options.table) fail("--native and --table are two forms: say one");
  const bool labelled = options.labelledPairs || !options.tab.empty();
  if (options.labelledPairs && !options.tab.empty())
    fail("-use-tab is for matrices: with --abc the network has labels");
  if (labelled && !options.graph.empty() && !Problems::writesToStandardOutput({options.graph}))
    options.graphTab = options.graph + ".tab";
  options.weights.negativeToo = !options.transformation.empty();
  if (!options.out.empty())
    options.outIsAmbiguous = false;
  else {
    options.out = outputName(options.name, options.file, options.markov);
    options.outIsAmbiguous = isAmbiguous(options.name, options.markov);
  }
  if (options.askName) options.answer = options.out;
  if (options.askSuffix) options.answer = outputSuffix(options.name, options.markov);
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments) {
  using Asked = Problems::ProgramOptions::Asked;
  Options result;
  std::vector<std::string> words;
  for (const std::string& argument : arguments) words.push_back(withOneDash(argument));
  try {
    const Asked asked = optionsOf(result).parse(words, [&](const std::string& file) {
      if (!result.file.empty())
        throw std::runtime_error("there are two files, " + result.file + " and " + file);
      result.file = file;
    });
    result.help = asked == Asked::Help;
    result.version = asked == Asked::Version;
  } catch (const std::runtime_error& e) {
    fail(e.what());
  }
  if (!result.help && !result.version) complete(result);
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
         "matrix of mcl, text or binary. It may be gzipped (.gz), and - is standard input. OUT "
         "gets\n"
         "a line for each cluster, the largest first, with tabs between its nodes; - is standard\n"
         "output. Also FILE may be a generator, such as families:n=200000.\n\n"
         "Options, with what they are without being given in parentheses:\n" +
         optionsOf(none).help();
}

}  // namespace Clustering
}  // namespace Trident
