// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <cstring>

#include "TridentProblems_MatrixMarketText.hpp"
#include "TridentProblems_ParseNumber.hpp"

namespace Trident {
namespace Problems {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t'; }

void skipSpaces(const char*& at, const char* end) {
  while (at != end && isBlank(*at)) ++at;
}

/// Returns true if a line holds no entry; takes the blanks at its front.
bool isSkipped(const char*& at, const char* end) {
  skipSpaces(at, end);
  return at == end || *at == '%' || *at == '\r';
}

/// Returns the message for a line beyond those promised.
std::string tooMany(std::int64_t promised) {
  return "the line should be blank, as the size line promises " + std::to_string(promised) +
         " entries and they are there (correct the size line if there are more)";
}

std::string butItIs(const std::string& what, Text line) {
  return what + ", but it is " + quote(line);
}

/// Takes the first line of a text, which then begins behind it.
Text takeLine(Text& text) {
  const auto* newline = static_cast<const char*>(std::memchr(text.begin, '\n', text.size()));
  const Text line{text.begin, newline != nullptr ? newline : text.end};
  text.begin = newline != nullptr ? newline + 1 : text.end;
  return line;
}

/// Parses an integer that is a whole word.
bool parseWholeNumber(const char*& at, const char* end, std::int64_t& value) {
  skipSpaces(at, end);
  return parseInteger(at, end, value) && (at == end || isBlank(*at));
}

}  // namespace

std::string quote(Text text) {
  constexpr std::size_t most = 60;
  std::string quoted(text.begin, std::min(text.size(), most));
  if (!quoted.empty() && quoted.back() == '\r') quoted.pop_back();
  for (char& c : quoted)
    if (c < ' ' || c > '~') c = '?';
  return '"' + quoted + (text.size() > most ? "...\"" : "\"");
}

void EntryParser::parse(Text text) {
  while (!text.empty()) {
    const Text line = takeLine(text);
    ++lines_;
    try {
      parseLine(line);
    } catch (const MatrixError& e) {
      throw LineError(lines_, bytes_, butItIs(e.what(), line));
    }
    bytes_ += text.begin - line.begin;
  }
}

void EntryCounter::count(Text text) {
  const char* const begin = text.begin;
  for (std::int64_t lines = 1; !text.empty(); ++lines) {
    const Text line = takeLine(text);
    const char* at = line.begin;
    if (isSkipped(at, line.end) || ++entries_ <= promised_) continue;
    throw LineError(lines, line.begin - begin, butItIs(tooMany(promised_), line));
  }
}

void EntryParser::parseLine(Text line) {
  line = withoutReturns(line);
  const char* at = line.begin;
  if (isSkipped(at, line.end)) return;
  const std::int64_t row = parseIndex(at, line.end, "row", header_.rows);
  const std::int64_t column = parseIndex(at, line.end, "column", header_.columns);
  const scalar_type value = parseValue(at, line.end);
  skipSpaces(at, line.end);
  if (at != line.end)
    throw MatrixError(header_.field == MatrixMarketHeader::Field::pattern
                          ? "a line of a pattern file should hold a row and a column only"
                          : "a line should hold a row, a column and one value only");
  if (entries_ == header_.entries)  // so that a small file cannot ask for more than it promises
    throw MatrixError(tooMany(header_.entries));
  append(row - 1, column - 1, value);
}

std::int64_t EntryParser::parseIndex(const char*& at, const char* end, const char* name,
                                     std::int64_t most) const {
  std::int64_t index = 0;
  if (!parseWholeNumber(at, end, index))
    throw MatrixError(std::string("the ") + name + " should be a whole number");
  if (index < 1 || index > most)
    throw MatrixError(std::string("the ") + name + " should lie in 1.." + std::to_string(most));
  return index;
}

scalar_type EntryParser::parseValue(const char*& at, const char* end) const {
  if (header_.field == MatrixMarketHeader::Field::pattern) return 1;
  if (header_.field != MatrixMarketHeader::Field::real) return parseWholeValue(at, end);
  skipSpaces(at, end);
  double value = 0;
  if (!parseReal(at, end, value))
    throw MatrixError("the value should be a number, up to 1.8e308 in magnitude");
  return value;
}

/// Parses a whole number, also one that is written 2.0.
scalar_type EntryParser::parseWholeValue(const char*& at, const char* end) const {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  skipSpaces(at, end);
  const char* const begin = at;
  std::int64_t whole = 0;
  double value = 0;
  bool exact = false;
  if (parseWholeNumber(at, end, whole)) {
    value = static_cast<double>(whole);
    exact = -most <= whole && whole <= most;
  } else {
    at = begin;
    if (!parseReal(at, end, value) || std::isinf(value) || std::floor(value) != value)
      throw MatrixError("the value should be a whole number");
    exact = std::abs(value) <= static_cast<double>(most);
  }
  if (!exact)
    throw MatrixError(
        "a whole number should be at most 2^53, up to which a double holds them all (write a file "
        "of larger ones as \"real\")");
  if (value < 0 && header_.field == MatrixMarketHeader::Field::unsignedInteger)
    throw MatrixError("an unsigned-integer should not be negative (else write \"integer\")");
  return value;
}

void EntryParser::append(std::int64_t row, std::int64_t column, scalar_type value) {
  ++entries_;
  const auto r = static_cast<global_ordinal_type>(row);
  const auto c = static_cast<global_ordinal_type>(column);
  result_.push_back({r, c, value});
  if (header_.symmetry == MatrixMarketHeader::Symmetry::general) return;
  if (r != c) {
    ++(r < c ? above_ : below_);
    const bool skew = header_.symmetry == MatrixMarketHeader::Symmetry::skew;
    result_.push_back({c, r, skew ? -value : value});
  } else if (header_.symmetry == MatrixMarketHeader::Symmetry::skew && value != 0) {
    throw MatrixError("the diagonal of a skew-symmetric matrix should be zero");
  }
}

}  // namespace Problems
}  // namespace Trident
