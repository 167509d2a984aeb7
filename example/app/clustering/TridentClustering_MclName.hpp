// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_MCLNAME_HPP
#define TRIDENTCLUSTERING_MCLNAME_HPP

#include <string>
#include <vector>

#include "TridentClustering_Options.hpp"
#include "TridentClustering_Summary.hpp"

/// \file TridentClustering_MclName.hpp
/// The lines that the program writes where it stands in the place of mcl 22-282. They are made for
/// other programs to read. No communication.

namespace Trident {
namespace Clustering {

/// Returns the name by which the program was called, without its folder, which begins its messages;
/// of ranks that -te started the name of who did so, in the variable calledNameVariable.
std::string calledName();
inline constexpr const char* calledNameVariable = "TRIDENT_MCL_CALLED";

/// Returns the arguments behind the program's name, with --as-mcl before them where that name is
/// mcl.
std::vector<std::string> argumentsByName(int argc, const char* const* argv);

/// Returns the answer to a call without arguments, for standard error.
std::string mclUsage();

/// Returns the answer to --version: mcl's version and author, and what the program is in fact.
std::string mclVersionText(const std::string& tridentVersion);

/// Returns the settings (-z): a line for each, with the option that changes it.
std::string mclSettings(const MarkovOptions& options);

/// Returns the settings of -scheme 1 to 7 (--show-schemes).
std::string mclSchemes();

/// Returns about how much memory a network of so many nodes takes (-how-much-ram).
std::string mclMemory(const MarkovOptions& options, long long nodes);

/// Returns the arguments but FILE, each in quotes: `"-o" "OUT"`. It is one line.
std::string mclCommandLine(const std::string& file, const std::vector<std::string>& arguments);

/// Returns the comment that begins a matrix of clusters: `# cline: mcl FILE "-o" "OUT"`, and a
/// line's end.
std::string mclComment(const Options& options);

/// Returns the lines that -append-log y appends to the clusters.
/// \param summary of a run whose clusters are not written yet
std::string mclLog(const Options& options, const Summary& summary);

/// Returns the last lines of a run's messages.
std::string mclLastLines(const Options& options, const Summary& summary);

}  // namespace Clustering
}  // namespace Trident

#endif
