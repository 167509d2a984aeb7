// SPDX-License-Identifier: BSD-3-Clause
// Texts of any bytes are texts of JSON, which is UTF-8.
#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Trident_JsonString.hpp"

namespace {

std::string inQuotes(const std::string& text) { return '"' + text + '"'; }

TEUCHOS_UNIT_TEST(JsonString, Ascii) {
  TEST_EQUALITY(Trident::jsonString(""), inQuotes(""));
  TEST_EQUALITY(Trident::jsonString("a\"b\\ /\x7F"), inQuotes("a\\\"b\\\\ /\x7F"));
  const std::string controls("a\0b\nc\x1F", 6);
  TEST_EQUALITY(Trident::jsonString(controls), inQuotes("a b c "));
}

TEUCHOS_UNIT_TEST(JsonString, Characters) {
  // The first and last ones of each length, and beside the surrogates.
  for (const std::string text :
       {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "D\xE2\x81\xBB\xC2\xB9 A"})
    TEST_EQUALITY(Trident::jsonString(text), inQuotes(text));
}

TEUCHOS_UNIT_TEST(JsonString, OtherBytes) {
  const std::string mark = "\xEF\xBF\xBD";
  for (const std::string text : {
           "\x80", "\xBF", "\xFE\xFF",                                  // nowhere, or not at first
           "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",  // overlong
           "\xED\xA0\x80", "\xED\xBF\xBF",                              // surrogates
           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",                      // beyond U+10FFFF
           "\xC2", "\xE2\x81", "\xF0\x9F\x98", "\xF0\x9F"               // truncated
       }) {
    std::string marks;
    for (std::size_t n = 0; n < text.size(); ++n) marks += mark;
    TEST_EQUALITY(Trident::jsonString(text), inQuotes(marks));
    TEST_EQUALITY(Trident::jsonString(text + "\"\xC3\xA9"), inQuotes(marks + "\\\"\xC3\xA9"));
  }
}

}  // namespace
