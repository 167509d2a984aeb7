// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_JsonText.hpp"

#include <cmath>
#include <cstdio>

namespace Trident {
namespace Problems {
namespace Json {

std::string number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "\"nan\"" : "\"inf\"";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string list(const std::vector<double>& values) {
  std::string text = "[";
  for (std::size_t n = 0; n < values.size(); ++n) text += (n ? ", " : "") + number(values[n]);
  return text + "]";
}

}  // namespace Json
}  // namespace Problems
}  // namespace Trident
