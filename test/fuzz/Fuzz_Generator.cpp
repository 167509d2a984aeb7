// SPDX-License-Identifier: BSD-3-Clause
// Input: the text of a generator specification.
#include "Fuzz_Tools.hpp"
#include "TridentProblems_GeneratorSpec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace Trident::Problems;
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string text = input.c_str();  // an argument ends at a zero byte
  try {
    const GeneratorSpec spec(text);
    const GeneratorSpec again(spec.text());
    if (again.text() != spec.text())
      Fuzz::complain("\"" + spec.text() + "\" reads as \"" + again.text() + "\"");
    if (!looksLikeGenerator(text)) Fuzz::complain("\"" + text + "\" looks like a file");
  } catch (const MatrixError& e) {
    Fuzz::checkMessage(e.what());
  }
  if (looksLikeGenerator(text)) Fuzz::readAndCompare(text);
  return 0;
}
