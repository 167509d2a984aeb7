// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_OptionTable.hpp"

namespace Trident {
namespace Clustering {

namespace {

constexpr const char* mclAlone = "take mcl itself";
constexpr const char* alter = "mcxalter -imx FILE -tf SPEC -o NEW makes such a network: give NEW";
constexpr const char* prune = "-P, -S and -R, or -scheme";

MclOption refused(const char* name, bool hasValue, const char* instead) {
  return {name, hasValue, instead, nullptr};
}

/// \param values beginnings of those that are taken, a letter each; empty: all
MclOption taken(const char* name, bool hasValue, const char* values = "",
                const char* instead = nullptr) {
  return {name, hasValue, instead, values};
}

}  // namespace

const std::vector<MclOption>& mclOptionTable() {
  static const std::vector<MclOption> all{
      refused("--amoixa", false, "--help lists the options"),
      taken("-annot", true),
      taken("-cache-mx", true),
      taken("-check-connected", true),
      refused("-dae", true, alter),
      refused("--degree-adjust", false, alter),
      taken("-devel", true),
      taken("-digits", true),
      taken("-discard-loops", true, "yY1", "loops are always discarded, and set anew: say y"),
      refused("-dump", true, mclAlone),
      refused("-dump-interval", true, mclAlone),
      refused("-dump-modulo", true, mclAlone),
      refused("-dump-stem", true, mclAlone),
      refused("-icl", true, mclAlone),
      refused("-if", true, "-pi, of a network that is not expanded"),
      refused("--jury-charter", false, "the last line says how much pruning dropped"),
      taken("--null-node", false),
      taken("-partition-p", true),
      taken("--partition-selection", false),
      refused("-Q", true, prune),
      refused("--regularized", false, mclAlone),
      taken("-set", true),
      refused("--show", false, "-write-graph FILE writes the network"),
      taken("-show-log", true),
      refused("--show-skid", false, "--show-schemes"),
      refused("-skid", true, prune),
      taken("-sparse", true),
      refused("--sum-loops", false, "-c FACTOR makes loops heavier"),
      taken("-t", true),
      taken("-ti", true),
      taken("--unchecked", false),
      taken("-v", true),
      taken("-warn-factor", true),
      taken("-warn-pct", true),
      refused("-wmax", true, mclAlone),
      refused("-write-expanded", true, mclAlone),
      refused("-write-graphx", true,
              "mcxalter -imx FILE -tf SPEC -o NEW writes the transformed network"),
      refused("--write-limit", false, mclAlone),
      refused("-wself", true, mclAlone)};
  return all;
}

}  // namespace Clustering
}  // namespace Trident
