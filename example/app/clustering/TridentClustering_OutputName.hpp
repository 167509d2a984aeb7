// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_OUTPUTNAME_HPP
#define TRIDENTCLUSTERING_OUTPUTNAME_HPP

#include <string>

#include "Trident_MarkovCluster.hpp"

namespace Trident {
namespace Clustering {

/// mcl's name of clusters where no name is given.
struct OutputName {
  std::string folder;         ///< -odir
  std::string prefix;         ///< -ap; in the place of "out." and the input's name
  std::string suffix;         ///< -aa; behind all else
  bool besideInput = false;   ///< --d: in the input's folder
  bool threeDigits = false;   ///< --i3: of the inflation
  bool hasInflation = false;  ///< -pi was given
  bool hasLoops = false;      ///< -c was given
  int initialIterations = 0;  ///< -l; then -i is in the name, too
};

/// Returns the name that mcl gives: out.FILE.I20, for -I 2.0. What the network is transformed by is
/// no part of it.
std::string outputName(const OutputName& name, const std::string& file,
                       const MarkovOptions& options);

/// Returns the end of that name: I20.
std::string outputSuffix(const OutputName& name, const MarkovOptions& options);

/// Returns true if other values of -I, -pi or -c have the same name: those that have more digits
/// than the name holds.
bool isAmbiguous(const OutputName& name, const MarkovOptions& options);

}  // namespace Clustering
}  // namespace Trident

#endif
