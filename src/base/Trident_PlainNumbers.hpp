// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLAINNUMBERS_HPP
#define TRIDENT_PLAINNUMBERS_HPP

#include <charconv>
#include <cstddef>
#include <string>

/// \file Trident_PlainNumbers.hpp Numbers to text and back, whatever the locale. A point begins the
/// decimals, and nothing separates thousands.

namespace Trident::Impl {

/// Writes a number as printf() does in the locale "C", by "%g", "%f" or "%e".
/// @param precision number of digits in all ("%g"), or behind the point ("%f", "%e"); at most 100
inline std::string plainText(double value, int precision,
                             std::chars_format format = std::chars_format::general) {
  char text[512];  // the largest numbers have 309 digits before the point
  return std::string(text, std::to_chars(text, text + sizeof text, value, format, precision).ptr);
}

/// Reads the number at the start of a text, after any blanks.
/// @param used receives the count of characters read, with the blanks; 0 if the text begins with no
///   number, or with one that a double cannot hold
inline double numberAtFront(const std::string& text, std::size_t& used) {
  const char *first = text.data(), *const end = first + text.size();
  while (first != end && (*first == ' ' || *first == '\t' || *first == '\n')) ++first;
  if (end - first > 1 && first[0] == '+' && first[1] != '-') ++first;
  double number = 0;
  const auto [last, error] = std::from_chars(first, end, number);
  used = error == std::errc() ? static_cast<std::size_t>(last - text.data()) : 0;
  return number;
}

}  // namespace Trident::Impl

#endif
