// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_ParseNumber.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

namespace Trident {
namespace Problems {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Skips a plus sign, which from_chars does not take; "+-1" is still no number.
const char* skipPlus(const char* at, const char* end) {
  return end - at > 1 && at[0] == '+' && at[1] != '-' ? at + 1 : at;
}

/// Parses the rare ways to write a number, by strtod; it copies, because strtod wants a zero byte
/// at the end.
bool parseRealSlowly(const char*& at, const char* end, double& value) {
  const char* wordEnd = at;
  while (wordEnd != end && !isSpace(*wordEnd)) ++wordEnd;
  std::string word(at, wordEnd);
  if (word.find_first_of("xX(") != std::string::npos) return false;  // hexadecimal, nan(...)
  const std::size_t exponent = word.find_first_of("dD");
  if (exponent != std::string::npos) word[exponent] = 'e';
  char* parsedEnd = nullptr;
  value = std::strtod(word.c_str(), &parsedEnd);
  // A zero byte inside the word ends it for strtod, but is no end of the word.
  if (word.empty() || parsedEnd != word.c_str() + word.size()) return false;
  // Too large for a double: only a word may say infinity.
  const bool inDigits = word.find_first_of("0123456789") != std::string::npos;
  if (std::isinf(value) && inDigits) return false;
  at = wordEnd;
  return true;
}

}  // namespace

bool parseInteger(const char*& at, const char* end, std::int64_t& value) {
  const std::from_chars_result result = std::from_chars(skipPlus(at, end), end, value);
  if (result.ec != std::errc()) return false;
  at = result.ptr;
  return true;
}

bool parseReal(const char*& at, const char* end, double& value) {
#if defined(__cpp_lib_to_chars)  // else the standard library has no from_chars for double
  const std::from_chars_result result = std::from_chars(skipPlus(at, end), end, value);
  if (result.ec == std::errc() && (result.ptr == end || isSpace(*result.ptr))) {
    at = result.ptr;
    return true;
  }
#endif
  return parseRealSlowly(at, end, value);
}

}  // namespace Problems
}  // namespace Trident
