// SPDX-License-Identifier: BSD-3-Clause
// A bad option gets a sentence that names it.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "TridentDriver_CommandLine.hpp"

namespace Trident {
namespace Driver {
namespace {

/// Returns the driver's complaint about these options; "good" if there is none.
std::string said(std::vector<std::string> options) {
  options.insert(options.begin(), {"program", "--A=er:n=10"});
  std::vector<char*> argv;
  for (std::string& option : options) argv.push_back(&option[0]);
  std::ostringstream errors;
  CommandLine line;
  if (parse(static_cast<int>(argv.size()), argv.data(), line, &errors) != Parsed::Run)
    return errors.str();
  try {
    tridentParameters(line);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "good";
}

bool isSentence(const std::string& text) {
  return text.size() < 200 && std::count(text.begin(), text.end(), '\n') <= 1;
}

TEUCHOS_UNIT_TEST(ParametersOfTheCommandLine, GoodOnes) {
  TEST_EQUALITY(said({}), "good");
  TEST_EQUALITY(said({"--grid=2x3", "--seed=7", "--memory=1e6", "--exchange=ring"}), "good");
}

TEUCHOS_UNIT_TEST(ParametersOfTheCommandLine, BadOnesAreNamed) {
  const std::vector<std::vector<std::string>> bad{
      {"--grid=foo", "\"grid\" = \"foo\"", "4x2"},
      {"--grid=4x", "\"grid\" = \"4x\""},
      {"--grid=42949672960x1", "\"grid\""},
      {"--exchange=foo", "\"exchange\" = \"foo\"", "request-queue"},
      {"--partition=", "\"partition\" = \"\"", "balanced"},
      {"--partition-imbalance=0.5", "\"partition imbalance\" = 0.5"},
      {"--ranks-per-node=-1", "\"ranks per node\" = -1"},
      {"--memory=-4", "\"memory bytes\" = -4"},
      {"--memory=nan", "\"memory bytes\""},
      {"--seed=xyz", "--seed=xyz is not a number"},
      {"--seed=99999999999", "--seed=99999999999 is not a number, or does not fit"},
      {"--memory=much", "--memory=much is not a number"},
      {"--repeat=0", "--repeat"},
      {"--algorithm=magic", "magic", "tpetra"}};
  for (const auto& one : bad) {
    const std::string text = said({one[0]});
    TEST_ASSERT(isSentence(text));
    for (std::size_t w = 1; w < one.size(); ++w)
      TEST_INEQUALITY(text.find(one[w]), std::string::npos);
  }
}

}  // namespace
}  // namespace Driver
}  // namespace Trident
