// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLAINNUMBERS_HPP
#define TRIDENT_PLAINNUMBERS_HPP

#include <locale.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <locale>
#include <sstream>
#include <string>

namespace Trident::Impl {

/// While it lives, the C functions of this thread read and write numbers with a point, whatever
/// locale the program has set. Streams have locales of their own: PlainStream.
class PlainNumbers {
 public:
  PlainNumbers() : before_(uselocale(plain())) {}
  ~PlainNumbers() { uselocale(before_); }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  /// Returns the locale "C", which is never freed. Returns null, which changes nothing, if there is
  /// no memory for it.
  static locale_t plain() {
    static const locale_t only = newlocale(LC_ALL_MASK, "C", locale_t());
    return only;
  }
  locale_t before_;
};

/// A stream of text whose numbers have a point, and no other mark.
class PlainStream : public std::ostringstream {
 public:
  PlainStream() { imbue(std::locale::classic()); }
};

/// Reads the number that a text begins with, as strtod() does with a point.
/// @param used gets how many characters that took; 0 where it begins with none
inline double numberAtFront(const std::string& text, std::size_t& used) {
  const PlainNumbers plain;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  used = static_cast<std::size_t>(end - text.c_str());
  return number;
}

}  // namespace Trident::Impl

#endif
