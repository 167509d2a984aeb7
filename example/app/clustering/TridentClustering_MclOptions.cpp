// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_OptionTable.hpp"

namespace Trident {
namespace Clustering {

namespace {

constexpr const char* leaveOut = "leave it out: it changes no clusters";
constexpr const char* mclAlone = "take mcl itself";
constexpr const char* oneInflation = "leave it out: -I and -pi are all inflations here";
constexpr const char* summary = "--summary=FILE has the numbers";
constexpr const char* asWords = "mpirun -n says how many ranks, OMP_NUM_THREADS how many threads";
constexpr const char* load =
    "mcxload makes a matrix of the file (-sif or -etc, --stream-mirror, -o FILE, -write-tab TAB): "
    "give FILE and -use-tab TAB";
constexpr const char* alter = "mcxalter -imx FILE -tf SPEC -o NEW makes such a network: give NEW";
constexpr const char* presets = "--help says what -scheme, -P, -S, -R and -pct do";

}  // namespace

const std::vector<MclOption>& mclOptionTable() {
  static const std::vector<MclOption> all{
      {"--amoixa", false, leaveOut},
      {"-analyze", true, summary},
      {"-annot", true, leaveOut},
      {"-append-log", true, summary},
      {"-cache-mx", true, leaveOut},
      {"-check-connected", true, "--force-connected=y splits clusters that are not connected"},
      {"-dae", true, alter},
      {"--degree-adjust", false, alter},
      {"-devel", true, leaveOut},
      {"-digits", true, "leave it out: weights are written with 17 digits"},
      {"-discard-loops", true, "leave it out: loops are always discarded, and set anew"},
      {"-dump", true, mclAlone},
      {"-dump-interval", true, mclAlone},
      {"-dump-modulo", true, mclAlone},
      {"-dump-stem", true, mclAlone},
      {"--etc", false, load},
      {"--expect-values", false, load},
      {"-how-much-ram", true, "--memory bounds what products take"},
      {"-i", true, oneInflation},
      {"-icl", true, mclAlone},
      {"-if", true, "-pi, of a network that is not expanded"},
      {"--jury-charter", false, "the last line says how much pruning dropped"},
      {"-l", true, oneInflation},
      {"--null-node", false, leaveOut},
      {"-overlap", true, "leave it out: a node of several clusters goes to the first, as by cut"},
      {"-p", true, "-P N, where N is 1 divided by the threshold"},
      {"-partition-p", true, leaveOut},
      {"--partition-selection", false, leaveOut},
      {"-Q", true, "-P, -S and -R, or -scheme"},
      {"--regularized", false, mclAlone},
      {"-set", true, leaveOut},
      {"--show", false, "-write-graph FILE writes the network"},
      {"-show-log", true, summary},
      {"--show-schemes", false, presets},
      {"--show-skid", false, presets},
      {"--sif", false, load},
      {"-skid", true, "-P, -S and -R, or -scheme"},
      {"-sparse", true, leaveOut},
      {"--sum-loops", false, "-c FACTOR makes loops heavier"},
      {"-t", true, asWords},
      {"-ti", true, asWords},
      {"--unchecked", false, leaveOut},
      {"-v", true, "leave it out: a run of more than two seconds says how far it is"},
      {"-warn-factor", true, "the last line says how much pruning dropped"},
      {"-warn-pct", true, "the last line says how much pruning dropped"},
      {"-wmax", true, mclAlone},
      {"--write-binary", false,
       "mcx convert FILE NEW makes a binary matrix of one that is written"},
      {"-write-expanded", true, mclAlone},
      {"-write-graphx", true, "mcxalter -imx FILE -tf SPEC -o NEW writes the transformed network"},
      {"--write-limit", false, mclAlone},
      {"-wself", true, mclAlone},
      {"-z", false, presets}};
  return all;
}

}  // namespace Clustering
}  // namespace Trident
