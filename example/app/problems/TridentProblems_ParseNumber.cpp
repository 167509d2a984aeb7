// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ParseNumber.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace Trident::Problems {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Skips a plus sign, which from_chars does not take; "+-1" is still no number.
const char* skipPlus(const char* at, const char* end) {
  return end - at > 1 && at[0] == '+' && at[1] != '-' ? at + 1 : at;
}

}  // namespace

bool parseInteger(const char*& at, const char* end, std::int64_t& value) {
  const std::from_chars_result result = std::from_chars(skipPlus(at, end), end, value);
  if (result.ec != std::errc()) return false;
  at = result.ptr;
  return true;
}

bool parseReal(const char*& at, const char* end, double& value) {
  std::from_chars_result result = std::from_chars(skipPlus(at, end), end, value);
  if (result.ec == std::errc() && (result.ptr == end || isSpace(*result.ptr))) {
    at = result.ptr;
    return true;
  }
  const char* const wordEnd = std::find_if(at, end, isSpace);
  std::string word(skipPlus(at, wordEnd), wordEnd);
  std::replace_if(
      word.begin(), word.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  const char *const first = word.data(), *const last = first + word.size();
  result = std::from_chars(first, last, value);
  if (result.ec == std::errc::result_out_of_range) {
    long double wide = 0;
    result = std::from_chars(first, last, wide);
    value = static_cast<double>(wide);
    if (std::isinf(value)) return false;
  }
  if (result.ec != std::errc() || result.ptr != last) return false;
  at = wordEnd;
  return true;
}

}  // namespace Trident::Problems
