// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JSONSTRING_HPP
#define TRIDENT_JSONSTRING_HPP

#include <cstddef>
#include <string>

/// \file Trident_JsonString.hpp
/// Texts as strings of JSON. This header needs no library.

namespace Trident {
namespace Impl {

/// Returns the length in bytes of the UTF-8 character at text[at]. Returns 0 if no valid character
/// is there (RFC 3629 forbids overlong forms, surrogates, and characters beyond U+10FFFF).
inline std::size_t bytesOfCharacter(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t n) {
    return at + n < text.size() ? static_cast<unsigned char>(text[at + n]) : 0u;
  };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t bytes = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  bool good = least <= second && second <= most;
  for (std::size_t n = 2; n < bytes; ++n) good = good && (byte(n) & 0xC0) == 0x80;
  return good ? bytes : 0;
}

}  // namespace Impl

/// Returns a text as a JSON string with its quotation marks. Control characters become spaces.
/// Bytes that are not valid UTF-8 become U+FFFD, because names of files may have any bytes.
inline std::string jsonString(const std::string& text) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = Impl::bytesOfCharacter(text, at);
    const bool control = static_cast<unsigned char>(text[at]) < ' ';
    if (text[at] == '"' || text[at] == '\\') result += '\\';
    result += bytes == 0 ? "\xEF\xBF\xBD" : control ? " " : text.substr(at, bytes);
    at += bytes == 0 ? 1 : bytes;
  }
  return result + '"';
}

}  // namespace Trident

#endif
