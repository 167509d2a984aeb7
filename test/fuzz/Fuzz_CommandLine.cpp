// SPDX-License-Identifier: BSD-3-Clause
// Input: the driver's arguments, one a line.
#include <algorithm>
#include <sstream>
#include <vector>

#include "Fuzz_Tools.hpp"
#include "TridentDriver_CommandLine.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace {

using namespace Trident::Driver;
using namespace Trident::Problems;

/// Returns the value of the last `--name=value` or `--name value`; "" if there is none.
std::string lastValue(const std::vector<std::string>& arguments, const std::string& name) {
  std::string value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].compare(0, name.size() + 3, "--" + name + "=") == 0)
      value = arguments[i].substr(name.size() + 3);
    if (arguments[i] == "--" + name && i + 1 < arguments.size()) value = arguments[i + 1];
  }
  return value;
}

/// Compares an int option that was taken with the int that its text says.
void checkInt(const std::vector<std::string>& arguments, const std::string& name, int taken) {
  const std::string text = lastValue(arguments, name);
  if (text.empty()) return;
  const char* at = text.data();
  std::int64_t value = 0;
  if (!parseInteger(at, text.data() + text.size(), value) || at != text.data() + text.size() ||
      value != taken)
    Fuzz::complain("--" + name + "=" + text + " was taken for " + std::to_string(taken));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> arguments{"Trident_SpGEMM.exe"};
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(text, line);)
    arguments.push_back(line.c_str());  // an argument ends at a zero byte
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(&argument[0]);
  pointers.push_back(nullptr);

  CommandLine line;
  std::ostringstream errors;
  const Parsed parsed = parse(static_cast<int>(arguments.size()), pointers.data(), line, &errors);
  if (parsed == Parsed::Error) Fuzz::checkMessage(errors.str());
  if (parsed != Parsed::Run) return 0;
  if (line.repeat < 1 || line.warmup < 0 || line.reuse < 0)
    Fuzz::complain("a number of products was not checked");
  checkInt(arguments, "repeat", line.repeat);
  checkInt(arguments, "seed", line.seed);
  checkInt(arguments, "ranks-per-node", line.ranksPerNode);
  try {
    tridentParameters(line);
  } catch (const std::exception& e) {
    Fuzz::checkMessage(e.what());
  }
  return 0;
}
