// SPDX-License-Identifier: BSD-3-Clause
#include "markov/Trident_MarkovOrigin.hpp"

#include "base/Trident_PlainNumbers.hpp"

namespace Trident::Impl {

std::string allDigits(double value) { return plainText(value, 17); }

const char* nameOf(MarkovPrecision precision) {
  return precision == MarkovPrecision::Single ? "single" : "double";
}

CollectiveArguments partsOf(const MarkovOrigin& origin) {
  return {{"the number of nodes", std::to_string(origin.nodes)},
          {"the graph's digest", std::to_string(origin.graph)},
          {"inflation", allDigits(origin.inflation)},
          {"prune", std::to_string(origin.prune)},
          {"select", std::to_string(origin.select)},
          {"recover", std::to_string(origin.recover)},
          {"percent", std::to_string(origin.percent)},
          {"precision", nameOf(origin.precision)}};
}

std::string problemOfOrigin(const MarkovOrigin& resumed, const MarkovOrigin& called) {
  const CollectiveArguments before = partsOf(resumed), now = partsOf(called);
  for (std::size_t part = 0; part < before.size(); ++part)
    if (before[part].text != now[part].text)
      return "the state to resume comes from another run: " + before[part].name + " was " +
             before[part].text + " there and is " + now[part].text +
             " here; resume with the same graph and options, or begin anew";
  return "";
}

}  // namespace Trident::Impl
