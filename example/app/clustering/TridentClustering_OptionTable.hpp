// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_OPTIONTABLE_HPP
#define TRIDENTCLUSTERING_OPTIONTABLE_HPP

#include <functional>
#include <string>
#include <vector>

#include "TridentClustering_Options.hpp"

namespace Trident {
namespace Clustering {

/// An option of this program.
struct Option {
  const char* name;
  const char* value;  ///< name of its value; empty if it has none
  const char* help;
  std::function<void(Options&, const std::string& value)> set;  ///< throws std::runtime_error
};

/// Returns all options, in the order of --help.
const std::vector<Option>& optionTable();

/// An option of mcl 22-282 that does nothing here: it is taken where it changes no clusters.
struct MclOption {
  const char* name;
  bool hasValue;
  const char* instead;  ///< remedy where it is not taken
  const char* taken;    ///< first letters of values that are, empty: of all; null: it never is

  bool takes(const std::string& value) const {
    return taken != nullptr &&
           (*taken == '\0' ||
            (!value.empty() && std::string(taken).find(value[0]) != std::string::npos));
  }
};

const std::vector<MclOption>& mclOptionTable();

}  // namespace Clustering
}  // namespace Trident

#endif
