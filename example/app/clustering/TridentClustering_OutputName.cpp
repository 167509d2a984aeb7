// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_OutputName.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Trident {
namespace Clustering {

namespace {

/// Writes a number as names have it: "20" for 2.0, of the float as in mcl.
std::string digitsOf(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string digits = text;
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  return digits;
}

bool hasMoreDigits(double value, double scale) {
  return std::fabs(value * scale * 10 - std::round(value * scale * 10)) > 1e-6;
}

double scaleOf(const OutputName& name) { return name.threeDigits ? 10 : 1; }

/// Returns "out." and the input's name, or what was given in their place.
std::string stemOf(const OutputName& name, const std::string& file) {
  const std::size_t equals = name.prefix.find('=');
  if (equals != std::string::npos)
    return name.prefix.substr(0, equals) + file + name.prefix.substr(equals + 1);
  if (!name.prefix.empty()) return name.prefix;
  const std::size_t base = file.rfind('/') + 1;  // 0 where there is no slash
  return (name.besideInput ? file.substr(0, base) : "") + "out." + file.substr(base);
}

}  // namespace

std::string outputSuffix(const OutputName& name, const MarkovOptions& options) {
  std::string text = "I" + digitsOf(double{static_cast<float>(options.inflation)} * scaleOf(name));
  if (name.initialIterations > 0)
    text += "l" + std::to_string(name.initialIterations) + "i" +
            digitsOf(double{static_cast<float>(options.initialInflation)});
  if (name.hasInflation) text += "pi" + digitsOf(options.firstInflation);
  if (name.hasLoops) text += "c" + digitsOf(options.loopFactor);
  return text + name.suffix;
}

std::string outputName(const OutputName& name, const std::string& file,
                       const MarkovOptions& options) {
  const std::string text = stemOf(name, file) + "." + outputSuffix(name, options);
  if (name.folder.empty()) return text;
  const std::string base = text.substr(text.rfind('/') + 1);
  if (name.folder == ".") return base;
  return name.folder + (name.folder.back() == '/' ? "" : "/") + base;
}

bool isAmbiguous(const OutputName& name, const MarkovOptions& options) {
  return hasMoreDigits(options.inflation, scaleOf(name)) ||
         (name.hasInflation && hasMoreDigits(options.firstInflation, 1)) ||
         (name.hasLoops && hasMoreDigits(options.loopFactor, 1));
}

}  // namespace Clustering
}  // namespace Trident
