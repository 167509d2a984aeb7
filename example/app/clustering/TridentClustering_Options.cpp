// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Options.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "TridentClustering_MclName.hpp"
#include "TridentClustering_OptionTable.hpp"
#include "TridentProblems_ProgramOptions.hpp"
#include "TridentProblems_WriteText.hpp"
#include "Trident_Version.hpp"

namespace Trident {
namespace Clustering {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + "; --help lists all options");
}

/// Returns the options, which set `result`.
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
    list.addHidden(option.name, option.hasValue ? "VALUE" : "", [&](const std::string& value) {
      if (option.takes(value)) return;
      const std::string shown = option.taken == nullptr ? "" : " " + value;
      throw std::runtime_error(std::string(option.name) + shown +
                               " is mcl's option, not here; instead: " + option.instead);
    });
  return list;
}

enum class Kind { unknown, flag, value };

/// Finds the kind of the option `name`, of this program or of mcl.
Kind kindOf(const std::string& name) {
  for (const Option& option : optionTable())
    if (name == option.name) return option.value[0] != '\0' ? Kind::value : Kind::flag;
  for (const MclOption& option : mclOptionTable())
    if (name == option.name) return option.hasValue ? Kind::value : Kind::flag;
  const bool always = name == "-h" || name == "--help" || name == "--version";
  return always ? Kind::flag : Kind::unknown;
}

/// Takes "--tf=VALUE", as mcl has it beside "-tf VALUE", with one dash.
std::string withOneDash(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || argument.compare(0, 2, "--") != 0) return argument;
  return kindOf(argument.substr(1, equals - 1)) == Kind::value ? argument.substr(1) : argument;
}

/// Finds the first option that mcl does not know; empty where there is none. mcl has "-name VALUE"
/// and "--name=VALUE".
std::string unknownToMcl(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() < 2 || argument[0] != '-') continue;
    const bool joined = argument.find('=') != std::string::npos && argument[1] == '-';
    const std::string name = withOneDash(argument);
    const Kind kind = kindOf(joined ? name.substr(0, name.find('=')) : argument);
    if (kind == Kind::unknown) return argument;
    if (kind == Kind::value && !joined) ++i;
  }
  return "";
}

/// Names the file of the clusters of one of several inflations: the given name with the end of
/// mcl's, as OUT.I14, or OUT.I14.gz of OUT.gz.
std::string withSuffix(const std::string& out, const std::string& suffix) {
  const std::string zipped = ".gz";
  const bool zips = out.size() > zipped.size() &&
                    out.compare(out.size() - zipped.size(), zipped.size(), zipped) == 0;
  const std::string stem = zips ? out.substr(0, out.size() - zipped.size()) : out;
  return out == "-" ? out : stem + "." + suffix + (zips ? zipped : "");
}

/// Names the file of each inflation.
void nameOutputs(Options& options) {
  const bool several = options.inflations.size() > 1, given = !options.out.empty();
  options.runs.clear();
  for (const double inflation : options.inflations) {
    MarkovOptions markov = options.markov;
    markov.inflation = inflation;
    RunOutput run;
    run.inflation = inflation;
    run.out = !given    ? outputName(options.name, options.file, markov)
              : several ? withSuffix(options.out, outputSuffix(options.name, markov))
                        : options.out;
    run.outIsAmbiguous = (several || !given) && !options.asMcl && isAmbiguous(options.name, markov);
    for (const RunOutput& other : options.runs)
      if (other.out == run.out && run.out != "-")
        fail("two inflations of -I would write to " + run.out + ": --i3 names three digits");
    options.runs.push_back(run);
  }
  options.out = options.runs.front().out;
  options.outIsAmbiguous = options.runs.front().outIsAmbiguous;
}

/// Sets values that follow from several options. Throws if options are missing or disagree.
void complete(Options& options) {
  if (options.file.empty()) fail("no FILE was given");
  if (options.resume && options.checkpoint.empty())
    fail("--resume needs the file to resume from: --checkpoint=FILE");
  if (options.weights.changes() && !options.labelledPairs)
    fail(
        "-abc-tf, --abc-neg-log and --abc-neg-log10 are for pairs, --abc; -tf is for all networks");
  options.pairLines.lenient = options.asMcl;
  options.markov.mostIterations =
      std::min(options.markov.mostIterations,
               std::numeric_limits<int>::max() - options.markov.initialIterations) +
      options.markov.initialIterations;
  if (options.native + options.table + options.lines > 1)
    fail("--native, --table and --lines are forms of the output: say one");
  const bool labelled = options.labelledPairs || !options.tab.empty();
  if (options.labelledPairs && !options.tab.empty())
    fail("-use-tab is for matrices: with --abc the network has labels");
  if (labelled && !options.asMcl && !options.graph.empty() &&
      !Problems::writesToStandardOutput({options.graph}))
    options.graphTab = options.graph + ".tab";
  options.weights.negativeToo =
      options.asMcl || !options.labelledPairs || !options.transformation.empty();
  nameOutputs(options);
  if (options.runs.size() == 1) return;
  if (options.asMcl) fail("-I takes one number under mcl's name");
  if (!options.checkpoint.empty())
    fail("--checkpoint is for a run of one inflation; give each a call, with a FILE of its own");
  if (Problems::writesToStandardOutput({options.runs.front().out}))
    fail("the clusters of several inflations need files: -o FILE, or no -o");
}

/// Finds the answer that takes the place of any work, if there is one. No FILE is needed for it.
void findAnswer(Options& options, bool alone) {
  if (options.asMcl && alone) {
    options.answer = mclUsage();
    options.answerIsError = true;
  } else if (options.help) {
    options.answer = helpText();
  } else if (options.version) {
    options.answer = options.asMcl ? mclVersionText(Trident::version())
                                   : Problems::versionText("trident-mcl", Trident::version());
  } else if (options.ask) {
    nameOutputs(options);
    options.answer = options.ask(options);
  }
}

}  // namespace

Options parseOptions(const std::vector<std::string>& arguments) {
  using Asked = Problems::ProgramOptions::Asked;
  Options result;
  if (std::find(arguments.begin(), arguments.end(), "--as-mcl") != arguments.end()) {
    const std::string unknown = unknownToMcl(arguments);
    if (!unknown.empty()) {  // as of mcl, the status is that of a good end
      result.answer = "[mcl] there is no option " + unknown + "; mcl -h lists all\n";
      result.answerIsError = true;
      return result;
    }
  }
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
  findAnswer(result, arguments.size() == 1);
  if (result.answer.empty()) complete(result);
  result.commandLine = mclCommandLine(result.file, arguments);
  return result;
}

std::string helpText() {
  Options none;
  return "Usage: trident-mcl FILE [OPTION]...\n"
         "   or: mpirun -n RANKS trident-mcl FILE [OPTION]...\n\n"
         "Finds clusters in a network: groups of nodes with many connections inside and few to\n"
         "others, such as families of similar proteins. The method is Markov clustering, and the\n"
         "clusters are those of the program mcl.\n\n"
         "  trident-mcl FILE --abc -I 2.0 -te 4 -o OUT\n\n"
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
