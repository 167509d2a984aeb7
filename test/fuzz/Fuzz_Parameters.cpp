// SPDX-License-Identifier: BSD-3-Clause
// Input: a parameter list, a line each: TYPE NAME=VALUE, of TYPE int, long, double, bool, text,
// list. A NAME that begins with "expert/" is one in that sublist. Lines of another form are passed
// over.
#include <Teuchos_ParameterList.hpp>
#include <cstdlib>
#include <sstream>

#include "Fuzz_Tools.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace {

void setParameter(Teuchos::ParameterList& trident, const std::string& line) {
  const std::size_t space = line.find(' '), equals = line.find('=');
  if (space == std::string::npos || equals == std::string::npos || equals < space) return;
  const std::string type = line.substr(0, space), value = line.substr(equals + 1);
  std::string name = line.substr(space + 1, equals - space - 1);
  const std::string prefix = "expert/";
  const bool isExperts = name.compare(0, prefix.size(), prefix) == 0;
  if (isExperts) {
    name.erase(0, prefix.size());
    if (!trident.isSublist("expert")) trident.remove("expert", false);
  }
  Teuchos::ParameterList& list = isExperts ? trident.sublist("expert") : trident;
  list.remove(name, false);  // else a list could not take the place of a number
  if (type == "int") list.set(name, static_cast<int>(std::strtol(value.c_str(), nullptr, 10)));
  if (type == "long") list.set(name, std::strtoll(value.c_str(), nullptr, 10));
  if (type == "double") list.set(name, std::strtod(value.c_str(), nullptr));
  if (type == "bool") list.set(name, value == "true");
  if (type == "text") list.set(name, value);
  if (type == "list") list.set(name, Teuchos::ParameterList(value));
}

std::string textOf(const Teuchos::ParameterList& list) {
  std::ostringstream text;
  list.print(text);
  return text.str();
}

/// Complains about options that were taken and on which the products cannot rely.
void check(const Trident::Impl::Options& options) {
  const Trident::Impl::GridOptions& grid = options.grid;
  const Trident::Impl::RoundOptions& rounds = options.rounds;
  if (grid.choice == Trident::Impl::GridChoice::Explicit &&
      (grid.nodeRows < 1 || grid.nodeCols < 1))
    Fuzz::complain("a grid without nodes");
  if (grid.ranksPerNode < 0 || !(grid.partitionImbalance == 0 || grid.partitionImbalance >= 1))
    Fuzz::complain("options of the grid out of range");
  if (rounds.fuseRounds < 0 || rounds.prefetchDepth < 0 ||
      rounds.memoryBytes > 1000000000000000000u)
    Fuzz::complain("options of the rounds out of range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto params = Teuchos::rcp(new Teuchos::ParameterList("fuzz"));
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(text, line);)
    setParameter(params->sublist("Trident"), line.c_str());  // no name has a zero byte
  const std::string before = textOf(*params);                // a NaN is not equal to itself
  try {
    check(Trident::Impl::readParameters(params));
  } catch (const std::exception& e) {
    Fuzz::checkMessage(e.what());
    if (std::string(e.what()).find("Trident") == std::string::npos)
      Fuzz::complain(std::string("a message that does not say whose: ") + e.what());
  }
  if (textOf(*params) != before) Fuzz::complain("the caller's list was changed");
  return 0;
}
