// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_MclName.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace Trident {
namespace Clustering {

namespace {

constexpr const char* asMcl = "--as-mcl";

template <class... Values>
std::string line(const char* format, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string wholeSetting(const char* what, long long value, const char* option) {
  return line("%-40s%8lld        [%s]\n", what, value, option);
}

std::string realSetting(const char* what, double value, const char* option) {
  return line("%-40s%10.1f      [%s]\n", what, double{static_cast<float>(value)}, option);
}

std::string pruneSettings(const MarkovOptions& options) {
  const MarkovOptions scheme = withScheme(options);
  return wholeSetting("Prune number", scheme.prune, "-P n") +
         wholeSetting("Selection number", scheme.select, "-S n") +
         wholeSetting("Recovery number", scheme.recover, "-R n") +
         wholeSetting("Recovery percentage", scheme.percent, "-pct n");
}

std::string loopSettings(const MarkovOptions& options, bool initialToo) {
  const auto initial = [&](const std::string& text) { return initialToo ? text : ""; };
  return initial(wholeSetting("Initial loop length", options.initialIterations, "-l n")) +
         wholeSetting("Main loop length", options.mostIterations, "-L n") +
         initial(realSetting("Initial inflation", options.initialInflation, "-i f")) +
         realSetting("Main inflation", options.inflation, "-I f");
}

}  // namespace

std::string calledName() {
  const char* const starter = std::getenv(calledNameVariable);
  return starter != nullptr ? starter : program_invocation_short_name;
}

std::vector<std::string> argumentsByName(int argc, const char* const* argv) {
  const std::string program = argc > 0 ? argv[0] : "";
  std::vector<std::string> arguments;
  if (program.substr(program.rfind('/') + 1) == "mcl") arguments.push_back(asMcl);
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  return arguments;
}

std::string mclUsage() {
  return "[mcl] usage: mcl FILE [OPTION]..., where FILE may be - for standard input; mcl -h lists "
         "the options\n";
}

std::string mclVersionText(const std::string& tridentVersion) {
  return "mcl 22-282\nTrident " + tridentVersion +
         " under the name of mcl: it takes the arguments of mcl 22-282 by Stijn van Dongen, and\n"
         "finds the same clusters. It has no code of that program.\n";
}

std::string mclSettings(const MarkovOptions& options) {
  return "[mcl] cell size: 8\n[mcl] cell contents: int and float\n"
         "[mcl] largest index allowed: 2147483647\n[mcl] smallest index allowed: 0\n" +
         pruneSettings(options) + wholeSetting("warn-pct", 10, "-warn-pct k") +
         wholeSetting("warn-factor", 1000, "-warn-factor k") +
         line("%-56s[%s]\n", "dumpstem", "-dump-stem str") + loopSettings(options, true);
}

std::string mclSchemes() {
  std::string text = "             Pruning      Selection       Recovery  Recover percentage\n";
  MarkovOptions options;
  for (options.scheme = 1; options.scheme <= 7; ++options.scheme) {
    const MarkovOptions scheme = withScheme(options);
    text += line("Scheme %d%12lld%15lld%15lld%15d\n", options.scheme,
                 static_cast<long long>(scheme.prune), static_cast<long long>(scheme.select),
                 static_cast<long long>(scheme.recover), static_cast<int>(scheme.percent));
  }
  return text;
}

std::string mclMemory(const MarkovOptions& options, long long nodes) {
  const MarkovOptions scheme = withScheme(options);
  const double kept = static_cast<double>(std::max(scheme.select, scheme.recover));
  // Two matrices of 12 bytes an entry, and what is not pruned yet.
  const double bytes = 24.0 * kept * static_cast<double>(nodes) + 256e6;
  return line(
      "%lld nodes take %.1f GB of memory at most, if they have up to %.0f neighbours each\n", nodes,
      1e-9 * bytes, kept);
}

std::string mclCommandLine(const std::string& file, const std::vector<std::string>& arguments) {
  std::string text;
  bool fileIsNext = true;
  for (const std::string& argument : arguments) {
    if (argument == asMcl) continue;
    if (fileIsNext && argument == file)
      fileIsNext = false;
    else
      text += (text.empty() ? "\"" : " \"") + argument + "\"";
  }
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';  // a comment is one line
  return text;
}

std::string mclComment(const Options& options) {
  return "# cline: mcl " + options.file + " " + options.commandLine + "\n";
}

std::string mclLog(const Options& options, const Summary& summary) {
  MarkovOptions markov = options.markov;
  markov.inflation = summary.inflation;
  markov.mostIterations -= markov.initialIterations;
  return "\n(mclruninfo\n\nversion <22-282>\ninput file name <" + options.file +
         ">\nnumber of nodes <" + std::to_string(summary.nodes) + ">\nnumber of clusters <" +
         std::to_string(summary.sizes.clusters) + ">\ncommand line <" + options.commandLine +
         line(">\ntotal time usage <%.2f>\nnumber of iterations <%d>\n\n", summary.clusterSeconds,
              summary.iterations) +
         pruneSettings(markov) + loopSettings(markov, markov.initialIterations > 0) + ")\n";
}

std::string mclLastLines(const Options& options, const Summary& summary) {
  return "[mcl] " + std::to_string(summary.sizes.clusters) +
         " clusters found\n[mcl] output is in " + options.out + "\n";
}

}  // namespace Clustering
}  // namespace Trident
