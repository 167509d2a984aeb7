// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_JSONTEXT_HPP
#define TRIDENTPROBLEMS_JSONTEXT_HPP

#include <string>
#include <vector>

namespace Trident {
namespace Problems {
/// Values as JSON writes them.
namespace Json {

/// Writes all digits of a number. JSON has none for infinity and "not a number": these become
/// strings.
std::string number(double value);

/// Returns numbers as an array.
std::string list(const std::vector<double>& values);

}  // namespace Json
}  // namespace Problems
}  // namespace Trident

#endif
